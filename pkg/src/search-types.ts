/** A stretch of text: `start` is inside, `end` is the first position outside. */
export interface Span {
  start: number;
  end: number;
}

/** A value of a document's metadata; dates are text, such as `2026-03-31`. */
export type MetadataValue = string | number | boolean | string[];

/** The fields of an index's metadata with the types of their values. */
export type Fields = Record<string, MetadataValue>;

/** One value of a field; of a list, one of its entries. */
type One<V> = V extends readonly (infer Entry)[] ? Entry : V;

/** The condition on a field: a value, one of several, absent (`null`), or what the operators say. */
export type FieldCondition<V> =
  | One<V>
  | readonly One<V>[]
  | null
  | {
      gt?: One<V>;
      gte?: One<V>;
      lt?: One<V>;
      lte?: One<V>;
      any?: readonly One<V>[];
      except?: readonly One<V>[];
      text?: string;
      text_any?: string;
      phrase?: string;
      prefix?: string;
      not?: FieldCondition<V>;
      values_count?: { gt?: number; gte?: number; lt?: number; lte?: number };
      is_empty?: boolean;
    };

/** The shorthand over known fields, and those that every document has. */
type TypedFilter<F extends Fields> = { [Name in keyof F]?: FieldCondition<F[Name]> } & {
  [Name in 'document_id' | 'source' | 'title' | 'url']?: FieldCondition<string>;
} & { and?: readonly Filter<F>[]; or?: readonly Filter<F>[]; not?: Filter<F> | readonly Filter<F>[] };

/** Qdrant's form, whose conditions name their fields as text. */
type ClauseFilter = { must?: unknown; should?: unknown; must_not?: unknown; min_should?: unknown };

/**
 * The documents that count: Qdrant's filter language, or the shorthand, in which every field must have its value.
 *
 * ```ts
 * { evidence: ['rct', 'systematic_review'], year: { gte: 2020 }, draft: false }
 * { must: [{ key: 'year', range: { gte: 2020 } }], must_not: { key: 'draft', match: { value: true } } }
 * ```
 *
 * Besides the fields of the metadata there are `document_id`, `source`, `title` and `url`. A field that the index does not
 * have, or a value of another type, is an error that lists the fields.
 *
 * TypeScript checks the shorthand where it knows the fields: `Ibid.load<{ year: number }>(...)`. `npx ibid inspect
 * site.ibid --types` prints them.
 */
export type Filter<F extends Fields = Fields> = string extends keyof F
  ? Record<string, unknown>
  : TypedFilter<F> | ClauseFilter;

/** The way a list found by vectors and a list found by words become one. */
export type Fusion =
  /**
   * The weighted sum of both scores, each scaled to 0 to 1 over the best 50. `lexicalWeight` is the share of words,
   * 0 to 1. Default: 0.6.
   */
  | { kind: 'minMax'; lexicalWeight?: number | undefined }
  /** Reciprocal rank fusion: the sum of `1 / (k + rank)`. Default of `k`: 60. */
  | { kind: 'rrf'; k?: number | undefined };

