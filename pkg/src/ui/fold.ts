import { el } from './dom.js';

/** The most characters of quotes that are shown at once: some 80 words. */
const MOST = 500;

/** The most characters of a block that is only the mark of a source. */
const MARK = 4;

/**
 * Hides what long quotes have behind their first 80 words, and returns the button that shows it; nothing for short ones. The first
 * block is shown whatever its length, of a list or table the first items that fit.
 */
export function fold(place: Element, label: string): HTMLElement | undefined {
  const hidden: HTMLElement[] = [];
  let length = 0;
  let before: HTMLElement | undefined;
  for (const block of place.querySelectorAll<HTMLElement>(':scope > *')) {
    const parts = block.matches('ul, ol, table')
      ? [...block.querySelectorAll<HTMLElement>(':scope > li, tr')]
      : [block];
    const isMark = block.textContent.trim().length < MARK;
    for (const part of parts) {
      const own = part.textContent.length;
      const isOver = isMark ? before?.hidden === true : length > 0 && (hidden.length > 0 || length + own > MOST);
      if (isOver) hidden.push(part);
      part.hidden = isOver;
      if (!/^H\d/.test(part.tagName)) length += own;
    }
    if (parts.every((part) => part.hidden)) {
      hidden.push(block);
      block.hidden = true;
      // The place of a quote goes with it.
      if (before !== undefined && /^H\d/.test(before.tagName) && !before.hidden) {
        hidden.push(before);
        before.hidden = true;
      }
    }
    before = block;
  }
  if (hidden.length === 0) return undefined;
  const button = el('button', { type: 'button', class: 'plain', part: 'unfold' }, label);
  button.addEventListener('click', () => {
    for (const part of hidden) part.hidden = false;
    button.remove();
  });
  return button;
}
