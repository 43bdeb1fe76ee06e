import type { Hit, Span } from '../search-types.js';
import type { FinishReason, Usage } from './model-types.js';
import type { AnswerGuard, ClaimCheck, Confidence } from './trust-types.js';

/** A hit that an answer may cite as `[number]`. A chunk keeps its number through the whole run, and conversation. */
export interface Source extends Hit {
  number: number;
  /**
   * Passages of its text that read like instructions to a model, in UTF-16 positions. They are given to the model as data
   * all the same; show them to your reader.
   */
  instructions?: Span[];
}

/** One number of one citation bracket in an answer's text. */
export interface Citation {
  /** The number of the cited source. */
  number: number;
  /** The bracket, in UTF-16 positions of {@link Answer.text}. The numbers of one bracket share one span. */
  span: Span;
  /** The cited passage. */
  source: Source;
}

/** A statement of the answer, a sentence or a table, with the sources that it cites. */
export interface Claim {
  /** The statement, without its brackets. */
  text: string;
  /** Its place, in UTF-16 positions of {@link Answer.text}; `end` is the first position outside. */
  start: number;
  end: number;
  /** The numbers that it cites, also those of no known source; none where it cites nothing. */
  sources: number[];
  /** The check against them; not there with {@link AskOptions.verify} `off`. */
  check?: ClaimCheck;
}

/** Something in the answer that its reader should be wary of. */
export interface Flag {
  /** The kind of doubt, for programs. */
  kind: FlagKind;
  /** The doubtful words, in UTF-16 positions of {@link Answer.text}; empty at 0 for the answer as a whole. */
  span: Span;
  /** The doubt in words for a person. */
  message: string;
  /** The place in a source that contradicts the answer or comes closest to it, in UTF-16 positions of the source's `text`. */
  source?: { number: number; span: Span };
}

/** The kinds of {@link Flag}s. More may be added. */
export type FlagKind =
  /** The answer cites a number that no search returned. */
  | 'unknown_source'
  /** The answer ends before its end. */
  | 'cut_off'
  /** The model answered without any source. */
  | 'no_sources'
  /** The model gave no answer, so the best passages are quoted instead. */
  | 'no_model_answer'
  /** A quotation is in no cited source. */
  | 'quote_not_found'
  /** A number, or a number with its unit, is in no cited source. */
  | 'number_unsupported'
  /** Too little of what a sentence says stands in the sources that it cites. */
  | 'low_coverage'
  /** A sentence denies what its source affirms, or the other way round. */
  | 'negation_mismatch'
  /** A number is on the other side of a limit than in the source: "at most" for "at least". */
  | 'comparator_mismatch'
  /** A number stands in a cited source, but belongs to something else there: another row, column or subject. */
  | 'value_elsewhere'
  /** A name is in no cited source. */
  | 'entity_unsupported'
  /** A sentence states something and cites nothing. */
  | 'uncited_claim'
  /** A sentence is in another language or script than its sources, and could not be checked against them. */
  | 'not_comparable'
  /** There is personal data in the answer that is in no source, and that the question did not have. */
  | 'personal_data'
  /** The answer repeats the value by which the model tells sources from instructions. */
  | 'nonce_quoted'
  /** The answer was too doubtful, so the best passages are quoted instead; see {@link AskOptions.abstainBelow}. */
  | 'abstained'
  /** Sentences were removed, see {@link AskOptions.verify}. */
  | 'removed'
  /** A model that was asked, see {@link AskOptions.judge}, finds that the sources do not say so. */
  | 'judged_unsupported'
  /** A cited source holds text that reads like instructions to a model. */
  | 'instructions'
  | (string & {});

/** A step of a run that has ended. */
export interface TraceStep {
  /**
   * The step: `rewrite`, `classify`, `decompose`, `retrieve`, `retrieve_sub_1`, `deduplicate`, `rerank`, `order` (by the
   * model, for a rerank), `model`, `tool`, `synthesize`, `reflect`, `assess`, `verify` and others.
   */
  name: string;
  /** The time it began, in milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  /** The number of things that the step is about, such as hits. */
  count?: number;
  /** The tokens that it used. */
  usage?: Usage;
  /** More about it, in words for a person. */
  note?: string;
}

