import type { Answer, AskEvent, Source } from '../ask/answer-types.js';
import type { IbidMessageMetadata, IbidUIMessageChunk } from './types.js';

type Chunk = IbidUIMessageChunk;

/** True if the chunks are to have what a model thinks, and which sources. */
export interface ChunkOptions {
  /** Default: `true`. */
  sendReasoning?: boolean | undefined;
  /** `cited`: the sources that the answer cites. `all`: every one that was found. Default: `cited`. */
  sendSources?: 'cited' | 'all' | 'none' | undefined;
}

/** Tools run in the page, and what there are is known only there. */
const TOOL = { dynamic: true, providerExecuted: true } as const;

/** Makes the AI SDK's chunks of a run's events. */
export class ChunkMaker {
  readonly #options: ChunkOptions;
  /** The parts under way, by kind; the AI SDK wants every part ended. */
  #writing: { kind: 'text' | 'reasoning'; id: string } | undefined;
  #parts = 0;
  #inStep = false;
  /** The answer's text so far. */
  #text = '';
  /** The calls of tools that have no result yet, by the run's names for them, which it may use again in a later turn. */
  readonly #calls = new Map<string, { toolCallId: string; isSearch: boolean }>();
  readonly #ids = new Set<string>();

  constructor(options: ChunkOptions = {}) {
    this.#options = options;
  }

