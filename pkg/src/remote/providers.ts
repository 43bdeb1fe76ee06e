// Written by `IBID_WRITE=1 cargo test --test providers` from the table of providers in Rust.
import type { ServiceRow } from './service-row.js';

/**
 * The provider of a model, by whose interface and at whose address it is called. `openai` is Chat Completions, which
 * most other servers speak too; with a `baseURL` it reaches any of them.
 */
export type ProviderName =
  | 'openai'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'openrouter'
  | 'groq'
  | 'mistral'
  | 'deepseek'
  | 'xai'
  | 'together'
  | 'ollama'
  | 'lmstudio'
  | 'llamacpp'
  | 'vllm';

/** A service that embeds. `openai` is also whatever speaks its format at another address. */
export type EmbeddingProvider =
  | 'openai'
  | 'gemini'
  | 'cohere'
  | 'voyage'
  | 'jina'
  | 'openrouter'
  | 'mistral'
  | 'together'
  | 'ollama'
  | 'lmstudio'
  | 'llamacpp'
  | 'vllm';

/** A service that reranks. */
export type RerankProvider = 'cohere' | 'voyage' | 'jina' | 'llamacpp';

/** The services that embed and rerank. */
export const SERVICES: Record<EmbeddingProvider, ServiceRow> = {
  openai: { name: 'OpenAI', baseURL: 'https://api.openai.com/v1' },
  gemini: {
    name: 'Gemini',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    keyHeader: 'x-goog-api-key',
    api: 'gemini',
    dimensions: 'outputDimensionality',
    task: ['taskType', 'RETRIEVAL_DOCUMENT', 'RETRIEVAL_QUERY'],
  },
  cohere: {
    name: 'Cohere',
    baseURL: 'https://api.cohere.com/v2',
    api: 'cohere',
    dimensions: 'output_dimension',
    batchSize: 96,
    task: ['input_type', 'search_document', 'search_query'],
    reranking: { limit: 'top_n', results: 'results' },
  },
  voyage: {
    name: 'Voyage',
    baseURL: 'https://api.voyageai.com/v1',
    dimensions: 'output_dimension',
    task: ['input_type', 'document', 'query'],
    reranking: { limit: 'top_k', results: 'data', omitsTexts: true },
  },
  jina: {
    name: 'Jina',
    baseURL: 'https://api.jina.ai/v1',
    task: ['task', 'retrieval.passage', 'retrieval.query'],
    reranking: { limit: 'top_n', results: 'results', omitsTexts: true },
  },
  openrouter: { name: 'OpenRouter', baseURL: 'https://openrouter.ai/api/v1' },
  mistral: { name: 'Mistral', baseURL: 'https://api.mistral.ai/v1', dimensions: 'output_dimension' },
  together: { name: 'Together', baseURL: 'https://api.together.xyz/v1' },
  ollama: { name: 'Ollama', baseURL: 'http://localhost:11434', api: 'ollama' },
  lmstudio: { name: 'LM Studio', baseURL: 'http://localhost:1234/v1' },
  llamacpp: {
    name: 'llama.cpp',
    baseURL: 'http://localhost:8080/v1',
    reranking: { limit: 'top_n', results: 'results', hasOneModel: true },
  },
  vllm: { name: 'vLLM', baseURL: 'http://localhost:8000/v1' },
};