/** The way a question is answered; {@link AskOptions.policy} says what each does. */
export type Policy = 'auto' | 'classic' | 'tools' | 'pipeline' | 'case' | 'extractive';

/** The way a column of a table is aligned. */
export type Alignment = 'none' | 'left' | 'center' | 'right';

/**
 * A part of an answer that is safe to show: there is no HTML in it, no image, and no link but to a source. `start` and `end`
 * are UTF-16 positions in {@link Answer.text}, and increase through the tree; at most 32 nodes contain one another.
 */
export type AnswerNode = BlockNode | ItemNode | CellNode | InlineNode;

/** A block of a tree, a quote or an item of a list. */
export type BlockNode =
  | { type: 'paragraph'; children: InlineNode[] }
  | { type: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; children: InlineNode[] }
  /** `start` is the number of the first item if they are `ordered`. */
  | { type: 'list'; ordered: boolean; start?: number; children: ItemNode[] }
  /** Each row has as many cells as the header, and each column an alignment. */
  | { type: 'table'; alignment: Alignment[]; header: CellNode[]; rows: CellNode[][] }
  /** `language` consists of letters, digits and `+-#._`. */
  | { type: 'codeBlock'; language?: string; children: (TextNode | CitationNode)[] }
  | { type: 'blockQuote'; children: BlockNode[] }
  | { type: 'thematicBreak' };

/** An item of a list. */
export interface ItemNode {
  type: 'item';
  children: BlockNode[];
}

/** A cell of a table. */
export interface CellNode {
  type: 'cell';
  children: InlineNode[];
}

/** A part of a line. */
export type InlineNode =
  | TextNode
  | CitationNode
  | { type: 'emphasis' | 'strong' | 'strikethrough'; children: InlineNode[] }
  | { type: 'code'; children: (TextNode | CitationNode)[] }
  /** `url` is the `http(s)` or relative address of a source, perhaps with a fragment; no citation stands in a link. */
  | { type: 'link'; url: string; children: InlineNode[] }
  | { type: 'lineBreak' };

/**
 * Text: the answer's own from `start` to `end`, unless that is a character reference such as `&lt;`, or the rest of a
 * bracket of which other numbers are citations. A line's end in it is as good as a space, except in a block of code.
 */
export interface TextNode {
  type: 'text';
  text: string;
  start: number;
  end: number;
}

/** A number of a citation bracket, which is at `start` to `end`. Each of {@link Answer.citations} is in the tree once. */
export interface CitationNode {
  type: 'citation';
  number: number;
  start: number;
  end: number;
}

/** The outcome of {@link Ibid.ask}. */
export interface Answer {
  /** The answer: plain text or light markdown, written by a model. Never assign it to `innerHTML`. */
  text: string;
  /** The same as a tree of known kinds of nodes, which is safe to show: all that is not one of them is text. */
  tree: BlockNode[];
  /** The citations in `text`, in order; a bracket with two numbers gives two. */
  citations: Citation[];
  /** The statements in `text`, in order. */
  claims: Claim[];
  /**
   * Every source the run retrieved, by number, and in a conversation those of earlier questions; those that `citations`
   * name are the cited ones.
   */
  sources: Source[];
  /** The doubts that its reader should know. */
  flags: Flag[];
  /** The value that {@link AskOptions.output} asked for, checked by its schema; `undefined` if the model did not manage. */
  output?: unknown;
  /** The reason why there is no `output` although it was asked for. */
  outputProblem?: string;
  /**
   * `model`: a model wrote the text. `extractive`: the text is the best passages, verbatim, since no model was configured or
   * its answer was {@link abstained} from. `guard`: the text is the message of an emergency; no model was asked.
   */
  mode: 'model' | 'extractive' | 'guard';
  /** The findings about the question. */
  guard: AnswerGuard;
  /**
   * `true` if a passage that was found has most of the question's words, and its circumstances and kind of answer, so that the
   * answer seems to be there. False if nothing was looked up, or if a model says that the sources do not say.
   */
  answerable: boolean;
  /** The confidence in a model's answer; not there where it states nothing, or was not verified. */
  confidence?: Confidence;
  /** True if {@link confidence} was below {@link AskOptions.abstainBelow}, so that the best passages stand for the answer. */
  abstained?: boolean;
  /** The number of sentences that were removed, with {@link AskOptions.verify} `strict`. */
  removed?: number;
  /** The way the question was answered; with the policy `auto`, what that chose. */
  policy: string;
  /** The reason why the model stopped; `stop` for an extractive answer. */
  finishReason: FinishReason;
  /** The limit that ended the run before the model did. */
  stoppedBy?: 'turns' | 'searches' | 'steps' | 'tokens' | 'cost' | 'repetition' | 'timeout' | (string & {});
  /** The tokens used, or `null` if the provider does not say or none was asked. */
  usage: Usage | null;
  /** Their price by {@link AskOptions.prices}, in the currency of those. */
  cost?: number;
  /** The model that wrote the text. */
  model?: string;
  /** The number of times the model was called. */
  turns: number;
  /** The number of searches that were made. */
  searches: number;
  /** The steps, in the order of their ends. */
  trace: TraceStep[];
  /** The time the answer was finished, such as `2026-03-31T12:00:00.000Z`. */
  createdAt: string;
  /** The {@link Conversation} that it belongs to. */
  conversationId?: string;
}

