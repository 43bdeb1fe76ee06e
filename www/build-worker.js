// Builds an index of the reader's files away from the page's thread.

import { buildIndex } from './ibid/build/builder.js';

self.addEventListener('message', async ({ data: documents }) => {
  try {
    const { index, report } = await buildIndex(documents, {
      onProgress: (progress) => self.postMessage({ progress }),
    });
    self.postMessage({ index, report }, [index.buffer]);
  } catch ({ message, hint }) {
    self.postMessage({ failed: [message, hint].filter(Boolean).join(' ') });
  }
});
