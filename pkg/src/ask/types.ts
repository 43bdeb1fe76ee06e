import type { AskRun } from '../ask-run.js';
import type { AuditLog } from '../audit/types.js';
import type { SearchOptions } from '../search-types.js';
import type { EngineSource } from '../sources.js';
import type { Answer, Policy, TurnPurpose } from './answer-types.js';
import type { CustomModel, JsonSchema, LlmOptions, ModelMessage, Usage } from './model-types.js';
import type { LoadedIndex } from './searched.js';
import type { GuardOptions, PiiOptions } from './trust-types.js';

/** Options of {@link Ibid.ask}. */
export interface AskOptions {
  /**
   * The model that answers. Of several, the next is asked where one fails before it has written anything, and for the rest
   * of the run. Default: none; the answer is then extractive, the best passages verbatim.
   */
  llm?: LlmOptions | CustomModel | readonly (LlmOptions | CustomModel)[] | undefined;
  /**
   * The way the question is answered. `extractive`: the best passages, by no model. `classic`: one search, then one call of
   * the model. `tools`: the model searches as often as it needs to. `pipeline`: the question is split into several, what
   * all of them find is put together, and the answer is looked over. `case`: a condition with its findings, as in
   * `Malaria. symptom: fever 3 days.`, is looked up and assessed. `auto`: one of these, by the question's form. Default:
   * `tools` with a model, `extractive` without.
   */
  policy?: Policy | undefined;
  /** The most calls of the model, 2 to 20; it cannot search on the last turn. Default: 4. */
  maxTurns?: number | undefined;
  /** The number of searches the model may make, 1 to 20. Default: 3. */
  maxSearches?: number | undefined;
  /** The most sources of a search, 1 to 10. Default: 10. */
  limit?: number | undefined;
  /**
   * Options of all searches of the run, such as a filter. Default: as {@link Ibid.search}, but `minRelevance` is 0.3 where
   * vectors are compared.
   */
  search?: Omit<SearchOptions, 'limit' | 'signal' | 'vector' | 'rerank'> | undefined;
  /** Scores what several searches found anew, for the policy `pipeline`, see {@link SearchOptions.rerank}. Default: none. */
  rerank?: SearchOptions['rerank'];
  /**
   * The indexes that are searched, by the names that the model calls them by; the first is searched where it names none.
   * A collection of a search engine is opened at its first question, with the query table of the index that is asked.
   * Default: the one that is asked, alone.
   */
  collections?: Record<string, LoadedIndex | EngineSource | Collection> | undefined;
  /** Milliseconds that the run may take; it then ends with what it has. Default: none. */
  timeout?: number | undefined;
  /** Called before each call of the model, to change what is sent. Default: none. */
  prepareStep?: ((state: RunState) => PreparedStep | undefined | Promise<PreparedStep | undefined>) | undefined;
  /**
   * The most tokens, and the most money by `prices`, that the run may use. It ends in good order: the next turn is the
   * last, or the best passages are quoted. Default: none.
   */
  budget?: { tokens?: number | undefined; cost?: number | undefined } | undefined;
  /** The prices of models for a million tokens, in a currency of yours, by their names. Default: none, so costs are unknown. */
  prices?: Record<string, { input: number; output: number; cachedInput?: number | undefined }> | undefined;
  /**
   * For the policy `classic`, whether the model rewrites the question for the search (`false`), and abbreviations with
   * their long forms, which are added to it. Default: none.
   */
  enhance?: { rewrite?: boolean | undefined; abbreviations?: Record<string, string> | undefined } | undefined;
  /** Tools of your own that the model may call. Default: none. */
  tools?: readonly Tool[] | undefined;
  /**
   * Asked before a tool runs that is not {@link Tool.readOnly} and has no {@link Tool.approve} of its own. Default: none; the
   * tool is then not run, and the model is told so.
   */
  onApproval?: Approve | undefined;
  /** True if the model has a tool that says how good what it has found is. Default: `false`. */
  evaluateTool?: boolean | undefined;
  /** True if the model ends the run by a tool, and must call one in each turn. Default: `false`. */
  doneTool?: boolean | undefined;
  /**
   * Images that the question is about, such as a photo or a screenshot: PNG, JPEG, WebP or GIF, at most 20 and 15 MiB
   * together. A model has to take images; its provider refuses them otherwise. Later questions of a conversation do not
   * have them. Default: none.
   */
  images?: readonly Blob[] | undefined;
  /** The form of {@link Answer.output}: a JSON schema, which the model is asked for and held to. Default: none. */
  output?: { name?: string | undefined; schema: JsonSchema } | undefined;
  /** Instructions for the model, see {@link Prompts}. Default: the preset `documentation`. */
  prompts?: Prompts | undefined;
  /** For the policy `case`: which tools there are depends on the stage that the conversation has reached. Default: none. */
  stages?: Stages | undefined;
  /** Checks of the question before it is answered. Default: see {@link GuardOptions}. */
  guard?: GuardOptions | undefined;
  /**
   * The treatment of personal data, in the question and in what was said before. What leaves the page holds placeholders
   * for it, and the answer, its events and calls of your own tools the person's words. Default: see {@link PiiOptions}.
   */
  pii?: PiiOptions | undefined;
  /**
   * The treatment of claims that their sources do not support. `mark`: they are flagged. `strict`: they are removed, and
   * the answer says so. `repair`: the model is told, and answers once more; what is still unsupported then is flagged.
   * `off`: nothing is checked. Default: `mark`.
   */
  verify?: 'off' | 'mark' | 'strict' | 'repair' | undefined;
  /** True if the model is also asked about claims that computation cannot decide, once more for the run. Default: `false`. */
  judge?: boolean | undefined;
  /**
   * Below which {@link Confidence.value}, 0 to 1, the best passages are quoted in place of the answer; 0 for never.
   * Default: 0.3 with the preset `clinical`, else 0.
   */
  abstainBelow?: number | undefined;
  /** A log that keeps a record of the run, by `openAuditLog` of `ibid/audit`. Default: none; nothing is recorded. */
  audit?: AuditLog | undefined;
  /**
   * Called with the run after each answer of a model or a tool. A page that keeps the text, in `sessionStorage` for example,
   * can go on after a reload by {@link resume}. It holds the question and those answers, but no key. Default: none.
   */
  checkpoint?: ((run: string) => void) | undefined;
  /**
   * A run that {@link checkpoint} gave, to go on with: of the same question, with the same options. It searches again, and
   * calls no model and no tool again whose answer it has. Default: none; the run begins at its beginning.
   */
  resume?: string | undefined;
  /** Aborts the run. Default: none; {@link AskRun.abort} works without. */
  signal?: AbortSignal | undefined;
}

