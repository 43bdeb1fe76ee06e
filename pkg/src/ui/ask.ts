import type { Answer } from '../ask/answer-types.js';
import type { CustomModel, LlmOptions } from '../ask/model-types.js';
import type { AskOptions, Conversation } from '../ask/types.js';
import type { AskRun } from '../ask-run.js';
import type { Ibid } from '../ibid.js';
import { ASK_STYLE } from './ask-style.js';
import type { BrowserModel } from './browser-model.js';
import { el } from './dom.js';
import { IbidElement, type Passage, type Told } from './element.js';
import { hostOf } from './host.js';
import { composes } from './keys.js';
import { anonymous } from './pages.js';
import { Turn } from './turn.js';
import { filled } from './words.js';

/** The detail of the event `ibid-feedback`. */
export interface FeedbackDetail {
  /** The question without addresses and long numbers. */
  question: string;
  helpful: boolean;
  mode: Answer['mode'];
}

/** The detail of the event `ibid-answer`. */
export interface AnswerDetail {
  /** The question without addresses and long numbers. */
  question: string;
  answer: Answer;
}

/** The reader's choice to ask a model, on this device. */
const CHOICE = 'ibid-ask';

/** The value of the attribute `model` for the browser's own. */
const BROWSER = 'browser';

/**
 * `<ibid-ask index="/site.ibid">`: a question, and an answer with citations that open their passages. Without a model, or
 * until the reader has chosen one, the answer is the best passages.
 */
export class IbidAsk extends IbidElement {
  static readonly observedAttributes = ['lang', 'placeholder', 'provider', 'model', 'base-url', 'own-key'];
  /** Options of each question, such as `prompts`, `guard` or `verify`. Default: none. */
  options: Omit<AskOptions, 'llm' | 'signal'> = {};
  protected readonly styles = ASK_STYLE;
  #llm: LlmOptions | CustomModel | undefined;
  /** The browser's own model, and the look for it. */
  #browser: BrowserModel | undefined;
  #looked: Promise<void> | undefined;
  #key = '';
  #run: AskRun | undefined;
  /** Says which of several indexes a passage is from. */
  #locate: (<P extends Passage>(passage: P) => P) | undefined;
  #talk: Conversation | undefined;
  /** The index that the conversation is about. */
  #talkedOf: Ibid | undefined;

  readonly #question = () => this.within<HTMLTextAreaElement>('textarea') as HTMLTextAreaElement;
  readonly #turns = () => this.within('.turns') as HTMLElement;

  override connectedCallback(): void {
    super.connectedCallback();
    // In a search box it is for that to ask.
    const question = this.getRootNode() === document && new URLSearchParams(location.search).get('ask');
    if (question) this.ask(question);
  }

  disconnectedCallback(): void {
    this.stop();
  }

