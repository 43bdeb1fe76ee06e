/** The number of dimensions the vectors of well-known models have when they are not asked for fewer. */
const DIMENSIONS: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
  'gemini-embedding-001': 3072,
  'embed-v4.0': 1536,
  'embed-english-v3.0': 1024,
  'embed-multilingual-v3.0': 1024,
  'embed-english-light-v3.0': 384,
  'embed-multilingual-light-v3.0': 384,
  'voyage-4': 1024,
  'voyage-4-large': 1024,
  'voyage-4-lite': 1024,
  'voyage-3.5': 1024,
  'voyage-3.5-lite': 1024,
  'voyage-3-large': 1024,
  'voyage-code-3': 1024,
  'jina-embeddings-v3': 1024,
  'jina-embeddings-v4': 2048,
  'mistral-embed': 1024,
  'codestral-embed': 1536,
  'nomic-embed-text': 768,
  'mxbai-embed-large': 1024,
  'all-minilm': 384,
  'bge-m3': 1024,
};

/**
 * Looks up the dimensions that a model has on its own, if it is a well-known one, from any server: `openai/NAME`,
 * `NAME:latest`.
 */
export function ownDimensions(model: string): number | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/:latest$/, '');
  return Object.hasOwn(DIMENSIONS, name) ? DIMENSIONS[name] : undefined;
}
