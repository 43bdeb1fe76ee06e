// Builds an index of the reader's files away from the page's thread.

import { buildIndex } from './ibid/build/builder.js';

self.addEventListener('message', async ({ data: documents }) => {
  try {
    const all = [];
    for (const document of documents) {
      all.push(document);
      if (/\.zip$/i.test(document.source)) all.push(...(await (await import('./zip.js')).pdfsIn(document)));
    }
    const unread = new Map();
    const read = [];
    for (const document of all) read.push(await withText(document, unread));
    const { index, report } = await buildIndex(read, {
      onProgress: (progress) => self.postMessage({ progress }),
    });
    const isTold = ({ source, message }) =>
      !(message.includes('it has no documents') && all.some((file) => file.source.startsWith(`${source}/`)));
    const skipped = report.skipped
      .filter(isTold)
      .map((file) => ({ ...file, message: unread.get(file.source) ?? file.message }));
    self.postMessage({ index, report: { ...report, skipped } }, [index.buffer]);
  } catch ({ message, hint }) {
    self.postMessage({ failed: [message, hint].filter(Boolean).join(' ') });
  }
});

/** A PDF with its text for its content; one that cannot be read is empty, and the reason is noted. */
async function withText(document, unread) {
  if (!/\.pdf$/i.test(document.source)) return document;
  try {
    const { pdfText } = await import('./pdf.js');
    return { ...document, content: await pdfText(document) };
  } catch ({ message }) {
    unread.set(document.source, message);
    return { ...document, content: '' };
  }
}
