import type { EmbeddingTask } from '../encoder/types.js';
import { IbidError } from '../error.js';
import type { Provider } from './http.js';

/** A service that embeds. `openai` is also whatever speaks its format at another address. */
export type EmbeddingProvider =
  | 'openai'
  | 'gemini'
  | 'cohere'
  | 'voyage'
  | 'jina'
  | 'mistral'
  | 'openrouter'
  | 'together'
  | 'ollama'
  | 'llamacpp'
  | 'vllm'
  | 'lmstudio';

interface Format extends Provider {
  /** What the request calls the number of dimensions. */
  dimensions: string;
  /** The fewest that any service takes is the default, 100. */
  batchSize?: number;
  /** The fields that say what texts are embedded for. */
  task?: (task: EmbeddingTask, model: string) => Record<string, unknown>;
}

const of = (task: EmbeddingTask, document: string, query: string) => (task === 'document' ? document : query);

const FORMATS: Record<EmbeddingProvider, Format> = {
  openai: { name: 'OpenAI', baseURL: 'https://api.openai.com/v1', dimensions: 'dimensions' },
  gemini: {
    name: 'Gemini',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    keyHeader: 'x-goog-api-key',
    dimensions: 'outputDimensionality',
    task: (task) => ({ taskType: of(task, 'RETRIEVAL_DOCUMENT', 'RETRIEVAL_QUERY') }),
  },
  cohere: {
    name: 'Cohere',
    baseURL: 'https://api.cohere.com/v2',
    dimensions: 'output_dimension',
    batchSize: 96,
    task: (task) => ({ input_type: of(task, 'search_document', 'search_query') }),
  },
  voyage: {
    name: 'Voyage',
    baseURL: 'https://api.voyageai.com/v1',
    dimensions: 'output_dimension',
    task: (task) => ({ input_type: task }),
  },
  jina: {
    name: 'Jina',
    baseURL: 'https://api.jina.ai/v1',
    dimensions: 'dimensions',
    // Version 2 has one way to embed, and no adapter that a task would choose.
    task: (task, model) =>
      model.startsWith('jina-embeddings-v2') ? {} : { task: of(task, 'retrieval.passage', 'retrieval.query') },
  },
  mistral: { name: 'Mistral', baseURL: 'https://api.mistral.ai/v1', dimensions: 'output_dimension' },
  openrouter: { name: 'OpenRouter', baseURL: 'https://openrouter.ai/api/v1', dimensions: 'dimensions' },
  together: { name: 'Together', baseURL: 'https://api.together.xyz/v1', dimensions: 'dimensions' },
  ollama: { name: 'Ollama', baseURL: 'http://localhost:11434', dimensions: 'dimensions' },
  llamacpp: { name: 'llama.cpp', baseURL: 'http://localhost:8080/v1', dimensions: 'dimensions' },
  vllm: { name: 'vLLM', baseURL: 'http://localhost:8000/v1', dimensions: 'dimensions' },
  lmstudio: { name: 'LM Studio', baseURL: 'http://localhost:1234/v1', dimensions: 'dimensions' },
};

/** From texts to a request's body, and from a response's to vectors, as the Rust crate's `embed::remote` does. */
export class EmbeddingWire {
  readonly provider: Provider;
  readonly batchSize: number;
  readonly model: string;
  /** What is appended to the base URL. */
  readonly path: string;
  /** The name of the space of the vectors: an index that the command has built has the same. */
  readonly space: string;
  readonly #kind: EmbeddingProvider;
  readonly #format: Format;

  constructor(kind: EmbeddingProvider, model: string) {
    if (!Object.hasOwn(FORMATS, kind)) {
      throw new IbidError('invalid-option', `There is no embedding provider \`${String(kind)}\`.`, {
        hint: `It is one of ${Object.keys(FORMATS).join(', ')}.`,
      });
    }
    const name = typeof model === 'string' ? model.trim() : '';
    this.model = kind === 'gemini' ? name.replace(/^models\//, '') : name;
    if (this.model === '' || (kind === 'gemini' && !/^[\w.-]+$/.test(this.model))) {
      throw new IbidError('invalid-option', '`model` is no name of an embedding model.');
    }
    this.#kind = kind;
    this.#format = FORMATS[kind];
    this.provider = this.#format;
    this.batchSize = this.#format.batchSize ?? 100;
    this.space = `${kind}/${this.model}`;
    const paths: Partial<Record<EmbeddingProvider, string>> = {
      gemini: `/models/${this.model}:batchEmbedContents`,
      cohere: '/embed',
      ollama: '/api/embed',
    };
    this.path = paths[kind] ?? '/embeddings';
  }

  body(texts: readonly string[], task: EmbeddingTask, dimensions: number | undefined): unknown {
    const { model } = this;
    const more = {
      ...this.#format.task?.(task, model),
      ...(dimensions !== undefined && { [this.#format.dimensions]: dimensions }),
    };
    if (this.#kind === 'gemini') {
      const request = (text: string) => ({ model: `models/${model}`, content: { parts: [{ text }] }, ...more });
      return { requests: texts.map(request) };
    }
    if (this.#kind === 'cohere') return { model, texts, embedding_types: ['float'], ...more };
    return { model, input: texts, ...more };
  }

  /** The vectors in the order of the texts, or what is wrong with the response, as the end of a sentence. */
  vectors(response: unknown, count: number): number[][] | string {
    const { data, embeddings, error } = fields(response);
    const { float } = fields(embeddings);
    const listed = this.#kind === 'cohere' ? (float ?? embeddings) : embeddings;
    const items = array(this.path === '/embeddings' ? data : listed);
    if (items.length !== count) {
      // Some servers report a failure with status 200.
      const { message: said = error } = fields(error);
      if (items.length === 0 && typeof said === 'string') return `it says "${said.slice(0, 500)}"`;
      return `it gave ${items.length} vectors for ${count} texts`;
    }
    const vectors: unknown[] = new Array(count);
    for (const [place, item] of items.entries()) {
      const { index = place, embedding, values } = fields(item);
      const at = this.path === '/embeddings' ? index : place;
      if (!Number.isInteger(at) || !((at as number) in items) || vectors[at as number] !== undefined) {
        return 'a vector belongs to none of the texts';
      }
      vectors[at as number] =
        (this.path === '/embeddings' ? embedding : this.#kind === 'gemini' ? values : item) ?? null;
    }
    return vectors.every(isVector) ? vectors : 'a vector is not an array of numbers';
  }
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number');
}

/** The fields of an object, and none of anything else. */
export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** An array, and an empty one for anything else. */
export function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
