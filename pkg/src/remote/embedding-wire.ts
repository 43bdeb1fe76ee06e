import type { EmbeddingTask } from '../encoder/types.js';
import { IbidError } from '../error.js';
import { array, fields } from './http.js';
import { type EmbeddingProvider, SERVICES } from './providers.js';
import type { ServiceRow } from './service-row.js';

/** From texts to a request's body, and from a response's to vectors, as the Rust crate's `embed::remote` does. */
export class EmbeddingWire {
  readonly row: ServiceRow;
  readonly batchSize: number;
  readonly model: string;
  /** The path behind the base URL. */
  readonly path: string;
  /** The name of the space of the vectors: an index that the command has built has the same. */
  readonly space: string;

  constructor(kind: EmbeddingProvider, model: string) {
    if (!Object.hasOwn(SERVICES, kind)) {
      throw new IbidError('invalid-option', `There is no embedding provider \`${String(kind)}\`.`, {
        hint: `It is one of ${Object.keys(SERVICES).join(', ')}.`,
      });
    }
    this.row = SERVICES[kind];
    const { api, batchSize = 100 } = this.row;
    const name = typeof model === 'string' ? model.trim() : '';
    this.model = api === 'gemini' ? name.replace(/^models\//, '') : name;
    if (this.model === '' || (api === 'gemini' && !/^[\w.-]+$/.test(this.model))) {
      throw new IbidError('invalid-option', '`model` is not the name of an embedding model.');
    }
    this.batchSize = batchSize;
    this.space = `${kind}/${this.model}`;
    const paths = { gemini: `/models/${this.model}:batchEmbedContents`, cohere: '/embed', ollama: '/api/embed' };
    this.path = api === undefined ? '/embeddings' : paths[api];
  }

  body(texts: readonly string[], task: EmbeddingTask, dimensions: number | undefined): unknown {
    const { model } = this;
    const { api, dimensions: name = 'dimensions', task: words } = this.row;
    const more: Record<string, unknown> = {};
    // Jina's version 2 has one way to embed, and no adapter that a task would choose.
    if (words !== undefined && !model.startsWith('jina-embeddings-v2')) {
      more[words[0]] = task === 'document' ? words[1] : words[2];
    }
    if (dimensions !== undefined) more[name] = dimensions;
    if (api === 'gemini') {
      const request = (text: string) => ({ model: `models/${model}`, content: { parts: [{ text }] }, ...more });
      return { requests: texts.map(request) };
    }
    if (api === 'cohere') return { model, texts, embedding_types: ['float'], ...more };
    return { model, input: texts, ...more };
  }

  /** Reads the vectors in the order of the texts, or what is wrong with the response, as the end of a sentence. */
  vectors(response: unknown, count: number): number[][] | string {
    const { data, embeddings, error } = fields(response);
    const { float } = fields(embeddings);
    const { api } = this.row;
    const listed = api === 'cohere' ? (float ?? embeddings) : embeddings;
    const items = array(api === undefined ? data : listed);
    if (items.length !== count) {
      // Some servers report a failure with status 200.
      const { message: said = error } = fields(error);
      if (items.length === 0 && typeof said === 'string') return `it says "${said.slice(0, 500)}"`;
      return `it gave ${items.length} vectors for ${count} texts`;
    }
    const vectors: unknown[] = new Array(count);
    for (const [place, item] of items.entries()) {
      const { index = place, embedding, values } = fields(item);
      const at = api === undefined ? index : place;
      if (!Number.isInteger(at) || !((at as number) in items) || vectors[at as number] !== undefined) {
        return 'a vector belongs to none of the texts';
      }
      vectors[at as number] = (api === undefined ? embedding : api === 'gemini' ? values : item) ?? null;
    }
    return vectors.every(isVector) ? vectors : 'a vector is not an array of numbers';
  }
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number');
}
