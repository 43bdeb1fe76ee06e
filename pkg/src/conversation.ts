import type { AskOutcome } from './ask/module.js';
import type { Memory } from './ask/start.js';
import type { AskOptions, Conversation, ConversationMessage, ConversationOptions } from './ask/types.js';
import { AskRun } from './ask-run.js';
import { hex } from './bytes.js';
import { IbidError } from './error.js';

/** The form of what {@link Talk.export} gives. */
const VERSION = 1;

interface Exported {
  ibidConversation: typeof VERSION;
  id: string;
  history?: string;
  messages: readonly ConversationMessage[];
}

type StartTalk = (question: string, options: AskOptions, memory: Memory) => AskRun;

/** A conversation; the caller that begins it makes the runs. */
export class Talk implements Conversation {
  readonly id: string;
  readonly #ask: StartTalk;
  readonly #options: ConversationOptions;
  #messages: readonly ConversationMessage[];
  #history: string | undefined;
  #running: AskRun | undefined;

  constructor(options: ConversationOptions, ask: StartTalk) {
    const from = options.from === undefined ? remembered(options.messages) : imported(options.from);
    this.id = options.id ?? from.id ?? uuid();
    this.#messages = from.messages;
    this.#history = from.history;
    this.#options = options;
    this.#ask = ask;
  }

  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  ask(question: string, options: AskOptions = {}): AskRun {
    if (this.#running !== undefined && !this.#running.settled) {
      return new AskRun(async () => {
        throw new IbidError('invalid-option', 'This conversation is still at its last question.', {
          hint: 'Await or abort its run first.',
        });
      });
    }
    const keep = ({ answer, conversation }: AskOutcome) => {
      this.#history = conversation;
      this.#messages = [
        ...this.#messages,
        { role: 'user', content: question },
        { role: 'assistant', content: answer.text, answer },
      ];
    };
    const { historyTokens, defaults } = this.#options;
    const memory = { id: this.id, history: this.#history, historyTokens, keep };
    this.#running = this.#ask(question, { ...defaults, ...options }, memory);
    return this.#running;
  }

  export(): string {
    const exported: Exported = {
      ibidConversation: VERSION,
      id: this.id,
      ...(this.#history !== undefined && { history: this.#history }),
      messages: this.#messages,
    };
    return JSON.stringify(exported);
  }
}

/** Numbers of sources that are not remembered would be taken for those of others. */
const BRACKETS =
  / ?(?:[[［](?:\^|[Ss]ources? )?\d{1,9}(?:[-,;，；、 ]{1,3}\d{1,9})*[\]］]|\[[Ss]ource: [^[\]\n]{1,200}\]|【\d[^【】\n]{0,60}】)/g;

/** Makes a beginning of plain messages, with a history in the form that the wasm module reads. */
function remembered(messages: ConversationOptions['messages'] = []): Omit<Exported, 'id'> & { id?: string } {
  const items = messages.map(({ role, content }) => ({
    role,
    content: role === 'assistant' ? content.replace(BRACKETS, '') : content,
  }));
  return {
    ibidConversation: VERSION,
    ...(items.length > 0 && { history: JSON.stringify({ version: 1, items, register: [] }) }),
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
}

function imported(text: string): Exported {
  try {
    const exported: Exported = JSON.parse(text);
    const { ibidConversation, id, history, messages } = exported;
    const whole =
      ibidConversation === VERSION &&
      typeof id === 'string' &&
      (history === undefined || typeof history === 'string') &&
      messages.every(
        (message) =>
          typeof message.content === 'string' &&
          (message.role === 'user' || (message.role === 'assistant' && typeof (message.answer ?? {}) === 'object')),
      );
    if (whole) return exported;
  } catch {
    // What is no JSON, or has no list of messages, is refused below like the rest.
  }
  throw new IbidError('invalid-option', '`from` is no conversation that was exported.', {
    hint: 'Give it what `conversation.export()` returned.',
  });
}

/** `crypto.randomUUID` is there on secure pages alone. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
