import type { Page } from '@playwright/test';

/** The far side of the Prompt API: a model with a context window, which may have to be downloaded first. */
export interface PromptApiSettings {
  availability?: 'downloadable' | 'available';
  /** The languages that the model knows. Default: English and Japanese. */
  languages?: string[];
  /** Tokens of four characters. */
  contextWindow?: number;
  /** The pieces of each answer. */
  answer?: string[];
}

/** The double as tests steer it and look at it, `promptApi` of the page. */
interface Steered {
  /** The texts of each prompt, instructions included. */
  prompts: string[];
  sessions: { created: number; destroyed: number };
  /** Moves the download on; at 1 it is over. */
  load(share: number): void;
  /** Breaks the download. */
  break(): void;
}

/** Gives a page the Prompt API before its own scripts run, as https://webmachinelearning.github.io/prompt-api/ has it. */
export async function givePromptApi(page: Page, settings: PromptApiSettings = {}): Promise<void> {
  await page.addInitScript(install, settings);
}

/** Calls the double in the page. */
export function steer<T>(page: Page, act: (promptApi: Steered) => T): Promise<T> {
  return page.evaluate(`(${act})(globalThis.promptApi)`) as Promise<T>;
}

// Playwright takes this function to the page: it may use nothing from outside.
function install({
  availability: first = 'available',
  languages: known = ['en', 'ja'],
  contextWindow = 9216,
  answer = ['Green tea steeps ', 'at 80 degrees [1].'],
}: PromptApiSettings) {
  type Message = { role: string; content: string };
  type Expected = { expectedInputs?: { languages?: string[] }[]; expectedOutputs?: { languages?: string[] }[] };
  type Create = Expected & {
    initialPrompts?: Message[];
    signal?: AbortSignal;
    monitor?: (target: EventTarget) => void;
  };
  let state: 'downloadable' | 'downloading' | 'available' = first;
  const waiting = new Set<{ target: EventTarget; done(): void; fail(reason: unknown): void }>();
  const steered: Steered = {
    prompts: [],
    sessions: { created: 0, destroyed: 0 },
    load(share) {
      if (share === 1) state = 'available';
      for (const { target, done } of waiting) {
        target.dispatchEvent(
          new ProgressEvent('downloadprogress', { loaded: share, total: 1, lengthComputable: true }),
        );
        if (share === 1) done();
      }
    },
    break() {
      state = 'downloadable';
      for (const { fail } of waiting) fail(new DOMException('The download broke off.', 'NetworkError'));
      waiting.clear();
    },
  };
  const tokens = (messages: Message[]) =>
    messages.reduce((sum, { content }) => sum + 4 + Math.ceil(content.length / 4), 0);
  const speaks = ({ expectedInputs = [], expectedOutputs = [] }: Expected) =>
    [...expectedInputs, ...expectedOutputs].every(({ languages = [] }) =>
      languages.every((tag) => known.includes(tag)),
    );

  class LanguageModel extends EventTarget {
    contextUsage: number;
    readonly contextWindow = contextWindow;
    readonly #said: Message[];
    #isDestroyed = false;

    constructor(initial: Message[]) {
      super();
      this.#said = initial;
      this.contextUsage = tokens(initial);
      steered.sessions.created += 1;
    }

    static async availability(options: Expected = {}): Promise<string> {
      return speaks(options) ? state : 'unavailable';
    }

    static async create(options: Create = {}): Promise<LanguageModel> {
      const { initialPrompts = [], monitor, signal } = options;
      if (!speaks(options)) throw new DOMException('A language is not known.', 'NotSupportedError');
      if (initialPrompts.some(({ role }, at) => role === 'system' && at > 0))
        throw new TypeError('Instructions come first.');
      const target = new EventTarget();
      monitor?.(target);
      if (state !== 'available') {
        if (state === 'downloadable' && !navigator.userActivation.isActive)
          throw new DOMException('A download needs a click.', 'NotAllowedError');
        state = 'downloading';
        await new Promise<void>((done, fail) => {
          waiting.add({ target, done, fail });
          signal?.addEventListener('abort', () => fail(signal.reason));
        });
      } else {
        for (const loaded of [0, 1]) target.dispatchEvent(new ProgressEvent('downloadprogress', { loaded, total: 1 }));
      }
      if (tokens(initialPrompts) > contextWindow)
        throw new DOMException('The prompts are too long.', 'QuotaExceededError');
      return new LanguageModel(initialPrompts);
    }

    async measureContextUsage(input: Message[]): Promise<number> {
      return tokens(input);
    }

    promptStreaming(input: Message[], { signal }: { signal?: AbortSignal } = {}): ReadableStream<string> {
      if (this.#isDestroyed) throw new DOMException('The session is destroyed.', 'InvalidStateError');
      if (input.some(({ role }) => role === 'system')) throw new DOMException('No.', 'NotSupportedError');
      if (this.contextUsage + tokens(input) > contextWindow) throw new DOMException('Too long.', 'QuotaExceededError');
      steered.prompts.push([...this.#said, ...input].map(({ content }) => content).join('\n\n'));
      this.contextUsage += tokens(input);
      const pieces = [...answer];
      return new ReadableStream<string>({
        pull: (controller) => {
          const piece = pieces.shift();
          if (signal?.aborted) controller.error(signal.reason);
          else if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      });
    }

    destroy(): void {
      if (!this.#isDestroyed) steered.sessions.destroyed += 1;
      this.#isDestroyed = true;
    }
  }
  Object.assign(globalThis, { LanguageModel, promptApi: steered });
}
