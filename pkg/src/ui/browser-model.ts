/** The browser's own model in the question box: the choice of it, its download, and questions of a size that it takes. */
import type { CustomModel } from '../ask/model-types.js';
import type { AskOptions, ConversationOptions } from '../ask/types.js';
import { type PromptApiModel, promptApi } from '../llm/prompt-api.js';
import { el } from './dom.js';
import type { Words } from './words.js';

/** The share of the context window that passages may fill; instructions, question and answer need the rest. */
const SHARE = 0.5;
/** The tokens that a passage has at most, as builds make them by default. */
const PASSAGE = 800;
const MOST_PASSAGES = 5;

/** Browsers that have a model, as they call themselves. */
const BROWSERS = /Chrome|Edge/;

/** The states of the download, with the phrase that says so; a model that is there needs none. */
const PHRASES = { absent: 'downloads', coming: 'downloading', failed: 'notDownloaded', ready: undefined } as const;

/** The model of Chrome or Edge, by the Prompt API. */
export class BrowserModel {
  /** The model under the name of the browser. */
  readonly llm: CustomModel;
  /** The options of a conversation: of what was said before, a small context has room for little. */
  readonly memory: ConversationOptions = { historyTokens: 1000 };
  readonly #api: PromptApiModel;
  #state: keyof typeof PHRASES;
  #loaded = 0;
  #limit: Promise<number> | undefined;
  /** Shows in the choice how far the download is. */
  #show: () => void = () => {};

  private constructor(api: PromptApiModel, isReady: boolean) {
    this.#api = api;
    this.#state = isReady ? 'ready' : 'absent';
    this.llm = { ...api, name: browserName() };
  }

  /** Returns the model for readers of a language; `undefined` if the browser has none for them. */
  static async find(language: string): Promise<BrowserModel | undefined> {
    const own = language.toLowerCase().split('-', 1)[0] ?? '';
    let model: BrowserModel | undefined;
    const api = promptApi({
      // The instructions are English.
      inputLanguages: [...new Set(['en', own])],
      outputLanguage: own,
      onDownload: (loaded) => model?.moved(loaded),
    });
    const availability = await api.availability();
    if (availability !== 'unavailable') model = new BrowserModel(api, availability === 'available');
    return model;
  }

  /** True once nothing has to be downloaded any more. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Begins the download, as browsers allow it when the reader has just clicked or typed. */
  download(): void {
    if (this.#state === 'ready' || this.#state === 'coming') return;
    this.#limit = this.#measured();
    this.#limit.then(
      () => this.#become('ready'),
      () => this.#become('failed'),
    );
    this.#become('coming');
  }

  /** Makes the options of a question: one call with the passages that fit. */
  async options(): Promise<AskOptions> {
    this.#limit ??= this.#measured();
    // A model that fails says so when it is asked.
    return { policy: 'classic', limit: await this.#limit.catch(() => MOST_PASSAGES) };
  }

  /** Says next to the choice where the model runs, and follows the download, which begins when a reader agrees. */
  follow(place: HTMLElement, agree: HTMLInputElement, words: Words): void {
    const said = el('span', { role: 'status' });
    const bar = el('progress', { max: '1', 'aria-label': words.downloading });
    place.append(el('span', {}, words.staysHere), said, bar);
    agree.addEventListener('change', () => agree.checked && this.download());
    this.#show = () => {
      bar.hidden = this.#state !== 'coming';
      bar.value = this.#loaded;
      const phrase = PHRASES[this.#state];
      const note = phrase === undefined ? '' : words[phrase];
      // A screen reader reads it again each time that it is set.
      if (said.textContent !== note) said.textContent = note;
      if (this.#state !== 'failed' || !agree.checked) return;
      agree.checked = false;
      agree.dispatchEvent(new Event('change'));
    };
    this.#show();
  }

  #become(state: keyof typeof PHRASES): void {
    this.#state = state;
    this.moved(0);
  }

  /** Takes the share of the model that has been downloaded, 0 to 1. */
  moved(loaded: number): void {
    this.#loaded = loaded;
    this.#show();
  }

  async #measured(): Promise<number> {
    const { contextWindow } = await this.#api.prepare();
    return Math.max(1, Math.min(MOST_PASSAGES, Math.floor((contextWindow * SHARE) / PASSAGE)));
  }
}

/** Reads the browser's name for its readers: it does not tell that of the model. */
function browserName(): string {
  const { userAgentData } = navigator as { userAgentData?: { brands: { brand: string }[] } };
  return userAgentData?.brands.find(({ brand }) => BROWSERS.test(brand))?.brand ?? 'Prompt API';
}