  /** The model that answers once the reader agrees; also set by the attributes `provider`, `model` and `base-url`. */
  get llm(): LlmOptions | CustomModel | undefined {
    if (this.#llm !== undefined) return this.#llm;
    const model = this.getAttribute('model');
    if (model === null) return undefined;
    if (model === BROWSER) return this.#browser?.llm;
    const provider = this.getAttribute('provider') as LlmOptions['provider'];
    const baseURL = this.getAttribute('base-url');
    return { model, ...(provider && { provider }), ...(baseURL && { baseURL: new URL(baseURL, document.baseURI) }) };
  }

  set llm(llm: LlmOptions | CustomModel | undefined) {
    this.#llm = llm;
    if (this.isConnected) this.build();
  }

  /** @internal */
  override located<P extends Passage>(passage: P): P {
    return super.located(this.#locate?.(passage) ?? passage);
  }

  /** Asks a question, as if the reader had typed it. */
  ask(question: string): void {
    this.#question().value = question;
    void this.#ask();
  }

  /** Stops the answer that is being written. */
  stop(): void {
    this.#run?.abort();
  }

  /** Forgets the conversation, and begins another. */
  clear(): void {
    this.stop();
    this.#talk = undefined;
    this.#turns().replaceChildren();
    this.#question().placeholder = this.getAttribute('placeholder') ?? this.words.questionHint;
    (this.within('.afresh') as HTMLElement).hidden = true;
  }

  protected override build(): void {
    const words = this.words;
    const typed = this.shadowRoot?.querySelector('textarea')?.value ?? '';
    const turns = this.shadowRoot?.querySelector('.turns') ?? el('div', { class: 'turns', part: 'turns' });
    const input = el('textarea', {
      ...{ rows: '1', part: 'question', maxlength: '10000', enterkeyhint: 'send', 'aria-label': words.question },
      placeholder: this.getAttribute('placeholder') ?? words.questionHint,
    });
    input.value = typed;
    const button = el('button', { type: 'submit', class: 'main', part: 'ask-button' }, words.ask);
    const form = el('form', { part: 'form' }, input, button);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#run === undefined || this.#run.settled) void this.#ask();
      else this.stop();
    });
    form.addEventListener('keydown', (event) => event.key === 'Escape' && !composes(event) && this.stop());
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || composes(event)) return;
      event.preventDefault();
      void this.#ask();
    });
    input.addEventListener('focus', () => this.warm(), { once: true });
    const afresh = el('button', { type: 'button', class: 'plain afresh', part: 'afresh' }, words.afresh);
    afresh.hidden = turns.childElementCount === 0;
    afresh.addEventListener('click', () => {
      this.clear();
      input.focus();
    });
    this.shadowRoot?.replaceChildren(form, this.#choice(), afresh, turns);
    // Code that cannot be fetched is no reason to answer nothing.
    if (this.getAttribute('model') === BROWSER) this.#looked ??= this.#look().catch(() => {});
  }

  /** Looks for the browser's own model; without one, answers are quotes. */
  async #look(): Promise<void> {
    if (!('LanguageModel' in globalThis)) return;
    const { BrowserModel } = await import('./browser-model.js');
    this.#browser = await BrowserModel.find(this.language());
    if (this.#browser) this.rebuild();
  }

  /** Lets the reader choose whether a model is asked: nothing is sent before. */
  #choice(): HTMLElement {
    const place = el('div', { class: 'choice', part: 'choice' });
    const { llm } = this;
    if (llm === undefined) return place;
    const host = hostOf(llm);
    const agree = el('input', { type: 'checkbox' });
    agree.checked = this.#agrees();
    agree.addEventListener('change', () => {
      try {
        if (agree.checked) localStorage.setItem(CHOICE, host);
        else localStorage.removeItem(CHOICE);
      } catch {
        // Then the choice is for this page alone.
      }
      this.toggleAttribute('agreed', agree.checked);
    });
    const name = 'stream' in llm ? llm.name : llm.model;
    place.append(el('label', {}, agree, filled(this.words.answerWith, { model: name })));
    this.#inBrowser?.follow(place, agree, this.words);
    if (host !== '') place.append(el('span', {}, filled(this.words.leaves, { host })));
    if (this.hasAttribute('own-key')) {
      const key = el('input', {
        type: 'password',
        autocomplete: 'off',
        'aria-label': this.words.ownKey,
        placeholder: this.words.ownKey,
      });
      key.value = this.#key;
      key.addEventListener('input', () => {
        this.#key = key.value.trim();
      });
      place.append(key);
    }
    return place;
  }

  /** The browser's own model, if that is to answer. */
  get #inBrowser(): BrowserModel | undefined {
    return this.llm === this.#browser?.llm ? this.#browser : undefined;
  }

  #agrees(): boolean {
    if (this.hasAttribute('agreed')) return true;
    // The download of a model is agreed to each time.
    if (this.#inBrowser?.isReady === false) return false;
    try {
      return this.llm !== undefined && localStorage.getItem(CHOICE) === hostOf(this.llm);
    } catch {
      return false;
    }
  }

  /** Finds the model that the reader agreed to. */
  #chosen(): LlmOptions | CustomModel | undefined {
    const { llm } = this;
    if (!llm || !this.#agrees() || this.#inBrowser?.isReady === false) return undefined;
    return 'stream' in llm || this.#key === '' ? llm : { ...llm, apiKey: this.#key };
  }

  async #ask(): Promise<void> {
    const question = this.#question().value.trim();
    if (question === '') return;
    this.stop();
    const turn = new Turn(question, this.words, () => this.ask(question));
    this.#turns().prepend(turn.element);
    (this.within('.afresh') as HTMLElement).hidden = false;
    this.#question().value = '';
    this.#question().placeholder = this.words.follow;
    const button = this.within('.main') as HTMLElement;
    button.textContent = this.words.stop;
    turn.say(this.words.loading);
    // The page has asked the reader; until the download is over, answers are quotes.
    if (this.#agrees()) this.#inBrowser?.download();
    let run: AskRun | undefined;
    try {
      const [any, { Reply }] = await Promise.all([this.ibid, import('./reply.js'), this.#looked]);
      const { ibid, locate } = 'each' in any ? await any.closest(question) : { ibid: any };
      this.#locate = locate;
      const llm = this.#chosen();
      const fitting = llm && (await this.#inBrowser?.options());
      if (this.#talk === undefined || this.#talkedOf !== ibid) this.#talk = ibid.conversation(this.#browser?.memory);
      this.#talkedOf = ibid;
      const search = { filter: await this.readable(ibid), ...this.options.search };
      run = this.#talk.ask(question, { ...fitting, ...this.options, llm, search });
      this.#run = run;
      const reply = new Reply(this, turn);
      for await (const event of run) reply.take(event);
      const answer = await run;
      reply.finish(answer);
      this.tell('ibid-answer', { question: anonymous(question), answer } satisfies AnswerDetail);
    } catch (error) {
      turn.fail(error as Told);
    }
    if (this.#run === run || run === undefined) button.textContent = this.words.ask;
  }

  /** @internal Tells the page what the reader thinks of an answer. */
  feedback(question: string, helpful: boolean, mode: Answer['mode']): void {
    this.tell('ibid-feedback', { question: anonymous(question), helpful, mode } satisfies FeedbackDetail);
  }
}
