// The reader's own files: read, cut and embedded in this page, and searched instead of the sample.

const byId = (id) => document.getElementById(id);
const status = byId('own-status');
const picker = byId('files');

/** Makes the drop zone work; what is dropped there, the two elements search. */
export function setUpOwnFiles(search, ask) {
  const drop = byId('drop');
  /** The bytes of the index that was built last. */
  let built = null;

  picker.addEventListener('change', () => take([...picker.files]));
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
  drop.addEventListener('drop', ({ dataTransfer }) => take([...dataTransfer.files]));
  byId('save').addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([built]));
    const link = Object.assign(document.createElement('a'), { href: address, download: 'site.ibid' });
    link.click();
    URL.revokeObjectURL(address);
  });
  byId('back').addEventListener('click', () => {
    show(undefined);
    status.textContent = 'The sample is searched again.';
  });

  async function take(files) {
    if (files.length === 0) return;
    picker.disabled = true;
    try {
      const made = await build(files);
      built = made.index;
      const { Ibid } = await import('./ibid/index.js');
      const own = await Ibid.load({ index: built });
      show(own);
      status.textContent = told(own.info, made.report);
    } catch (error) {
      status.textContent = [error.message, error.hint].filter(Boolean).join(' ');
    } finally {
      picker.disabled = false;
      picker.value = '';
    }
  }

  function show(ibid) {
    search.ibid = ibid;
    ask.ibid = ibid;
    byId('own-tools').hidden = ibid === undefined;
    search.open('');
  }
}

async function build(files) {
  status.textContent = 'Loading …';
  const { buildIndex } = await import('./ibid/build/builder.js');
  const documents = files.map((file) => ({ source: file.webkitRelativePath || file.name, content: file }));
  const made = await buildIndex(documents, {
    onProgress: ({ phase, done, total }) => {
      status.textContent = `${phase === 'chunk' ? 'Reading' : 'Embedding'}: ${done} of ${total}`;
    },
  });
  if (made.report.documents.length > 0) return made;
  const [{ source, message }] = made.report.skipped;
  throw new Error(`None of these files could be read. ${source}: ${message}`);
}

function told({ documents, chunks }, { skipped }) {
  const left = skipped.map(({ source, message }) => `Left out: ${source}. ${message}`);
  const read = `Documents: ${documents}, passages: ${chunks}. Search and ask them above.`;
  return [read, ...left].join(' ');
}
