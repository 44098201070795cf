// The step viewer: one step of a finding's trace, its screen before and after, the widget, the UI tree, what changed.

import { useEffect, useRef, useState } from 'preact/hooks';
import { changes } from './changes';
import { nodeName, type FindingData, type PageData } from './data';
import { drawingOf, Picture } from './picture';
import { Attributes, Tree } from './tree';

interface ViewerProps {
  data: PageData;
  finding: FindingData;
  article: Element;
  step: number;
  onStep: (step: number) => void;
  onClose: () => void;
}

export function Viewer({ data, finding, article, step, onStep, onClose }: ViewerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const last = finding.steps.length;
  const goTo = (wanted: number) => onStep(Math.min(Math.max(wanted, 0), last));
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last }[event.key];
    if (wanted === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goTo(wanted);
  };
  return (
    <dialog class="viewer" ref={dialog} aria-label={`Steps to ${finding.title}`} onClose={onClose} onKeyDown={onKeyDown}>
      <header>
        <h2><bdi>{finding.title}</bdi></h2>
        <p class="moves">
          <button type="button" aria-disabled={step === 0} onClick={() => goTo(step - 1)}>← Previous</button>
          <span aria-live="polite">{step < last ? `Step ${step + 1} of ${last}` : 'The finding'}</span>
          <button type="button" aria-disabled={step === last} onClick={() => goTo(step + 1)}>Next →</button>
          <button type="button" onClick={() => dialog.current?.close()}>Close</button>
        </p>
      </header>
      <Timeline finding={finding} article={article} step={step} onStep={goTo} />
      <StepPanel key={step} data={data} finding={finding} article={article} step={step} />
    </dialog>
  );
}

interface TimelineProps {
  finding: FindingData;
  article: Element;
  step: number;
  onStep: (step: number) => void;
}

function Timeline({ finding, article, step, onStep }: TimelineProps) {
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [step]);
  const words = [...finding.steps.map((one) => one.words), finding.title];
  return (
    <nav aria-label="Steps">
      <ol class="timeline">
        {words.map((text, number) => (
          <li key={number} ref={number === step ? current : null}>
            <button
              type="button"
              aria-current={number === step ? 'step' : undefined}
              onClick={() => onStep(number)}
              title={text}
            >
              {drawingOf(article, number) ? <Picture article={article} step={number} screen={undefined} /> : null}
              <span class="number">{number < finding.steps.length ? number + 1 : '✗'}</span>
              <span class="words"><bdi>{text}</bdi></span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface PanelProps {
  data: PageData;
  finding: FindingData;
  article: Element;
  step: number;
}

function StepPanel({ data, finding, article, step }: PanelProps) {
  const current = finding.steps[step];
  const before = screenAt(data, finding, step);
  const after = screenAt(data, finding, step + 1);
  const [selected, select] = useState<number | null>(current?.node ?? null);
  const node = selected === null ? undefined : before?.nodes[selected];
  return (
    <div class="panel">
      <div class="stage" tabIndex={0} role="region" aria-label="Screens">
        <figure>
          <figcaption>{current ? 'Before' : 'Last screen before the finding was reported'}</figcaption>
          <Picture article={article} step={step} screen={before} node={selected} />
        </figure>
        {current && (
          <figure>
            <figcaption>After</figcaption>
            <Picture article={article} step={step + 1} screen={after} untouched />
          </figure>
        )}
      </div>
      <div class="details" tabIndex={0} role="region" aria-label="Details of the step">
        <h3><bdi>{current ? current.words : finding.title}</bdi></h3>
        {current?.recorded && <p class="note">recorded on <bdi>{current.recorded}</bdi></p>}
        {current?.at != null && <p class="note">recorded {(current.at / 1000).toFixed(1)} s after the start</p>}
        {before?.activity && <p class="note">in <bdi>{before.activity}</bdi></p>}
        {node && (
          <section>
            <h4>{selected === current?.node ? 'Widget' : 'Selected node'}: <bdi>{nodeName(node)}</bdi></h4>
            <Attributes node={node} />
          </section>
        )}
        {before && after && <Changes lines={changes(before, after)} />}
        {before && (
          <section>
            <h4>UI tree</h4>
            <Tree screen={before} selected={selected} onSelect={select} />
          </section>
        )}
        {finding.original.length > 0 && <Original finding={finding} />}
      </div>
    </div>
  );
}

function Changes({ lines: { lines, more } }: { lines: { lines: string[]; more: number } }) {
  return (
    <section>
      <h4>What changed</h4>
      {lines.length === 0 ? <p class="note">Nothing that can be seen.</p> : (
        <ul class="changes">{lines.map((line, number) => <li key={number}><bdi>{line}</bdi></li>)}</ul>
      )}
      {more > 0 && <p class="note">and {more} more</p>}
    </section>
  );
}

function Original({ finding }: { finding: FindingData }) {
  const removed = finding.original.filter((step) => !step.kept).length;
  return (
    <details>
      <summary>Original trace: {finding.original.length} steps, {removed} removed</summary>
      <ol class="original">
        {finding.original.map((step, number) => (
          <li key={number} class={step.kept ? 'kept-step' : 'removed-step'}>
            {step.kept ? <bdi>{step.words}</bdi> : <del><bdi>{step.words}</bdi></del>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function screenAt(data: PageData, finding: FindingData, step: number) {
  const number = step < finding.steps.length ? finding.steps[step]?.screen : step === finding.steps.length ? finding.last : null;
  return number == null ? undefined : data.screens[number];
}