/** An index that a run searches, besides others. */
export interface Collection {
  index: LoadedIndex | EngineSource;
  /** A description of it, for the model to choose by. Default: none. */
  description?: string | undefined;
}

/** The state of a run. More may be added. */
export interface RunState {
  question: string;
  /** The turn that is next, from 1. */
  turn: number;
  /** The purpose of the next call of the model. */
  purpose: TurnPurpose;
  /** The number of times the model was called, how many searches were made, and how many calls of {@link AskOptions.tools}. */
  turns: number;
  searches: number;
  toolCalls: number;
  /** The names of the tools that were called, each once. */
  toolsCalled: string[];
  /** The number of sources that were found. */
  sources: number;
  /** The tokens used, as far as the provider tells. */
  usage: Usage | null;
  /** The same with an estimate for calls that it does not tell about. */
  tokens: number;
  /** The money spent, or `null` if that is not known. */
  cost: number | null;
  /** The messages for the model, in this turn or as things are. */
  messages: ModelMessage[];
}

/** Changes by {@link AskOptions.prepareStep} for one call of the model; what is left out stays. */
export interface PreparedStep {
  model?: string | undefined;
  /** The names of the tools that it may call now, `search_documents` included. */
  tools?: readonly string[] | undefined;
  /** With `none`, it has to answer. */
  toolChoice?: 'auto' | 'none' | 'required' | { tool: string } | undefined;
  messages?: readonly ModelMessage[] | undefined;
  /** The instructions. */
  system?: string | undefined;
}

