import type { SiteOptions } from 'ibid/site';

/** Makes the hook that adds search to the built site: `buildEnd: ibid()` in VitePress's configuration. */
export default function ibid(options?: SiteOptions): (site: { outDir: string }) => Promise<void>;
