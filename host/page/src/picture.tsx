// The picture of a screen: a copy of the drawing in the page, with a frame around one widget.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ScreenData } from './data';

const SVG = 'http://www.w3.org/2000/svg';

interface PictureProps {
  /** The article of the finding. */
  article: Element;
  /** Number of the step before which the screen was, from 0. */
  step: number;
  screen: ScreenData | undefined;
  /** Node to frame. */
  node?: number | null;
  /** Leaves out the touch of the step. */
  untouched?: boolean;
}

/** The drawing of a step's screen in the page. */
export function drawingOf(article: Element, step: number): SVGSVGElement | null {
  return article.querySelector<SVGSVGElement>(`ol.strip > li[data-step="${step}"] svg.phone`);
}

export function Picture({ article, step, screen, node, untouched }: PictureProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const drawing = drawingOf(article, step)?.cloneNode(true) as SVGSVGElement | undefined;
    if (untouched) drawing?.querySelector('.touch')?.remove();
    const frame = drawing && screen && node != null ? framed(drawing, screen, node) : null;
    if (frame) drawing!.append(frame);
    place.current?.replaceChildren(...(drawing ? [drawing] : []));
  }, [article, step, screen, node, untouched]);
  const drawn = drawingOf(article, step) !== null;
  return (
    <>
      <div class="picture" ref={place} />
      {!drawn && <div class="blank">No picture of this screen</div>}
    </>
  );
}

function framed(drawing: SVGSVGElement, screen: ScreenData, number: number): SVGRectElement | null {
  const node = screen.nodes[number];
  if (!node || screen.width === 0 || screen.height === 0) return null;
  const across = drawing.viewBox.baseVal.width / screen.width;
  const down = drawing.viewBox.baseVal.height / screen.height;
  const [, , , , , , left, top, right, bottom] = node;
  const rect = document.createElementNS(SVG, 'rect');
  rect.setAttribute('class', 'framed');
  rect.setAttribute('x', String(left * across));
  rect.setAttribute('y', String(top * down));
  rect.setAttribute('width', String(Math.max((right - left) * across, 1)));
  rect.setAttribute('height', String(Math.max((bottom - top) * down, 1)));
  return rect;
}
