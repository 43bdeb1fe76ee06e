// Keeps the site on the reader's device, who asks for it: then it works without a network, and can be installed.

const CACHE = 'ibid-site';
/** What is kept, and of which version. */
const KEPT = 'kept.json';

/** Makes the button that keeps the whole site. */
export async function setUpOffline(button, status) {
  if (!('serviceWorker' in navigator)) return;
  renew().catch(() => {});
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await keep('site', (done, total) => {
        status.textContent = `Keeping: ${done} of ${total} files`;
      });
      status.textContent = 'This site now works offline.';
    } catch {
      status.textContent = 'The site could not be stored. Is there room on this device?';
      button.disabled = false;
    }
  });
}

/** Keeps the files of a list of `offline.json`: `code`, or `site` for everything. */
export async function keep(list, onProgress = () => {}) {
  if (!('caches' in window)) return;
  // It answers where the network does not. A page that keeps nothing needs none.
  await navigator.serviceWorker?.register('sw.js');
  const [lists, cache] = await Promise.all([published(), caches.open(CACHE)]);
  const files = lists[list];
  let done = 0;
  // A few at a time: hosts limit the requests that one visitor makes at once.
  const queue = [...files];
  const next = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      await cache.add(file);
      done += 1;
      onProgress(done, files.length);
    }
  };
  await Promise.all(Array.from({ length: 6 }, next));
  await cache.put(KEPT, Response.json({ list, version: lists.version }));
}

async function published() {
  return (await fetch('offline.json', { cache: 'no-cache' })).json();
}

/** Keeps the site anew if it has been published since. */
async function renew() {
  if (!('caches' in window) || !(await caches.has(CACHE))) return;
  const kept = await (await caches.open(CACHE)).match(KEPT);
  if (kept === undefined) return;
  const { list, version } = await kept.json();
  if (version !== (await published()).version) await keep(list);
}
