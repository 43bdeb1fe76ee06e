import type { UIMessage, UIMessageChunk } from 'ai';
import type { Answer, Flag, TraceStep } from '../ask/answer-types.js';
import type { Usage } from '../ask/model-types.js';
import type { Span } from '../search-types.js';

/** The metadata of an answer's message, once it is finished. */
export interface IbidMessageMetadata extends Partial<Pick<Answer, OfAnswer>> {
  usage?: Usage;
}

type OfAnswer =
  | 'model'
  | 'policy'
  | 'mode'
  | 'stoppedBy'
  | 'cost'
  | 'turns'
  | 'searches'
  | 'createdAt'
  | 'conversationId';

/** The data parts of an answer's message; each is named `data-` and its name here. */
export type IbidDataParts = {
  /** The whole answer with its sources, once it is finished. */
  'ibid-answer': Answer;
  /** The places of its citations in the answer's text, with the numbers of their sources. */
  'ibid-citations': { number: number; span: Span }[];
  /** The doubts that a reader should know; none where there is nothing. */
  'ibid-flags': Flag[];
  /** The answer's `output` as far as it is written; transient. */
  'ibid-output': unknown;
  /** A step that has ended; transient, so it reaches `onData` and no message. */
  'ibid-step': TraceStep;
  /** A request that is sent again; transient. */
  'ibid-retry': { attempt: number; delayMs: number; reason: string };
  /** The conversation up to here, where the transport's `history` is `message`. */
  'ibid-conversation': string;
};

/** A message of a chat with ibid, for `useChat<IbidUIMessage>()`. */
export type IbidUIMessage = UIMessage<IbidMessageMetadata, IbidDataParts>;

/** A chunk of such a message. */
export type IbidUIMessageChunk = UIMessageChunk<IbidMessageMetadata, IbidDataParts>;
