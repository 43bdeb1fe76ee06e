import { fileURLToPath } from 'node:url';
import { addSearch } from 'ibid/site';

/** The integration that adds search to the built site: `integrations: [starlight({ … }), ibid()]`. */
export default function ibid(options) {
  const done = ({ dir }) => addSearch(fileURLToPath(dir), options);
  return { name: 'ibid', hooks: { 'astro:build:done': done } };
}