/** Options of {@link Ibid.search} and {@link Ibid.query}. */
export interface SearchOptions<F extends Fields = Fields> {
  /** The most hits, or with {@link groupBy} pages, 1 to 50. Default: 5. */
  limit?: number | undefined;
  /** The number of best hits, or pages, to pass over, 0 to 1,000. Default: 0. */
  offset?: number | undefined;
  /**
   * Puts the hits of one document together, a page where its best hit is, see {@link SearchResponse.pages}. Default: none;
   * hits stand on their own.
   */
  groupBy?: 'page' | undefined;
  /**
   * The ways passages are looked up: words and vectors, or one of them. Default: `hybrid`; `lexical` if the passages are in
   * another language than the model, see {@link IndexInfo.wordsAlone}.
   */
  mode?: 'hybrid' | 'vector' | 'lexical' | undefined;
  /** The fusion of both lists in hybrid mode. Default: `{ kind: 'minMax' }`. */
  fusion?: Fusion | undefined;
  /** The least relevance of a hit, 0 to 1, see {@link Hit.relevance}. Default: 0, which leaves out nothing. */
  minRelevance?: number | undefined;
  /** Only passages of documents that it matches. Default: all. */
  filter?: Filter<F> | undefined;
  /**
   * Sorts hits by a field instead of by their scores, which decide between equal values. The greatest date or number comes
   * first, texts from A to Z; documents without the field come last. Hits then have at least a relevance of 0.5, or
   * {@link minRelevance}; the best 1,000 passages with words of the query are looked at. Default: off.
   */
  sort?: (keyof F & string) | { field: keyof F & string; order?: 'ascending' | 'descending' } | undefined;
  /** Weighs hits by what their documents are; `{}` has the usual levels of evidence. Default: off. */
  evidence?: Evidence | undefined;
  /** Weighs hits by the age of their documents. Default: off. */
  freshness?: Freshness | undefined;
  /** Prefers hits that differ from those above them; `lambda` is how much the score counts, default 0.7. Default: off. */
  mmr?: { lambda?: number | undefined } | undefined;
  /**
   * Folds a passage into a better hit that says nearly the same and then names it in {@link Hit.duplicates}: from that
   * `cosine` (default 0.95) and share of common words (`overlap`, default 0.7) on. Default: off.
   */
  nearDuplicates?: { cosine?: number | undefined; overlap?: number | undefined } | undefined;
  /** The most hits of one document. Default: any number; 3 with {@link groupBy}. */
  group?: number | undefined;
  /** The number of passages before and after each hit that come with it, 0 to 5. Default: 0. */
  neighbours?: number | undefined;
  /** The fields whose values {@link SearchResponse.facets} counts. Default: none. */
  facets?: readonly string[] | undefined;
  /** True if {@link SearchResponse.explain} tells how the hits were found. Default: `false`. */
  explain?: boolean | undefined;
  /** Your own embedding of the query, in the index's space. Default: the query encoder's. */
  vector?: ArrayLike<number> | undefined;
  /**
   * Scores the best 50 anew, higher is better: by a service, or by a model in the page. It is given the query and
   * the candidates' texts with the headings above them. Default: none.
   */
  rerank?:
    | ((query: string, texts: string[], signal?: AbortSignal) => ArrayLike<number> | Promise<ArrayLike<number>>)
    | undefined;
  /** Gives up the search. What is on its way is still taken in, for the next one. Default: none. */
  signal?: AbortSignal | undefined;
}

/** Multiplies a hit's score by a weight for what its document is, for each of the fields. */
export interface Evidence {
  /**
   * The fields with the weights of their values, 0 to 1000. Default: `evidence_level` with systematic_review 1,
   * meta_analysis 1, rct 0.9, clinical_guideline 0.85, cohort_study 0.7, case_report 0.5, expert_opinion 0.3. A value
   * that has no weight, and a missing one, weigh `default`, which is 0.5.
   */
  fields?: readonly { field?: string; weights?: Record<string, number>; default?: number }[] | undefined;
  /** Leaves out documents below that value of the first field; those of which nothing is known stay. Default: none. */
  minEvidenceLevel?: string | undefined;
}

/** Halves a share of a hit's score with each half-life of its document's age. */
export interface Freshness {
  /** The field with the date, or with the year as a number. Default: `publication_date`. */
  field?: string | undefined;
  /** Default: 730 days. */
  halfLifeDays?: number | undefined;
  /** The share of the score that ages, 0 to 1. Default: 0.5. */
  weight?: number | undefined;
  /** The day that ages are counted from, such as `2026-03-31`. Default: today. */
  reference?: string | Date | undefined;
}

/** The result of {@link Ibid.query}. */
export interface SearchResponse<F extends Fields = Fields> {
  /** Best first; with {@link SearchOptions.groupBy} page by page. */
  hits: Hit<F>[];
  /** The same hits by page, where {@link SearchOptions.groupBy} asks for it. */
  pages?: PageHits<F>[];
  /**
   * The number of relevant hits, or pages, those before and behind these included. A search ranks as many as `offset`
   * and `limit` need, at least the best 50 by words and 50 by meaning.
   */
  total: number;
  /** For each field that {@link SearchOptions.facets} names, the documents with a relevant passage by their values. */
  facets: Facet[];
  /** The way the hits were found, where {@link SearchOptions.explain} asks for it. */
  explain?: Explain;
}

/** A page with what was found on it. */
export interface PageHits<F extends Fields = Fields> {
  documentId: string;
  title: string;
  /** The page's address, where its metadata names one. */
  url: string | null;
  /** Best first. */
  hits: Hit<F>[];
}

