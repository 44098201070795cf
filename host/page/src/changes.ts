// What a step changed: two screens compared widget by widget, in words.

import { FLAG_NAMES, nodeName, type NodeData, type ScreenData } from './data';

const MOST_CHANGES = 100;
/** Flags whose change a person sees or feels. */
const TOLD_FLAGS = ['enabled', 'checked', 'focused', 'selected'];

/** Changes from one screen to the next, and how many more there are. */
export function changes(before: ScreenData, after: ScreenData): { lines: string[]; more: number } {
  const lines: string[] = [];
  if (before.activity !== after.activity) {
    lines.push(`activity: ${before.activity || 'none'} → ${after.activity || 'none'}`);
  }
  if (before.width !== after.width || before.height !== after.height) {
    lines.push(`display: ${before.width} × ${before.height} → ${after.width} × ${after.height}`);
  }
  const old = keyed(before.nodes);
  const now = keyed(after.nodes);
  for (const [key, node] of old) {
    const match = now.get(key);
    if (match) lines.push(...differences(node, match));
  }
  for (const [key, node] of old) if (!now.has(key)) lines.push(`gone: ${nodeName(node)}`);
  for (const [key, node] of now) if (!old.has(key)) lines.push(`new: ${nodeName(node)}`);
  return { lines: lines.slice(0, MOST_CHANGES), more: Math.max(lines.length - MOST_CHANGES, 0) };
}

/** Nodes by what identifies them: the id, or class and text where there is none, and their number among equals. */
function keyed(nodes: NodeData[]): Map<string, NodeData> {
  const seen = new Map<string, number>();
  const keys = new Map<string, NodeData>();
  for (const node of nodes) {
    const [depth, className, id, text, description] = node;
    const shown = id || text || description;
    if (!shown) continue;
    const key = id ? `${className} ${id}` : `${depth} ${className} ${text || description}`;
    const number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    keys.set(`${key} ${number}`, node);
  }
  return keys;
}

function differences(before: NodeData, after: NodeData): string[] {
  const lines: string[] = [];
  const label = (node: NodeData) => node[3] || node[4];
  if (label(before) !== label(after)) {
    lines.push(`text of ${nodeName(withoutLabel(before))}: “${label(before)}” → “${label(after)}”`);
  }
  for (const [bit, name] of FLAG_NAMES.entries()) {
    const mask = 1 << bit;
    if (TOLD_FLAGS.includes(name) && (before[5] & mask) !== (after[5] & mask)) {
      lines.push(`${nodeName(after)}: ${(after[5] & mask) !== 0 ? name : `no longer ${name}`}`);
    }
  }
  return lines;
}

function withoutLabel(node: NodeData): NodeData {
  const bare: NodeData = [...node];
  bare[3] = '';
  bare[4] = '';
  return bare;
}
