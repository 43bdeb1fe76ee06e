/** A question of somebody who is new to ibid: the pages that answer it, and words that an answer has. */
export interface Newcomer {
  question: string;
  pages: string[];
  says: RegExp;
}

const row = (question: string, pages: string, says: RegExp): Newcomer => ({
  question,
  // Common questions stand there.
  pages: [...pages.split(' '), 'start'],
  says,
});

/** Forty questions, written before they were tried. */
export const NEWCOMER: Newcomer[] = [
  row('How do I add search to my website?', 'start search-ui', /npx ibid|ibid-search|site\.js/),
  row('Does it need a server?', 'start privacy', /server|static|page/i),
  row('Which file formats can be indexed?', 'documents', /markdown|HTML|reStructuredText/i),
  row('Can I index Jupyter notebooks?', 'documents', /notebook|ipynb/i),
  row('How do I use it with VitePress?', 'start', /VitePress|buildEnd/),
  row('How do I add search to a MkDocs site?', 'start', /mkdocs|plugins/i),
  row('Does it work with Docusaurus?', 'start documents', /docusaurus/i),
  row('How do I install the JavaScript package with Vite?', 'search-ui start', /npm install|Vite/),
  row('Which bundlers are supported?', 'start', /Vite|webpack|Rollup/),
  row('Can I use it without a bundler?', 'start', /importmap|copy|without/i),
  row('What Content-Security-Policy do I need?', 'start privacy search-ui', /wasm-unsafe-eval/),
  row('Which HTTP headers must my host send?', 'start javascript', /access-control|range|content-range/i),
  row('How large can an index be?', 'javascript index-format start command-line', /MiB|parts|folder/),
  row('How do I update the index when documents change?', 'start command-line', /--update|update/),
  row('Which browsers are supported?', 'start', /Chrome|Firefox|Safari/),
  row('How do I change the colours of the search box?', 'search-ui', /--ibid-accent|custom propert/i),
  row('In which languages is the interface?', 'search-ui', /Arabic|German|languages/),
  row('Can visitors search in German?', 'searching start', /German|language|multilingual/i),
  row('How do I turn off the recent searches?', 'search-ui', /history/),
  row('Which keyboard shortcut opens the search?', 'search-ui', /Ctrl-K|\//),
  row('How do I get answers with OpenAI?', 'providers start asking javascript', /openai|llm|gpt/i),
  row('Can I use Ollama?', 'providers', /Ollama/i),
  row('Where is my API key stored?', 'privacy providers', /memory|key/i),
  row('What is sent to the language model?', 'privacy asking', /question|passages|leaves/i),
  row('Does it work offline?', 'javascript', /offline|persist|network|cache/i),
  row('What happens if no model is configured?', 'asking search-ui start', /passages|word for word|verbatim/i),
  row('How are citations checked?', 'checking-answers asking', /claim|passage|source/i),
  row('What does the relevance of a hit mean?', 'javascript searching', /0\.5|relevan/i),
  row('How do I filter results by year?', 'searching javascript', /filter|gte|year/),
  row('How do I show facets?', 'search-ui javascript searching', /facets/),
  row('How do I measure search quality?', 'measuring', /ibid eval|questions/),
  row('How do I hide personal data from the model?', 'privacy', /placeholder|redact|NAME_1|pii/i),
  row('How do I use it with the AI SDK useChat hook?', 'integrations', /useChat|transport/i),
  row('Can Claude Code use my index?', 'integrations', /claude mcp|MCP/),
  row('What is a chunk?', 'documents', /passage|chunk/i),
  row('How do I set the title of a document?', 'documents start', /title|front matter/i),
  row('How do I exclude pages from the index?', 'documents site-settings', /noindex|left out|data-/i),
  row('How do I use my own embedding model?', 'searching', /Embedder|embed/),
  row('How do I search the index from the command line?', 'command-line', /ibid search/),
  row('How do I use Qdrant instead of a file?', 'large-collections', /qdrant/i),
];
