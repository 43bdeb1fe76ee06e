// Files and folders that were dropped, as the files in them.

/** Returns the files with their paths, `{ path, file }`, folders within folders included; hidden ones are passed over. */
export async function droppedFiles({ items, files }) {
  // The entries are gone as soon as the event is over: all are taken before the first wait.
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...files].map((file) => ({ path: file.name, file }));
  const found = [];
  while (entries.length > 0) {
    const entry = entries.shift();
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory) entries.push(...(await children(entry)));
    else
      found.push({
        path: entry.fullPath.replace(/^\//, ''),
        file: await new Promise((...ends) => entry.file(...ends)),
      });
  }
  return found;
}

/** A reader gives some entries at a time, and none when it is done. */
async function children(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((...ends) => reader.readEntries(...ends));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
