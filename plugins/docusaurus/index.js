import { addSearch } from 'ibid/site';

/** The plug-in of Docusaurus that adds search to the built site: `plugins: ['ibid-docusaurus']`. */
export default function ibid(_context, { id: _, ...options }) {
  return { name: 'ibid', postBuild: ({ outDir }) => addSearch(outDir, options) };
}
