/** `ibid/remote`: services that embed and rerank, for `queryEncoder`, `add` and the option `rerank` of a search. */
export type { Embedder, EmbeddingTask } from '../encoder/types.js';
export { type RemoteEmbedderOptions, remoteEmbedder } from './embedder.js';
export type { ServiceOptions } from './http.js';
export type { EmbeddingProvider, RerankProvider } from './providers.js';
export { type RemoteRerankerOptions, type Rerank, remoteReranker } from './reranker.js';
