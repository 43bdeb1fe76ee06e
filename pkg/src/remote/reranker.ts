import { IbidError } from '../error.js';
import { array, fields } from './embedding-wire.js';
import { type Provider, Service, type ServiceOptions } from './http.js';

/** A service that reranks. */
export type RerankProvider = 'cohere' | 'jina' | 'voyage' | 'llamacpp';

/** Which service reranks, and how. */
export interface RemoteRerankerOptions extends ServiceOptions {
  provider: RerankProvider;
  /** The model's name as the service spells it, such as `rerank-v3.5`. Default: for llama.cpp the one that it has. */
  model?: string | undefined;
}

/** What `rerank` of a search takes. */
export type Rerank = (query: string, texts: readonly string[], signal?: AbortSignal) => Promise<number[]>;

const PROVIDERS: Record<RerankProvider, Provider> = {
  cohere: { name: 'Cohere', baseURL: 'https://api.cohere.com/v2' },
  jina: { name: 'Jina', baseURL: 'https://api.jina.ai/v1' },
  voyage: { name: 'Voyage', baseURL: 'https://api.voyageai.com/v1' },
  llamacpp: { name: 'llama.cpp', baseURL: 'http://localhost:8080/v1' },
};

/**
 * A function for the option `rerank` of a search, which asks a service. llama.cpp's server has to be started with
 * `--reranking`; its scores are a model's raw numbers, the others' are 0 to 1.
 *
 * Fails with the codes of providers (`provider-auth`, `provider-rate-limit`, ...), `network`, `timeout` or `aborted`. No
 * error holds the key.
 */
export function remoteReranker(options: RemoteRerankerOptions): Rerank {
  const { provider, model = '' } = options;
  if (!Object.hasOwn(PROVIDERS, provider)) {
    throw new IbidError('invalid-option', `There is no provider \`${String(provider)}\` that reranks.`, {
      hint: `It is one of ${Object.keys(PROVIDERS).join(', ')}.`,
    });
  }
  const name = model.trim();
  if (name === '' && provider !== 'llamacpp') {
    throw new IbidError('invalid-option', '`model` is no name of a model that reranks.');
  }
  const service = new Service(PROVIDERS[provider], '/rerank', options);
  return async (query, texts, signal) => {
    if (texts.length === 0) return [];
    const body = {
      ...(name !== '' && { model: name }),
      query,
      documents: texts,
      // All scores are wanted, and none of the texts back.
      [provider === 'voyage' ? 'top_k' : 'top_n']: texts.length,
      ...((provider === 'jina' || provider === 'voyage') && { return_documents: false }),
    };
    const results = (response: unknown) => array(fields(response)[provider === 'voyage' ? 'data' : 'results']);
    return await service.post(body, (response) => scoresOf(results(response), texts.length), signal);
  };
}

/** The scores of all texts, in their order; one that was left out is below all others, and those keep their order. */
function scoresOf(results: readonly unknown[], count: number): number[] | string {
  if (results.length === 0) return 'it has no results';
  const scores = new Map<number, number>();
  for (const result of results) {
    const { index, relevance_score: score } = fields(result);
    if (typeof score !== 'number' || !Number.isFinite(score)) return 'a result has no score';
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) {
      return 'a result is of no text that was sent';
    }
    scores.set(index, score);
  }
  const least = Math.min(...scores.values());
  return Array.from({ length: count }, (_, at) => scores.get(at) ?? least - 1 - at);
}
