/** `ibid/remote`: services that embed and rerank, for `queryEncoder`, `add` and the option `rerank` of a search. */
export type { Embedder, EmbeddingTask } from '../encoder/types.js';
export { type RemoteEmbedderOptions, remoteEmbedder } from './embedder.js';
export type { EmbeddingProvider } from './embedding-wire.js';
export type { ServiceOptions } from './http.js';
export { type RemoteRerankerOptions, type Rerank, type RerankProvider, remoteReranker } from './reranker.js';
