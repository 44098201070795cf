// The UI tree of a screen as a list, and the attributes of one node.

import { flagNames, nodeName, type NodeData, type ScreenData } from './data';

const MOST_NODES = 1_500;

interface TreeProps {
  screen: ScreenData;
  selected: number | null;
  onSelect: (node: number) => void;
}

export function Tree({ screen, selected, onSelect }: TreeProps) {
  const left = screen.nodes.length - MOST_NODES;
  const windows = new Map<number, string>();
  let first = 0;
  for (const [kind, title, nodes] of screen.windows) {
    windows.set(first, title ? `${kind}: ${title}` : kind);
    first += nodes;
  }
  return (
    <>
      <ol class="tree">
        {screen.nodes.slice(0, MOST_NODES).map((node, number) => (
          <li key={number}>
            {windows.has(number) && <p class="window">{windows.get(number)}</p>}
            <button
              type="button"
              style={{ paddingInlineStart: `${Math.min(node[0], 24) * 0.7 + 0.4}rem` }}
              aria-pressed={number === selected}
              onClick={() => onSelect(number)}
            >
              <bdi>{nodeName(node)}</bdi>
            </button>
          </li>
        ))}
      </ol>
      {left > 0 && <p class="note">{left} more nodes are in the files of the run.</p>}
    </>
  );
}

export function Attributes({ node }: { node: NodeData }) {
  const [, className, id, text, description, flags, left, top, right, bottom] = node;
  const rows: [string, string][] = [
    ['class', className],
    ['id', id],
    ['text', text],
    ['description', description],
    ['bounds', `${left}, ${top} to ${right}, ${bottom}`],
    ['state', flagNames(flags).join(', ')],
  ];
  return (
    <dl class="attributes">
      {rows.filter(([, value]) => value).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd><bdi>{value}</bdi></dd>
        </div>
      ))}
    </dl>
  );
}
