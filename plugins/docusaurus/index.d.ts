import type { SiteOptions } from 'ibid/site';

/** The plug-in of Docusaurus that adds search to the built site: `plugins: ['ibid-docusaurus']`. */
export default function ibid(
  context: unknown,
  options: SiteOptions & { id?: string },
): { name: string; postBuild(site: { outDir: string }): Promise<void> };
