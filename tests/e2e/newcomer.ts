/** A question of somebody who is new to ibid: the pages that answer it, and words that an answer has. */
export interface Newcomer {
  question: string;
  pages: string[];
  says: RegExp;
}

const row = (question: string, pages: string, says: RegExp): Newcomer => ({
  question,
  pages: [...pages.split(' '), 'questions'],
  says,
});

/** Forty questions, written before they were tried. */
export const NEWCOMER: Newcomer[] = [
  row('How do I add search to my website?', 'sites search-ui getting-started', /npx ibid|ibid-search|site\.js/),
  row('Does it need a server?', 'getting-started sites security', /server|static|page/i),
  row('Which file formats can be indexed?', 'documents', /markdown|HTML|reStructuredText/i),
  row('Can I index Jupyter notebooks?', 'documents', /notebook|ipynb/i),
  row('How do I use it with VitePress?', 'sites', /VitePress|buildEnd/),
  row('How do I add search to a MkDocs site?', 'sites', /mkdocs|plugins/i),
  row('Does it work with Docusaurus?', 'sites documents', /docusaurus/i),
  row('How do I install the JavaScript package with Vite?', 'search-ui bundlers', /npm install|Vite/),
  row('Which bundlers are supported?', 'bundlers', /Vite|webpack|Rollup/),
  row('Can I use it without a bundler?', 'bundlers', /importmap|copy|without/i),
  row('What Content-Security-Policy do I need?', 'bundlers security search-ui', /wasm-unsafe-eval/),
  row('Which HTTP headers must my host send?', 'bundlers javascript', /access-control|range|content-range/i),
  row('How large can an index be?', 'javascript index-format sites command-line', /MiB|parts|folder/),
  row('How do I update the index when documents change?', 'getting-started command-line', /--update|update/),
  row('Which browsers are supported?', 'getting-started', /Chrome|Firefox|Safari/),
  row('How do I change the colours of the search box?', 'search-ui', /--ibid-accent|custom propert/i),
  row('In which languages is the interface?', 'search-ui', /Arabic|German|languages/),
  row('Can visitors search in German?', 'retrieval embedding getting-started lexical', /German|language|multilingual/i),
  row('How do I turn off the recent searches?', 'search-ui', /history/),
  row('Which keyboard shortcut opens the search?', 'search-ui', /Ctrl-K|\//),
  row('How do I get answers with OpenAI?', 'providers getting-started asking javascript', /openai|llm|gpt/i),
  row('Can I use Ollama?', 'providers', /Ollama/i),
  row('Where is my API key stored?', 'security providers', /memory|key/i),
  row('What is sent to the language model?', 'security privacy asking', /question|passages|leaves/i),
  row('Does it work offline?', 'javascript', /offline|persist|network|cache/i),
  row(
    'What happens if no model is configured?',
    'asking search-ui getting-started',
    /passages|word for word|verbatim/i,
  ),
  row('How are citations checked?', 'verification asking citations', /claim|passage|source/i),
  row('What does the relevance of a hit mean?', 'javascript retrieval', /0\.5|relevan/i),
  row('How do I filter results by year?', 'filters javascript', /filter|gte|year/),
  row('How do I show facets?', 'search-ui javascript filters', /facets/),
  row('How do I measure search quality?', 'evaluation', /ibid eval|questions/),
  row('How do I hide personal data from the model?', 'privacy security', /placeholder|redact|NAME_1|pii/i),
  row('How do I use it with the AI SDK useChat hook?', 'ai-sdk', /useChat|transport/i),
  row('Can Claude Code use my index?', 'mcp', /claude mcp|MCP/),
  row('What is a chunk?', 'chunking', /passage|chunk/i),
  row('How do I set the title of a document?', 'documents getting-started', /title|front matter/i),
  row('How do I exclude pages from the index?', 'documents', /noindex|left out|data-/i),
  row('How do I use my own embedding model?', 'embedding', /Embedder|embed/),
  row('How do I search the index from the command line?', 'command-line', /ibid search/),
  row('How do I use Qdrant instead of a file?', 'engines', /qdrant/i),
];
