// The data that report.html carries, as docs/reference/page-data.md describes it.

/** Depth, class, id, text, description, flags, left, top, right, bottom. */
export type NodeData = [number, string, string, string, string, number, number, number, number, number];

/** Kind, title, number of nodes. */
export type WindowData = [string, string, number];

export interface ScreenData {
  activity: string;
  width: number;
  height: number;
  windows: WindowData[];
  nodes: NodeData[];
}

export interface StepData {
  words: string;
  /** The widget that was recorded, where the step met another one. */
  recorded: string | null;
  /** Number of the screen before the step. */
  screen: number | null;
  /** Number of the touched node on that screen. */
  node: number | null;
  /** Milliseconds since the start, as recorded. */
  at: number | null;
}

export interface OriginalStepData {
  words: string;
  kept: boolean;
}

export interface FindingData {
  anchor: string;
  fingerprint: string;
  title: string;
  steps: StepData[];
  /** Number of the screen after the last step. */
  last: number | null;
  /** Steps before the reduction; empty without one. */
  original: OriginalStepData[];
}

export interface PageData {
  format: number;
  findings: FindingData[];
  screens: ScreenData[];
}

export const FLAG_NAMES = [
  'enabled', 'clickable', 'long-clickable', 'scrollable', 'checkable', 'checked', 'editable', 'focused', 'selected',
  'password', 'visible',
] as const;

/** Names of the flags that are set. */
export function flagNames(flags: number): string[] {
  return FLAG_NAMES.filter((_, bit) => (flags & (1 << bit)) !== 0);
}

/** `Button #save “Save”`: class, id and label, as steps name widgets. */
export function nodeName(node: NodeData): string {
  const [, className, id, text, description] = node;
  const label = text || description;
  const parts = [className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1) || 'node'];
  if (id) parts.push(`#${id.slice(id.lastIndexOf('/') + 1)}`);
  if (label) parts.push(`“${label.length > 60 ? `${label.slice(0, 59)}…` : label}”`);
  return parts.join(' ');
}

/** The data of the page, if it can be read. */
export function readData(element: Element | null): PageData | null {
  try {
    const data = JSON.parse(element?.textContent ?? '') as PageData;
    return data.format === 1 ? data : null;
  } catch {
    return null;
  }
}
