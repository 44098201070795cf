// Addresses of single steps within the page: `#crash-2/step-5`. The step after the last one is the finding itself.

export interface StepAddress {
  anchor: string;
  /** From 0. */
  step: number;
}

export function formatAddress({ anchor, step }: StepAddress): string {
  return `#${anchor}/step-${step + 1}`;
}

export function parseAddress(hash: string): StepAddress | null {
  const match = /^#([\w-]+)\/step-(\d{1,6})$/.exec(hash);
  return match ? { anchor: match[1]!, step: Math.max(Number(match[2]) - 1, 0) } : null;
}