  of(event: AskEvent): Chunk[] {
    switch (event.type) {
      case 'turn':
        return [...this.#endStep(), ...this.#beginStep()];
      case 'text':
        this.#text = event.restart ? event.delta : this.#text + event.delta;
        return this.#write('text', event.delta);
      case 'reasoning':
        return this.#options.sendReasoning === false ? [] : this.#write('reasoning', event.delta);
      case 'output':
        return [{ type: 'data-ibid-output', data: event.partial, transient: true }];
      case 'search': {
        const { query, maxResults, collection } = event;
        return this.#call(event.id, 'search_documents', { query, maxResults, ...(collection && { collection }) }, true);
      }
      case 'sources':
        return this.#found(event);
      case 'tool-call':
        return this.#call(event.id, event.name, parsed(event.arguments));
      case 'tool-result':
        return event.isError ? this.#failure(event.id, event.content) : this.#result(event.id, parsed(event.content));
      case 'tool-error':
        return this.#toolError(event);
      case 'retry': {
        const { attempt, delayMs, reason } = event;
        return [{ type: 'data-ibid-retry', data: { attempt, delayMs, reason }, transient: true }];
      }
      case 'step':
        return [{ type: 'data-ibid-step', data: event.step, transient: true }];
      case 'answer':
        return this.#answer(event.answer);
      default:
        // A kind of event that a later version has.
        return [];
    }
  }

  /** Ends what is open, since the run has; `why` is for calls that will have no result. */
  end(why: string): Chunk[] {
    const failed = [...this.#calls.keys()].flatMap((id) => this.#failure(id, why));
    return [...failed, ...this.#endStep()];
  }

  #answer(answer: Answer): Chunk[] {
    const { citations, flags, sources } = answer;
    const cited = new Set(citations.map(({ number }) => number));
    const { sendSources = 'cited' } = this.#options;
    const shown = sources.filter(
      ({ number }) => sendSources === 'all' || (sendSources === 'cited' && cited.has(number)),
    );
    return [
      ...this.#rest(answer.text),
      ...this.#endWriting(),
      ...shown.map(sourceChunk),
      { type: 'data-ibid-citations', data: citations.map(({ number, span }) => ({ number, span })) },
      ...(flags.length > 0 ? [{ type: 'data-ibid-flags' as const, data: flags }] : []),
      { type: 'data-ibid-answer', data: answer },
    ];
  }

  /** Takes the rest of the answer that was not written as it came, such as all of one that was quoted or made anew. */
  #rest(text: string): Chunk[] {
    if (this.#text.trim() === text.trim()) return [];
    if (text.startsWith(this.#text)) return this.#write('text', text.slice(this.#text.length));
    return [...this.#endWriting(), ...this.#write('text', text)];
  }

  #write(kind: 'text' | 'reasoning', delta: string): Chunk[] {
    if (this.#writing?.kind === kind) return [{ type: `${kind}-delta`, id: this.#writing.id, delta }];
    const before = [...this.#endWriting(), ...this.#beginStep()];
    const id = `${kind}-${++this.#parts}`;
    this.#writing = { kind, id };
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }

  #endWriting(): Chunk[] {
    if (this.#writing === undefined) return [];
    const { kind, id } = this.#writing;
    this.#writing = undefined;
    return [{ type: `${kind}-end`, id }];
  }

  #beginStep(): Chunk[] {
    if (this.#inStep) return [];
    this.#inStep = true;
    return [{ type: 'start-step' }];
  }

  #endStep(): Chunk[] {
    const end = this.#endWriting();
    if (!this.#inStep) return end;
    this.#inStep = false;
    return [...end, { type: 'finish-step' }];
  }

  #call(id: string, toolName: string, input: unknown, isSearch = false): Chunk[] {
    const before = [...this.#endWriting(), ...this.#beginStep()];
    const toolCallId = this.#newId(id);
    this.#calls.set(id, { toolCallId, isSearch });
    return [...before, { type: 'tool-input-available', toolCallId, toolName, input, ...TOOL }];
  }

  #newId(id: string): string {
    let unique = id;
    for (let count = 2; this.#ids.has(unique); count += 1) unique = `${id}-${count}`;
    this.#ids.add(unique);
    return unique;
  }

  /** Writes the results of a search, or of several whose hits were put together: those have no result of their own. */
  #found({ id, sources }: Extract<AskEvent, { type: 'sources' }>): Chunk[] {
    const searches = [...this.#calls].filter(([, { isSearch }]) => isSearch).map(([open]) => open);
    const output = { count: sources.length, sources: sources.map(outline) };
    return (this.#calls.has(id) ? [id] : searches).flatMap((open) => this.#result(open, output));
  }

  #result(id: string, output: unknown): Chunk[] {
    const call = this.#calls.get(id);
    if (call === undefined) return [];
    this.#calls.delete(id);
    return [{ type: 'tool-output-available', toolCallId: call.toolCallId, output, ...TOOL }];
  }

  #failure(id: string, errorText: string): Chunk[] {
    const call = this.#calls.get(id);
    if (call === undefined) return [];
    this.#calls.delete(id);
    return [{ type: 'tool-output-error', toolCallId: call.toolCallId, errorText, ...TOOL }];
  }

  /** A call that never got as far as being made has no part yet. */
  #toolError({ id, name, message }: Extract<AskEvent, { type: 'tool-error' }>): Chunk[] {
    if (this.#calls.has(id)) return this.#failure(id, message);
    const before = [...this.#endWriting(), ...this.#beginStep()];
    const toolCallId = this.#newId(id);
    return [
      ...before,
      { type: 'tool-input-error', toolCallId, toolName: name, input: {}, errorText: message, ...TOOL },
    ];
  }
}

export function metadataOf(answer: Answer): IbidMessageMetadata {
  const { model, policy, mode, stoppedBy, usage, cost, turns, searches, createdAt, conversationId } = answer;
  return {
    ...{ policy, mode, turns, searches, createdAt },
    ...(model !== undefined && { model }),
    ...(stoppedBy !== undefined && { stoppedBy }),
    ...(usage !== null && { usage }),
    ...(cost !== undefined && { cost }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

/** Copies a source without its text, which the answer has. */
function outline({ number, documentId, title, url, headingPath, anchor, relevance }: Source) {
  return { number, documentId, title, url, headingPath, anchor, relevance };
}

function sourceChunk(source: Source): Chunk {
  const { number, title, headingPath, anchor } = source;
  const sourceId = String(number);
  const providerMetadata = { ibid: { number, documentId: source.documentId, headingPath, chunk: source.chunk } };
  const url = webAddress(source.url);
  if (url === undefined) {
    return {
      type: 'source-document',
      sourceId,
      mediaType: 'text/plain',
      title,
      filename: source.source,
      providerMetadata,
    };
  }
  const place = anchor === null || url.includes('#') ? url : `${url}#${anchor}`;
  return { type: 'source-url', sourceId, url: place, title, providerMetadata };
}

/** Documents name their own addresses, and not everything there belongs into a link. */
function webAddress(url: string | null): string | undefined {
  if (url === null) return undefined;
  try {
    return /^https?:$/.test(new URL(url, 'https://page.invalid/').protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Arguments and results as data, if they are JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
