import type { ChatTransport, FileUIPart, UIMessage, UIMessageChunk } from 'ai';
import { LinkedAbort } from '../abort.js';
import { Lru } from '../ask/lru.js';
import type { AskOptions, Conversation } from '../ask/types.js';
import { hex } from '../bytes.js';
import { IbidError } from '../error.js';
import type { Ibid } from '../ibid.js';
import type { ChunkOptions } from './chunk-maker.js';
import { chunksOf, streamOf } from './stream.js';
import type { IbidUIMessage, IbidUIMessageChunk } from './types.js';

/** The request of a chat. */
export interface ChatRequest<M extends UIMessage = IbidUIMessage> {
  chatId: string;
  messages: M[];
  /** The options that `sendMessage` and its like were given. */
  body: object | undefined;
  metadata: unknown;
}

/** Options of {@link IbidChatTransport}. */
export interface IbidChatTransportOptions<M extends UIMessage = IbidUIMessage> extends ChunkOptions {
  /** The index that is asked. */
  ibid: Pick<Ibid, 'conversation'>;
  /** Options of every question, or a function that gives those of one. Default: none, so answers are extractive. */
  ask?: AskOptions | ((request: ChatRequest<M>) => AskOptions | Promise<AskOptions>) | undefined;
  /** The number of tokens of what was said before the model is sent again. Default: 4000. */
  historyTokens?: number | undefined;
  /**
   * The place where conversations are kept with their sources and numbers. `memory`: in this object. `message`: in each answer's
   * message as well, some kilobytes that go wherever the messages are stored. Of messages without, the text alone is
   * remembered. Default: `memory`.
   */
  history?: 'memory' | 'message' | undefined;
}

/** Conversations of answers that may still be gone on from. */
const MOST_KEPT = 64;

/**
 * Lets the AI SDK's `useChat` talk to an index in the page, without a server:
 *
 * ```ts
 * const chat = useChat({ transport: new IbidChatTransport({ ibid, ask: { llm } }) });
 * ```
 *
 * Each message is a question of a conversation; regenerating and editing go on from what was said before. Failures reach
 * the chat as the {@link IbidError} that they are.
 */
export class IbidChatTransport<M extends UIMessage = IbidUIMessage> implements ChatTransport<M> {
  readonly #options: IbidChatTransportOptions<M>;
  /** The conversation up to an answer, by the id of its message. */
  readonly #kept = new Lru<string>(MOST_KEPT);

  constructor(options: IbidChatTransportOptions<M>) {
    this.#options = options;
  }

  async sendMessages(
    request: Parameters<ChatTransport<M>['sendMessages']>[0],
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { chatId, messages, abortSignal, body, metadata } = request;
    const { question, images } = asked(messages.at(-1));
    const { ask = {} } = this.#options;
    const options = typeof ask === 'function' ? await ask({ chatId, messages, body, metadata }) : ask;
    const conversation = this.#conversation(chatId, messages.slice(0, -1));
    const { signal } = new LinkedAbort([options.signal, abortSignal]);
    const run = conversation.ask(question, { ...options, ...(images.length > 0 && { images }), signal });
    const messageId = hex(crypto.getRandomValues(new Uint8Array(12)));
    const chunks = chunksOf(run, { ...this.#options, messageId }, () => this.#keep(messageId, conversation));
    return streamOf(chunks) as ReadableStream<UIMessageChunk>;
  }

  /** A run ends with its page, so there never is one to go on with. */
  async reconnectToStream(): Promise<null> {
    return null;
  }

  /** Makes a conversation that goes on after those messages. */
  #conversation(id: string, before: readonly M[]): Conversation {
    const { ibid, historyTokens } = this.#options;
    for (const [at, message] of [...before.entries()].reverse()) {
      const from = this.#kept.get(message.id) ?? keptIn(message);
      // An answer that was stopped has none; what was said up to the one before it counts then.
      if (from !== undefined && (at === before.length - 1 || allStopped(before.slice(at + 1)))) {
        return ibid.conversation({ id, from, historyTokens });
      }
    }
    const messages = before.flatMap((message) => {
      const content = textOf(message);
      return message.role === 'system' || content === '' ? [] : [{ role: message.role, content }];
    });
    return ibid.conversation({ id, messages, historyTokens });
  }

  #keep(messageId: string, conversation: Conversation): IbidUIMessageChunk[] {
    // The messages are the chat's own affair.
    const kept = JSON.stringify({ ...JSON.parse(conversation.export()), messages: [] });
    this.#kept.set(messageId, kept);
    return this.#options.history === 'message' ? [{ type: 'data-ibid-conversation', data: kept }] : [];
  }
}

function asked(message: UIMessage | undefined): { question: string; images: Blob[] } {
  if (message?.role !== 'user') {
    throw new IbidError('invalid-option', 'The last message of the chat is not a question.', {
      hint: "Only the user's messages can be answered.",
    });
  }
  return {
    question: textOf(message),
    images: message.parts.flatMap((part) => (part.type === 'file' ? [imageOf(part)] : [])),
  };
}

function imageOf({ url }: FileUIPart): Blob {
  const [, type, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (type !== undefined && data !== undefined) {
    try {
      return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type });
    } catch {
      // A file that is no base64 is refused like any other.
    }
  }
  throw new IbidError('invalid-option', 'Questions can have no files but images as data URLs.', {
    hint: 'Put the text of other files into the question, or add them to the index with `ibid.add`.',
  });
}

function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function keptIn({ parts }: UIMessage): string | undefined {
  const part = parts.find(({ type }) => type === 'data-ibid-conversation');
  return part !== undefined && 'data' in part && typeof part.data === 'string' ? part.data : undefined;
}

/** Returns true if none of these messages is an answer that was finished. */
function allStopped(messages: readonly UIMessage[]): boolean {
  return !messages.some(
    ({ role, parts }) => role === 'assistant' && parts.some(({ type }) => type === 'data-ibid-answer'),
  );
}