/** A passage found by a search. */
export interface Hit<F extends Fields = Fields> {
  /** The chunk's number in the index. */
  chunk: number;
  /** The score that the hit was ranked by, higher is better. Compare it only with other hits of the same query. */
  score: number;
  /**
   * The certainty that the passage has to do with the query, 0 to 1, whichever model the index was built with: from 0.5
   * on it counts as relevant. Can be compared between queries and between indexes.
   */
  relevance: number;
  /** The cosine between query and passage; `null` if only words were compared. */
  cosine: number | null;
  /** The BM25 score; `null` if only vectors were compared. */
  bm25: number | null;
  /** The document's identifier: from its front matter, else its file's name without the ending. */
  documentId: string;
  /** The document's title. */
  title: string;
  /** The document's address, where its metadata names one. */
  url: string | null;
  /** The file that the document was read from, as it was named when the index was built. */
  source: string;
  /** The further fields of the document's metadata. */
  metadata: string extends keyof F ? F : Partial<F>;
  /** The document's title, then the headings above the passage, outermost first. */
  headingPath: string[];
  /** The fragment identifier of the nearest heading, without `#`. */
  anchor: string | null;
  /** The passage's source text, markdown for a markdown document. Text, not HTML: never assign it to `innerHTML`. */
  text: string;
  /** The parts of `text` that match words of the query, in UTF-16 code units, as `text.slice` takes them. */
  highlights: Span[];
  /** The part of `text` that matches most of the query: plain text of at most 240 characters, ready to show. */
  excerpt: string;
  /** The parts of `excerpt` that match words of the query, in UTF-16 code units. */
  excerptHighlights: Span[];
  /** The place of the passage in its source file, in bytes. */
  span: Span;
  /** The line of the source file where the passage starts, counted from 1. */
  line: number;
  /** The chunk's id, made from its heading path and text: the same from build to build as long as they stay the same. */
  id: string;
  /** The number of bytes at the beginning of `text` the chunk before has too: a table's header, or repeated sentences. */
  repeated: number;
  /** The chunk's number in its document, from 0. */
  chunkIndex: number;
  /** The number of chunks of its document. */
  totalChunks: number;
  /** The other places where the same passage stands, or nearly the same where {@link SearchOptions.nearDuplicates} folds it in. */
  duplicates: Place[];
  /** The passages before it in its document, as many as {@link SearchOptions.neighbours} asks for. */
  before: Neighbour[];
  /** The passages behind it. */
  after: Neighbour[];
  /** The index that it is from, if several were searched. */
  index?: HitIndex;
}

/** The index that a hit is from, of several. */
export interface HitIndex {
  name: string;
  /** The address as it was given; empty for an index that was given as bytes. */
  url: string;
}

/** Another place of a passage that occurs more than once. */
export type Place = Pick<Hit, 'documentId' | 'title' | 'url' | 'source' | 'headingPath' | 'anchor' | 'span' | 'line'>;

/** A passage next to a hit. */
export type Neighbour = Pick<Hit, 'chunk' | 'headingPath' | 'text' | 'span' | 'line' | 'repeated' | 'chunkIndex'>;

/** The values of a field of the metadata, with how many documents have each. */
export interface Facet {
  field: string;
  fieldType: FieldType;
  /** The number of documents that have the field. */
  documents: number;
  /** The most frequent first. */
  values: { value: string | number | boolean; count: number }[];
  /** The least and the greatest value of numbers and dates. */
  min?: string | number | null;
  max?: string | number | null;
}

/** The type of a field of the metadata, the same in all documents. */
export type FieldType = 'boolean' | 'integer' | 'float' | 'date' | 'keyword' | 'keywords';

/** The way hits were found. */
export interface Explain {
  mode: 'hybrid' | 'vector' | 'lexical';
  fusion: Fusion | null;
  /** The number of chunks the filter allows. */
  allowed: number;
  /** The way each part of the index was searched, how many vectors were compared, and how many candidates came of it. */
  vector: { paths: string[]; compared: number; candidates: number } | null;
  lexical: { candidates: number } | null;
  /** The candidates of both lists together. */
  candidates: number;
  /** The least relevance that a hit must have. */
  minRelevance: number;
  /** The rules that left out candidates, with how many. */
  dropped: { rule: string; count: number }[];
  /** The parts of each hit's score. */
  hits: ({ chunk: number; fused: number } & Record<string, number | null>)[];
}
