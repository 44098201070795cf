// Puts the step viewer on a report that is readable without it.

import { render } from 'preact';
import { formatAddress, parseAddress, type StepAddress } from './address';
import { readData, type FindingData, type PageData } from './data';
import { Viewer } from './viewer';

function start(data: PageData) {
  const root = document.createElement('div');
  document.body.append(root);
  /** Element that gets the focus back when the viewer closes. */
  let opener: HTMLElement | null = null;

  const show = (address: StepAddress | null) => {
    const finding = data.findings.find((one) => one.anchor === address?.anchor);
    const article = address && document.getElementById(address.anchor);
    if (!address || !finding || !article) {
      render(null, root);
      opener?.focus();
      opener = null;
      return;
    }
    const step = Math.min(address.step, finding.steps.length);
    render(
      <Viewer
        key={finding.anchor}
        data={data}
        finding={finding}
        article={article}
        step={step}
        onStep={(next) => move({ anchor: finding.anchor, step: next })}
        onClose={() => move(null)}
      />,
      root,
    );
  };
  const move = (address: StepAddress | null) => {
    // Within the viewer, Back leaves it instead of walking through the steps.
    history.replaceState(null, '', address ? formatAddress(address) : location.pathname + location.search);
    show(address);
  };
  const open = (from: HTMLElement, address: StepAddress) => {
    opener = from;
    history.pushState(null, '', formatAddress(address));
    show(address);
  };

  for (const finding of data.findings) addOpeners(finding, open);
  addEventListener('hashchange', () => show(parseAddress(location.hash)));
  addEventListener('popstate', () => show(parseAddress(location.hash)));
  show(parseAddress(location.hash));
}

/** A button above the strip, and a click on each of its pictures. */
function addOpeners(finding: FindingData, open: (from: HTMLElement, address: StepAddress) => void) {
  const strip = document.getElementById(finding.anchor)?.querySelector('ol.strip');
  if (!strip) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'open-viewer';
  button.textContent = 'Step through it';
  button.addEventListener('click', () => open(button, { anchor: finding.anchor, step: 0 }));
  strip.before(button);
  for (const item of strip.querySelectorAll<HTMLElement>('li[data-step]')) {
    const picture = item.querySelector('svg.phone');
    picture?.addEventListener('click', () => open(button, { anchor: finding.anchor, step: Number(item.dataset['step']) }));
  }
}

const data = readData(document.getElementById('retap-data'));
if (data) start(data);
