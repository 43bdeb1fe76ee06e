/// <reference lib="esnext.disposable" preserve="true" />
/**
 * An index as a retriever of LangChain.js.
 *
 * @packageDocumentation
 */
import { type CallbackManagerForRetrieverRun, parseCallbackConfigArg } from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import { ensureConfig, type RunnableConfig } from '@langchain/core/runnables';
import type { Ibid } from '../ibid.js';
import type { Filter, Hit, MetadataValue, SearchOptions } from '../search-types.js';

/** The parts of a hit that the `metadata` of a document has, under the same names. */
type OfHit = 'source' | 'line' | 'documentId' | 'title' | 'url' | 'anchor' | 'headingPath' | 'score' | 'relevance';

/** The `metadata` of each document of an {@link IbidRetriever}. */
export interface IbidDocumentMetadata extends Record<string, unknown>, Pick<Hit, OfHit> {
  /** The chunk's id, which is the document's `id` too: the same from build to build as long as the passage stays the same. */
  chunkId: string;
  /** The further fields of the document's metadata, as filters name them. */
  fields: Record<string, MetadataValue>;
}

/** Options of {@link IbidRetriever}. */
export interface IbidRetrieverInput extends BaseRetrieverInput {
  /** The open index. It stays its owner's: the retriever never frees it. */
  ibid: Pick<Ibid, 'search'>;
  /** The most passages, 1 to 50. Default: 5. */
  k?: number | undefined;
  /** Only passages of documents that it matches. Default: all. */
  filter?: Filter | undefined;
  /** Everything else that {@link Ibid.search} takes. Default: nothing. */
  searchOptions?: Omit<SearchOptions, 'limit' | 'filter' | 'signal'> | undefined;
  /**
   * True if the headings above a passage stand before its text, as `[Guide > Setup] `, for prompts that show nothing of
   * the metadata. Default: `false`.
   */
  headings?: boolean | undefined;
}

/**
 * Retrieves passages of an index, each as a LangChain document.
 *
 * ```ts
 * const retriever = new IbidRetriever({ ibid: await Ibid.load({ index: './site.ibid' }), k: 4 });
 * const documents = await retriever.invoke('How do I rotate the keys?');
 * ```
 *
 * A signal or a time limit of the call's config ends the search. What fails is an `IbidError`, as of {@link Ibid.search}.
 */
export class IbidRetriever extends BaseRetriever<IbidDocumentMetadata> {
  static override lc_name(): string {
    return 'IbidRetriever';
  }

  override lc_namespace = ['ibid', 'langchain'];
  /** The most passages. May be changed between calls, as all of these. */
  k: number | undefined;
  filter: Filter | undefined;
  searchOptions: IbidRetrieverInput['searchOptions'];
  headings: boolean;
  readonly ibid: Pick<Ibid, 'search'>;
  /** The signal of the call under way; only the object that `invoke` makes for one call has it. */
  protected readonly signal: AbortSignal | undefined;

  constructor({ ibid, k, filter, searchOptions, headings, ...base }: IbidRetrieverInput) {
    // The rest alone: what is handed on is kept for tracers to show, and an index is nothing to show.
    super(base);
    this.ibid = ibid;
    this.k = k;
    this.filter = filter;
    this.searchOptions = searchOptions;
    this.headings = headings ?? false;
  }

  override async invoke(query: string, options?: RunnableConfig): Promise<Document<IbidDocumentMetadata>[]> {
    // As the base class reads it; a time limit becomes a signal.
    const config = ensureConfig<RunnableConfig>(parseCallbackConfigArg(options));
    if (config.signal === undefined) return await super.invoke(query, config);
    // The base class does not hand the signal on, and calls run side by side: each gets an object of its own that has
    // the signal, and everything else from this one.
    const call: this = Object.create(this, { signal: { value: config.signal } });
    return await super.invoke.call(call, query, config);
  }

  override async _getRelevantDocuments(
    query: string,
    _runManager?: CallbackManagerForRetrieverRun,
  ): Promise<Document<IbidDocumentMetadata>[]> {
    const options = { ...this.searchOptions, limit: this.k, filter: this.filter, signal: this.signal };
    const hits = await this.ibid.search(query, options);
    return hits.map((hit) => toDocument(hit, this.headings));
  }
}

function toDocument(hit: Hit, headings: boolean): Document<IbidDocumentMetadata> {
  const { source, line, documentId, title, url, anchor, headingPath, score, relevance } = hit;
  const ofHit = { source, line, documentId, title, url, anchor, headingPath, score, relevance };
  return new Document({
    id: hit.id,
    pageContent: headings && headingPath.length > 0 ? `[${headingPath.join(' > ')}] ${hit.text}` : hit.text,
    metadata: { ...ofHit, chunkId: hit.id, fields: hit.metadata },
  });
}
