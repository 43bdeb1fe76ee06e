// Lists the files of a built site that it needs without a network: node offline.mjs SITE. Writes SITE/offline.json.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const site = process.argv[2];
/** What the site never asks for: other languages, other searches, types, and the list itself. */
const LEFT_OUT =
  /\.(?:d\.ts|map)$|^(?:api|pagefind)\/|^ibid\/(?:engines|langchain|ai-sdk)\/|stem_|multilingual|ibid_engines|ibid(?:_ask)?_whole|LICENSE|NOTICE|^404|^offline\.json|^sw\.js/;
const CODE = /^ibid\/|^[^/]+\.(?:html|js|css|svg|webmanifest)$/;

const files = readdirSync(site, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(site, '/').length))
  .filter((file) => !LEFT_OUT.test(file))
  .sort();
const hash = createHash('sha256');
for (const file of files) hash.update(file).update(readFileSync(join(site, file)));
// A visitor's address of a page has its folder alone.
const folders = files
  .filter((file) => file.endsWith('index.html'))
  .map((file) => `./${file.replace(/index\.html$/, '')}`);
const lists = {
  version: hash.digest('base64url').slice(0, 16),
  code: ['./', ...files.filter((file) => CODE.test(file))],
  site: [...folders, ...files],
};
writeFileSync(join(site, 'offline.json'), JSON.stringify(lists));
