// The reader's own files: read, cut and embedded in this page, and searched instead of the sample.

import { droppedFiles } from './dropped.js';
import { keep } from './offline.js';

const byId = (id) => document.getElementById(id);
const status = byId('own-status');
const pickers = [byId('files'), byId('folder')];

/** Makes the drop zone work; what is dropped there, the two elements search. */
export function setUpOwnFiles(search, ask) {
  const drop = byId('drop');
  /** The bytes of the index that was built last. */
  let built = null;

  for (const picker of pickers) {
    picker.addEventListener('change', () => take(picker.files));
  }
  for (const [event, isOver] of [
    ['dragenter', true],
    ['dragover', true],
    ['dragleave', false],
    ['drop', false],
  ]) {
    drop.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      drop.classList.toggle('over', isOver);
    });
  }
  drop.addEventListener('drop', ({ dataTransfer }) => take(droppedFiles(dataTransfer)));
  byId('save').addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([built]));
    const link = Object.assign(document.createElement('a'), { href: address, download: 'site.ibid' });
    link.click();
    URL.revokeObjectURL(address);
  });
  byId('back').addEventListener('click', () => {
    show(undefined);
    status.textContent = 'Search is back on the sample.';
  });

  async function take(chosen) {
    for (const picker of pickers) picker.disabled = true;
    try {
      const documents = [...(await chosen)].map((file) => ({
        source: file.path ?? (file.webkitRelativePath || file.name),
        content: file.file ?? file,
      }));
      if (documents.length === 0) return;
      const { index, report } = await indexOf(documents);
      const { Ibid } = await import('./ibid/index.js');
      const own = await Ibid.load({ index });
      built = index;
      show(own);
      status.textContent = told(own.info, report);
      // Where the network is gone, they can still be asked.
      keep('code').catch(() => {});
    } catch (error) {
      status.textContent = [error.message, error.hint].filter(Boolean).join(' ');
    } finally {
      for (const picker of pickers) {
        picker.disabled = false;
        picker.value = '';
      }
    }
  }

  function show(ibid) {
    search.ibid = ibid;
    ask.ibid = ibid;
    byId('own-tools').hidden = ibid === undefined;
    search.open('');
  }
}

/** An index that was saved is opened; of all else one is built. */
async function indexOf(documents) {
  const [first] = documents;
  if (documents.length === 1 && first.source.endsWith('.ibid')) {
    return { index: new Uint8Array(await first.content.arrayBuffer()), report: { skipped: [] } };
  }
  status.textContent = 'Loading …';
  const made = await build(documents);
  if (made.report.documents.length > 0) return made;
  const [{ source, message }] = made.report.skipped;
  throw new Error(`None of these files could be read. ${source}: ${message}`);
}

function build(documents) {
  let worker;
  try {
    worker = new Worker(new URL('build-worker.js', import.meta.url), { type: 'module' });
  } catch (cause) {
    throw new Error('This page’s security policy allows no worker to read files.', { cause });
  }
  const made = new Promise((resolve, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message ?? 'The worker could not be loaded.')));
    worker.addEventListener('message', ({ data: { progress, failed, index, report } }) => {
      if (progress) {
        const { phase, done, total } = progress;
        status.textContent = `${phase === 'chunk' ? 'Reading' : 'Embedding'}: ${done} of ${total}`;
      } else if (failed) {
        reject(new Error(failed));
      } else if (index) {
        // pdf.js sends a message of its own from a worker.
        resolve({ index, report });
      }
    });
  });
  worker.postMessage(documents);
  return made.finally(() => worker.terminate());
}

/** The files that are named when they are left out; of more, their number. */
const NAMED = 5;

function told({ documents, chunks }, { skipped }) {
  const named = skipped.slice(0, NAMED).map(({ source, message }) => `Left out: ${source}. ${message}`);
  const rest = skipped.length > NAMED ? [`Left out besides: ${skipped.length - NAMED} files.`] : [];
  const read = `Documents: ${documents}, passages: ${chunks}. Search and ask them above.`;
  return [read, ...named, ...rest].join(' ');
}
