import { expect, type Locator, type Page } from '@playwright/test';
import type { LlmDouble } from './llm-double.js';

/** The fields of the form for a model; the double's own values if something is left out. */
interface ModelChoice {
  /** By the name that the list shows, or its id. */
  provider?: string;
  baseUrl?: string;
  model?: string;
  key?: string;
}

/** The demo as a person sees and uses it: where things are, and what one does with them. */
export class Demo {
  readonly page: Page;
  readonly searchBox: Locator;
  readonly searchStatus: Locator;
  /** Pages, and below each its passages. */
  readonly results: Locator;
  readonly question: Locator;
  /** The button that asks, and stops while an answer is written. */
  readonly askButton: Locator;
  readonly stopButton: Locator;
  /** The questions with their answers, the newest first. */
  readonly turns: Locator;
  readonly status: Locator;
  readonly answer: Locator;
  readonly note: Locator;
  readonly citations: Locator;
  /** Words that the passages do not bear out. */
  readonly marks: Locator;
  readonly doubts: Locator;
  readonly sources: Locator;
  readonly passage: Locator;
  readonly model: Locator;
  readonly afresh: Locator;

  constructor(page: Page) {
    this.page = page;
    const search = page.locator('ibid-search');
    this.searchBox = search.getByRole('combobox');
    this.searchStatus = search.getByRole('status');
    this.results = search.getByRole('option');
    const ask = page.locator('ibid-ask');
    this.question = ask.getByRole('textbox', { name: 'Your question' });
    this.askButton = ask.getByRole('button', { name: 'Ask', exact: true });
    this.stopButton = ask.getByRole('button', { name: 'Stop', exact: true });
    this.turns = ask.locator('[part="turn"]');
    const turn = this.turns.first();
    this.status = turn.locator('[part="status"]');
    this.answer = turn.locator('[part="answer"]');
    this.note = turn.locator('[part="note"]');
    this.citations = this.answer.locator('button.ibid-cite');
    this.marks = this.answer.locator('mark.ibid-flag');
    this.doubts = turn.locator('[part="doubts"]').getByRole('listitem', { includeHidden: true });
    this.sources = turn.locator('[part="sources"]').getByRole('listitem', { includeHidden: true });
    this.passage = turn.locator('[part="passage"]');
    this.afresh = ask.getByRole('button', { name: 'New conversation' });
    this.model = page.locator('#model');
  }

  async open(): Promise<void> {
    await this.page.goto('./');
    await expect(this.searchBox).toBeVisible();
    // The rest of the page comes when it is idle.
    await expect(this.page.locator('html')).toHaveAttribute('data-ready', '');
  }

  async search(query: string): Promise<void> {
    await this.searchBox.fill(query);
  }

  async ask(question: string): Promise<void> {
    await this.question.fill(question);
    await this.question.press('Enter');
  }

  async openModelForm(): Promise<void> {
    if ((await this.model.getAttribute('open')) === null) await this.model.locator('summary').click();
  }

  /** Connects a model by way of the form, as a person does. */
  async useModel(llm: LlmDouble, choice: ModelChoice = {}): Promise<void> {
    const { provider = 'custom', baseUrl = llm.baseUrl, model = llm.model, key = llm.key } = choice;
    await this.openModelForm();
    await this.model.getByLabel('Provider').selectOption(provider);
    await this.model.getByLabel('Address').fill(baseUrl);
    await this.model.getByLabel('Model', { exact: true }).fill(model);
    await this.model.getByLabel('API key').fill(key);
    await this.model.getByRole('button', { name: 'Use this model' }).click();
    await expect(this.model.getByRole('status')).toContainText('answers now');
  }

  citation(number: number): Locator {
    return this.answer.getByRole('button', { name: new RegExp(`^Source ${number}:`) });
  }

  /** The failure that is shown, checked for what every one must have: a sentence, a hint and its code. */
  async problem(code: string): Promise<Locator> {
    const turn = this.turns.first();
    await expect(turn.locator('.problem')).toHaveText(new RegExp(`^[A-Z].{10,} \\[${code}\\]$`));
    await expect(this.status).toHaveText(/^[A-Z].{10,}/);
    await expect(turn).not.toContainText(/undefined|\[object/);
    await expect(this.answer).not.toHaveAttribute('aria-busy');
    return turn;
  }

  /** Waits for the end of a run that gave an answer, and checks who wrote it. */
  async answered(by: 'model' | 'extractive'): Promise<void> {
    const note = by === 'model' ? /^Written by / : 'The best passages, word for word.';
    await expect(this.note).toHaveText(note);
    await expect(this.answer).not.toHaveAttribute('aria-busy');
    await expect(this.askButton).toBeVisible();
    await expect(this.stopButton).toBeHidden();
  }
}
