// The text of a PDF, as markdown with a section for each page. pdf.js reads it, of which `unpdf` is a build in one file; it is
// fetched with the first PDF.

import { getDocument } from './pdfjs/pdfjs.js';

/** Lines this many times their height apart are paragraphs of their own. */
const APART = 1.7;

/** Throws where a file is none, needs a password, or holds nothing but images. */
export async function pdfText({ source, content }) {
  const data = new Uint8Array(await content.arrayBuffer());
  const reading = getDocument({ data, isEvalSupported: false, disableFontFace: true, verbosity: 0 });
  const sections = [];
  try {
    const pdf = await reading.promise;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      const text = paragraphs(items).join('\n\n');
      if (text !== '') sections.push(`## Page ${number}\n\n${text}`);
    }
  } finally {
    await reading.destroy();
  }
  if (sections.length === 0) throw new Error('It holds no text: its pages are images.');
  const title = source
    .split('/')
    .at(-1)
    .replace(/\.pdf$/i, '');
  return [`# ${title}`, ...sections].join('\n\n');
}

/** Pieces of text with their places become paragraphs; words that a line's end divides are whole again. */
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
    else if (/\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(plain)) all[all.length - 1] = before.slice(0, -1) + plain;
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
