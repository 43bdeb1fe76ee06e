import { IbidError } from '../error.js';
import { array, fields, Service, type ServiceOptions } from './http.js';
import { type RerankProvider, SERVICES } from './providers.js';

/** The service that reranks, and its options. */
export interface RemoteRerankerOptions extends ServiceOptions {
  provider: RerankProvider;
  /** The model's name as the service spells it, such as `rerank-v3.5`. Default: for llama.cpp the one that it has. */
  model?: string | undefined;
}

/** A function for `rerank` of a search. */
export type Rerank = (query: string, texts: readonly string[], signal?: AbortSignal) => Promise<number[]>;

/**
 * Makes a function for the option `rerank` of a search, which asks a service. llama.cpp's server has to be started with
 * `--reranking`; its scores are a model's raw numbers, the others' are 0 to 1.
 *
 * Fails with the codes of providers (`provider-auth`, `provider-rate-limit`, ...), `network`, `timeout` or `aborted`. No
 * error holds the key.
 */
export function remoteReranker(options: RemoteRerankerOptions): Rerank {
  const { provider, model = '' } = options;
  const row = Object.hasOwn(SERVICES, provider) ? SERVICES[provider] : undefined;
  if (row?.reranking === undefined) {
    const known = Object.entries(SERVICES).filter(([, { reranking }]) => reranking !== undefined);
    throw new IbidError('invalid-option', `There is no provider \`${String(provider)}\` that reranks.`, {
      hint: `It is one of ${known.map(([id]) => id).join(', ')}.`,
    });
  }
  const { limit, results, omitsTexts, hasOneModel } = row.reranking;
  const name = model.trim();
  if (name === '' && !hasOneModel) {
    throw new IbidError('invalid-option', '`model` is not the name of a reranking model.');
  }
  const service = new Service(row, '/rerank', options);
  return async (query, texts, signal) => {
    if (texts.length === 0) return [];
    const body = {
      ...(name !== '' && { model: name }),
      query,
      documents: texts,
      // All scores are wanted, and none of the texts back.
      [limit]: texts.length,
      ...(omitsTexts && { return_documents: false }),
    };
    const scores = (response: unknown) => scoresOf(array(fields(response)[results]), texts.length);
    return await service.post(body, scores, signal);
  };
}

/**
 * Reads the scores of all texts, in their order; one that was left out is below all others, and those keep their order.
 */
function scoresOf(results: readonly unknown[], count: number): number[] | string {
  if (results.length === 0) return 'it has no results';
  const scores = new Map<number, number>();
  for (const result of results) {
    const { index, relevance_score: score } = fields(result);
    if (typeof score !== 'number' || !Number.isFinite(score)) return 'a result has no score';
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) {
      return 'a result matches no text that was sent';
    }
    scores.set(index, score);
  }
  const least = Math.min(...scores.values());
  return Array.from({ length: count }, (_, at) => scores.get(at) ?? least - 1 - at);
}
