/** All that is known of a service before it is called. */
export interface ServiceRow {
  /** Its name for a person. */
  readonly name: string;
  readonly baseURL: string;
  /** The header that carries the key, if it is not a bearer token. */
  readonly keyHeader?: string;
  /** The format of its embeddings, if it is not OpenAI's. */
  readonly api?: 'gemini' | 'cohere' | 'ollama';
  /** The request's field for the number of dimensions. Default: `dimensions`. */
  readonly dimensions?: string;
  /** The most texts of one request. Default: 100. */
  readonly batchSize?: number;
  /** The field that says what texts are embedded for, with its words for a document and for a query. */
  readonly task?: readonly [field: string, document: string, query: string];
  /** The way it reranks, if it does: its fields for the limit and the results, and what else is special. */
  readonly reranking?: {
    readonly limit: string;
    readonly results: string;
    /** True where the request may say not to send the texts back. */
    readonly omitsTexts?: boolean;
    /** True if there is one model only, which needs no name. */
    readonly hasOneModel?: boolean;
  };
}
