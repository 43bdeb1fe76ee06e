// The text of a PDF, as markdown with a section for each page. pdf.js reads it, of which `unpdf` is a build in one file; it is
// fetched with the first PDF.

import { getDocument } from './pdfjs/pdfjs.js';

/** Lines this many times their height apart are paragraphs of their own. */
const APART = 1.7;

/** Throws where a file is none, needs a password, or holds nothing but images. */
export async function pdfText({ source, content }) {
  const data = new Uint8Array(await content.arrayBuffer());
  const reading = getDocument({ data, isEvalSupported: false, disableFontFace: true, verbosity: 0 });
  const pages = [];
  try {
    const pdf = await reading.promise;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      pages.push(paragraphs(items).join('\n\n'));
    }
  } finally {
    await reading.destroy();
  }
  const join = hyphens(pages.join('\n'));
  const sections = pages.flatMap((text, index) => (text === '' ? [] : [`## Page ${index + 1}\n\n${join(text)}`]));
  if (sections.length === 0) throw new Error('It has no text: its pages are images.');
  const title = source
    .split('/')
    .at(-1)
    .replace(/\.pdf$/i, '');
  return [`# ${title}`, ...sections].join('\n\n');
}

/** Pieces of text with their places become paragraphs of lines. */
function paragraphs(items) {
  const all = [];
  let line = '';
  let last;
  let isApart = true;
  const end = () => {
    const text = line.replace(/\s+/g, ' ').trim();
    line = '';
    if (text === '') return;
    // A tag, a heading and a quotation would be markup, and are text; items of lists are what they seem.
    const plain = text.replace(/<(?=[a-z/!])(?!https?:)/gi, '\\<').replace(/^(?=[#>])/, '\\');
    const before = all.at(-1);
    if (isApart || before === undefined) all.push(plain);
    else all[all.length - 1] = `${before}\n${plain}`;
  };
  for (const { str, hasEOL, height, transform } of items) {
    if (str !== '' && line === '') {
      const y = transform[5];
      isApart = last === undefined || Math.abs(last.y - y) > APART * Math.max(height, last.height);
      last = { y, height };
    }
    line += str;
    if (hasEOL) end();
  }
  end();
  return all;
}

/** A hyphen at a line's end, between what it divides. */
const DIVIDED = /([\p{L}\p{N}]+)-\n([\p{L}\p{N}]+)/gu;
/** What goes on after a part that several words share: "short- and long-term". */
const SHARED = /^(?:and|or|to|und|oder|bis|et|ou|y|o|e|en|of)$/iu;

/**
 * Joins what line ends divide. The document itself tells whether a hyphen is the word's own: it stays if the word stands
 * with it elsewhere, or both its parts do as words, and nowhere without it. Before a capital or a digit it always stays.
 */
function hyphens(document) {
  const words = new Set(
    document
      .replace(DIVIDED, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu),
  );
  return (text) =>
    text.replace(DIVIDED, (_, start, rest) => {
      if (SHARED.test(rest)) return `${start}- ${rest}`;
      const [before, after] = [start.toLowerCase(), rest.toLowerCase()];
      const isOne = /\p{Ll}$/u.test(start) && /^\p{Ll}/u.test(rest);
      const isOwn = words.has(`${before}-${after}`) || (words.has(before) && words.has(after));
      return isOne && (words.has(before + after) || !isOwn) ? start + rest : `${start}-${rest}`;
    });
}
