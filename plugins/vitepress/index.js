import { addSearch } from 'ibid/site';

/** Makes the hook that adds search to the built site: `buildEnd: ibid()` in VitePress's configuration. */
export default function ibid(options) {
  return ({ outDir }) => addSearch(outDir, options);
}
