import type { Source } from '../ask/answer-types.js';
import { partialTree } from '../render/partial.js';
import { AnswerView } from '../render/view.js';
import type { Evidence } from './check.js';
import { el } from './dom.js';
import type { IbidElement } from './element.js';
import { sourceAddress, sourceTitle } from './sources.js';
import type { Turn } from './turn.js';
import { filled } from './words.js';

/** A passage, the evidence in it, and the objection to the sentence that cites it. */
interface Opened extends Partial<Evidence> {
  source?: Source | undefined;
  said?: string | undefined;
}

/** Opens a passage below the answer, and closes the one before. */
export function openPassage(
  { below, words }: Turn,
  owner: Pick<IbidElement, 'located'>,
  { source, marks = [], absent = [], said = '' }: Opened,
): void {
  const from = (below.getRootNode() as ShadowRoot).activeElement;
  below.querySelector('.passage')?.remove();
  const passage = el('div', { class: 'passage', part: 'passage', tabindex: '-1' });
  if (said !== '') passage.append(el('p', { class: 'problem' }, said));
  const text = el('div', { class: 'text answer', tabindex: '0' });
  if (source !== undefined) {
    const title = el('strong', {}, sourceTitle(source));
    text.setAttribute('aria-label', sourceTitle(source));
    text.setAttribute('role', 'region');
    const tree = partialTree(source.text, () => false);
    new AnswerView(text, { signs: false, headingLevel: 4 }).showComplete({ tree, sources: [], flags: marks });
    // The objection has named some already.
    const values = absent.filter((value) => !said.includes(value)).join(', ');
    passage.append(title, ...(values ? [el('p', { part: 'absent' }, filled(words.absent, { values }))] : []), text);
    const href = sourceAddress(owner.located(source));
    if (href !== null) passage.append(el('a', { href }, words.openPage));
  }
  const close = el('button', { type: 'button', class: 'plain' }, words.close);
  close.addEventListener('click', () => {
    passage.remove();
    (from as HTMLElement | null)?.focus();
  });
  passage.append(close);
  below.prepend(passage);
  passage.focus();
  // The sentence in its middle, without moving the page.
  const mark = text.querySelector('[data-kind~="evidence"]');
  if (mark)
    text.scrollTop += mark.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
}