/** An event of a run, in order. The last event of a successful run is `answer`. More kinds may be added. */
export type AskEvent =
  /** The question was looked at; the first event. With an emergency, `answer` may follow at once. */
  | { type: 'guard'; guard: AnswerGuard }
  /** The model is called, and what for. */
  | { type: 'turn'; turn: number; tools: boolean; purpose?: TurnPurpose }
  /** The next piece of the answer's text. With `restart` the text starts anew: forget what came before. */
  | { type: 'text'; delta: string; restart?: true }
  /** {@link Answer.output} as far as it is written, not checked against its schema yet. */
  | { type: 'output'; partial: unknown }
  /** The next piece of what the model thinks, where it shows that. */
  | { type: 'reasoning'; delta: string }
  /** A search starts. */
  | { type: 'search'; id: string; query: string; maxResults: number; collection?: string }
  /**
   * The search with the same `id` found these sources; those of the policy `pipeline` have one such event together,
   * named `selected`.
   */
  | { type: 'sources'; id: string; query: string; sources: Source[]; collection?: string }
  /** One of {@link AskOptions.tools} runs, with the arguments as JSON. */
  | { type: 'tool-call'; id: string; name: string; arguments: string }
  /** The tool with the same `id` has given this to the model. */
  | { type: 'tool-result'; id: string; name: string; content: string; isError: boolean }
  /** The model called a tool wrongly; it has been told and may try again. */
  | { type: 'tool-error'; id: string; name: string; message: string }
  /** The provider failed in a way that may pass; the request is sent again, for the `attempt`th time, after `delayMs`. */
  | { type: 'retry'; attempt: number; delayMs: number; reason: string }
  /** A step has ended. */
  | { type: 'step'; step: TraceStep }
  /** The record of the run could not be kept; only where `required` of `openAuditLog` is `false`. */
  | { type: 'audit-failed'; message: string }
  /** The run is over. */
  | { type: 'answer'; answer: Answer };

/** The purpose of a call of the model. */
export type TurnPurpose =
  | 'answer'
  | 'rewrite'
  | 'classify'
  | 'decompose'
  | 'synthesize'
  | 'reflect'
  | 'assess'
  /** To say which claims their sources support, see {@link AskOptions.judge}. */
  | 'judge'
  /** To write the answer once more, see {@link AskOptions.verify}. */
  | 'revise'
  /** To put the answer into the form of {@link AskOptions.output}, and to mend that. */
  | 'format'
  | 'repair';

/** The result of {@link verifyAnswer}. */
export interface Verification {
  /** The claims of the answer, each with its {@link Claim.check}. */
  claims: Claim[];
  /** The doubts that its reader should know. */
  flags: Flag[];
  /** Not there where the answer states nothing. */
  confidence?: Confidence;
}

/**
 * As much of an {@link Answer} as can be verified, or made a bibliography of, from any source: of its sources number and
 * text are needed.
 */
export type Verifiable = Pick<Answer, 'text'> & {
  sources: readonly (Pick<Source, 'number' | 'text'> & Partial<Source>)[];
} & Partial<Omit<Answer, 'text' | 'sources'>>;
