import type { SiteOptions } from 'ibid/site';

/** The integration that adds search to the built site: `integrations: [starlight({ … }), ibid()]`. */
export default function ibid(options?: SiteOptions): {
  name: string;
  hooks: { 'astro:build:done'(site: { dir: URL }): Promise<void> };
};
