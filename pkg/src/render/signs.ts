// Signs are drawn, not written: they are no part of the text when that is copied or read, and their form tells them apart
// where their colour does not.
import type { Flag } from '../ask/answer-types.js';
import type { Mark, RenderOptions } from './types.js';
import { describeMark } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Lines in a square of 16. */
const FORMS: Record<string, string> = {
  supported: 'M3 8.5l3.5 3.5L13 4.5',
  unsupported: 'M4 4l8 8M12 4l-8 8',
  uncited: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.8v.2',
};
const DOUBT = 'M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.2';

/** Lists the kinds of flags, each once. */
export function kindsOf(flags: readonly Flag[]): string {
  return [...new Set(flags.map(({ kind }) => kind))].join(' ');
}

/** Finds the place where the words of a mark begin, by which its sign is found. */
export function startOf({ claim, flags }: Mark): number {
  return claim?.start ?? flags[0]?.span.start ?? 0;
}

/** Makes the sign of a mark: a button where something happens when it is chosen, else an image. */
export function signOf(
  mark: Mark,
  document: Document,
  { onMark, describe = describeMark }: RenderOptions,
): HTMLElement {
  const status = mark.claim?.check?.status ?? 'doubt';
  const said = describe(mark);
  const sign = document.createElement(onMark === undefined ? 'span' : 'button');
  sign.className = 'ibid-sign';
  sign.setAttribute('data-status', status);
  sign.setAttribute('data-start', String(startOf(mark)));
  if (mark.flags.length > 0) sign.setAttribute('data-flags', kindsOf(mark.flags));
  sign.title = said;
  sign.setAttribute('aria-label', said);
  if (onMark === undefined) sign.setAttribute('role', 'img');
  else {
    sign.setAttribute('type', 'button');
    sign.addEventListener('click', () => onMark(mark));
  }
  sign.append(drawn(FORMS[status] ?? DOUBT, document));
  return sign;
}

function drawn(form: string, document: Document): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const attributes = { viewBox: '0 0 16 16', width: '0.8em', height: '0.8em', fill: 'none', stroke: 'currentColor' };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  svg.setAttribute('stroke-width', '2');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', form);
  svg.append(path);
  return svg;
}