/** A function that the model may call. */
export interface Tool {
  /** Letters, digits, `_` and `-`, at most 64; not that of a tool that there already is. */
  name: string;
  /** A description for the model: its effect, and when to call it. */
  description: string;
  /** The JSON schema of its arguments, an object. Default: no arguments. */
  parameters?: JsonSchema | undefined;
  /**
   * Does it. What it returns goes to the model: a string as it is, anything else as JSON. The message of an error that it
   * throws goes there too. The signal aborts with the run, and when its time is up.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what the arguments are, which TypeScript cannot read.
  execute(args: any, context: { signal: AbortSignal; callId: string }): unknown;
  /** True if it changes nothing, and so needs no approval. Default: `false`. */
  readOnly?: boolean | undefined;
  /** Asked before each call, also of a tool that only reads. Default: {@link AskOptions.onApproval}. */
  approve?: Approve | undefined;
  /** Milliseconds that `execute` may take; `Infinity` for any time. Default: 30,000. */
  timeout?: number | undefined;
  /** The {@link Stages} in which there is this tool. Default: all. */
  stage?: string | readonly string[] | undefined;
}

/** Decides whether a tool may run: `false`, or the reason why not, which the model is told. */
export type Approve = (
  call: ToolCall,
  context: { signal: AbortSignal },
) => boolean | ApprovalDecision | Promise<boolean | ApprovalDecision>;

export interface ApprovalDecision {
  approved: boolean;
  reason?: string | undefined;
}

/** A call of a tool that is about to be made. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

/** Stages that decide which tools there are: the conversation begins in a stage, and calls of tools take it to others. */
export interface Stages {
  initial: string;
  transitions: readonly { from: string; tool: string; to: string }[];
}

/**
 * Instructions for the model: a preset, and replacements of its parts. `documentation` answers from manuals and
 * guides; `clinical` is for medical sources. The parts are templates, whose `{{placeholders}}` are filled in.
 */
export interface Prompts {
  /** Default: `documentation`. */
  preset?: 'documentation' | 'clinical' | undefined;
  /** The standing instructions, with `{{task}}`, and `{{nonce}}`, which marks where sources begin and end. */
  system?: string | undefined;
  /** The prompt of an answer, with `{{question}}` and `{{sources}}`. */
  answer?: string | undefined;
  /** The way a question is made into a query, with `{{question}}` and `{{history}}`. */
  rewrite?: string | undefined;
  /** The way a question is classified, with `{{question}}`. */
  classify?: string | undefined;
  /** The way a question is taken apart, with `{{question}}`, `{{class}}` and `{{count}}`. */
  decompose?: string | undefined;
  /** The prompt of an answer to several queries, with `{{question}}`, `{{queries}}` and `{{sources}}`. */
  synthesize?: string | undefined;
  /** The way an answer is judged, with `{{question}}`, `{{answer}}` and `{{sources}}`. */
  reflect?: string | undefined;
  /** The prompt of the assessment of a case, with `{{conditions}}`, `{{findings}}`, `{{question}}` and `{{sources}}`. */
  assess?: string | undefined;
  /** The way claims are judged, with `{{claims}}` and `{{sources}}`. */
  judge?: string | undefined;
  /** The way an answer is mended, with `{{question}}`, `{{answer}}`, `{{problems}}` and `{{sources}}`. */
  revise?: string | undefined;
}

/** Options of {@link Ibid.conversation}. */
export interface ConversationOptions {
  /** The text that {@link Conversation.export} gave, to go on from there. Default: a new conversation. */
  from?: string | undefined;
  /**
   * Messages from elsewhere, to go on from; of these, the text alone is remembered, and no sources. `from` is stronger.
   * Default: nothing.
   */
  messages?: readonly { role: 'user' | 'assistant'; content: string }[] | undefined;
  /** Names it, in answers and in a store of several. Default: a random UUID, or that of `from`. */
  id?: string | undefined;
  /** The number of tokens of what was said before the model is sent again. Default: 4000. */
  historyTokens?: number | undefined;
  /** Options of all its questions; those of a question are stronger. Default: none. */
  defaults?: AskOptions | undefined;
}

/** A message of a conversation. */
export type ConversationMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; answer?: Answer };

/** Questions that follow one another; {@link Ibid.conversation} begins one. */
export interface Conversation {
  readonly id: string;
  /** The messages so far; runs that failed or were aborted left nothing. */
  readonly messages: readonly ConversationMessage[];
  /**
   * As {@link Ibid.ask}, with what was said before. One run at a time: another fails with `invalid-option`. After a run
   * that fails or is aborted, the conversation is as it was before.
   */
  ask(question: string, options?: AskOptions): AskRun;
  /** The conversation with its sources, as JSON that {@link ConversationOptions.from} takes. */
  export(): string;
}
