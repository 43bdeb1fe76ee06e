import { expect, type Locator, type Page } from '@playwright/test';
import type { LlmDouble } from './llm-double.js';

/** What a person types into the settings; the double's own values where something is left out. */
interface ModelChoice {
  /** By the name that the list shows, or its id. */
  provider?: string;
  baseUrl?: string;
  model?: string;
  key?: string;
  policy?: string;
  thinking?: string;
  verify?: 'mark' | 'strict' | 'repair' | 'off';
  pii?: 'redact' | 'flag' | 'off';
  audit?: boolean;
}

/** The demo as a person sees and uses it: where things are, and what one does with them. */
export class Demo {
  readonly page: Page;
  readonly loaded: Locator;
  readonly searchBox: Locator;
  readonly searchStatus: Locator;
  readonly results: Locator;
  readonly question: Locator;
  readonly askButton: Locator;
  readonly stopButton: Locator;
  readonly answer: Locator;
  readonly answerNote: Locator;
  readonly citations: Locator;
  /** What came of each claim's check, and doubts about what is no claim. */
  readonly signs: Locator;
  readonly guard: Locator;
  readonly emergency: Locator;
  readonly confidence: Locator;
  readonly flags: Locator;
  readonly sources: Locator;
  readonly steps: Locator;
  readonly stepLabels: Locator;
  readonly passage: Locator;
  readonly passageText: Locator;
  readonly settings: Locator;
  readonly thinking: Locator;
  readonly earlier: Locator;
  readonly newConversation: Locator;

  constructor(page: Page) {
    this.page = page;
    this.loaded = page.getByTestId('loaded');
    this.searchBox = page.getByTestId('search-input');
    this.searchStatus = page.getByTestId('search-status');
    this.results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    this.question = page.getByTestId('question');
    this.askButton = page.getByTestId('ask');
    this.stopButton = page.getByTestId('stop');
    this.answer = page.getByTestId('answer');
    this.answerNote = page.getByTestId('answer-note');
    this.citations = this.answer.locator('button.ibid-cite');
    this.signs = this.answer.locator('button.ibid-sign');
    this.guard = page.getByTestId('guard').getByRole('listitem');
    this.emergency = page.getByTestId('emergency');
    this.confidence = page.getByTestId('confidence');
    this.flags = page.getByTestId('flags').getByRole('listitem');
    this.sources = page.getByTestId('sources').getByRole('listitem');
    this.steps = page.getByTestId('trace').getByRole('listitem');
    this.stepLabels = this.steps.locator('.step-label');
    this.passage = page.getByTestId('passage');
    this.passageText = page.getByTestId('passage-text');
    this.settings = page.getByTestId('settings');
    this.thinking = page.getByTestId('reasoning');
    this.earlier = page.getByTestId('earlier').getByRole('listitem');
    this.newConversation = page.getByTestId('new-talk');
  }

  async open(): Promise<void> {
    await this.page.goto('./');
    await this.ready();
  }

  async ready(): Promise<void> {
    await expect(this.loaded).toContainText('ready in');
  }

  async search(query: string): Promise<void> {
    await this.searchBox.fill(query);
    await this.searchBox.press('Enter');
  }

  async ask(question: string): Promise<void> {
    await this.question.fill(question);
    await this.askButton.click();
  }

  /** Connects a model by way of the settings, as a person does. */
  async useModel(llm: LlmDouble, choice: ModelChoice = {}): Promise<void> {
    const { provider = 'custom', baseUrl = llm.baseUrl, model = llm.model, key = llm.key } = choice;
    const { policy, thinking, verify, pii, audit } = choice;
    await this.page.getByTestId('settings-open').click();
    await this.settings.getByLabel('Provider').selectOption(provider);
    await this.settings.getByLabel('Base URL').fill(baseUrl);
    await this.settings.getByLabel('Model', { exact: true }).fill(model);
    await this.settings.getByLabel('API key').fill(key);
    if (policy !== undefined) await this.settings.getByLabel('How to answer').selectOption(policy);
    if (thinking !== undefined) await this.settings.getByLabel('Thinking').selectOption(thinking);
    if (verify !== undefined) await this.settings.getByLabel('Claims without support').selectOption(verify);
    if (pii !== undefined) await this.settings.getByLabel('Personal details').selectOption(pii);
    if (audit !== undefined) await this.settings.getByLabel('Keep an audit log').setChecked(audit);
    await this.settings.getByRole('button', { name: 'Save' }).click();
    await expect(this.settings).toBeHidden();
  }

  citation(number: number): Locator {
    return this.answer.getByRole('button', { name: `[${number}] Source ${number}:` });
  }

  /** The step of the trace with this label; the `nth` of several, from 0. */
  step(label: string, nth = 0): Locator {
    return this.steps.filter({ has: this.page.getByText(label, { exact: true }) }).nth(nth);
  }

  /** The error that is shown, checked for what every error must have: a sentence, a hint and its code. */
  async problem(code: string): Promise<Locator> {
    const alert = this.page.getByRole('alert').filter({ has: this.page.locator('.problem-code') });
    await expect(alert.locator('.problem-code')).toHaveText(code, { timeout: 15_000 });
    await expect(alert.locator('.problem-message')).toHaveText(/^[A-Z].{10,}/);
    await expect(alert.locator('.problem-message')).not.toHaveText(/undefined|\[object/);
    await expect(alert.locator('.problem-hint')).toHaveText(/^[A-Z].{10,}\.$/);
    return alert;
  }

  /** Waits for the end of a run that gave an answer, and checks who wrote it. */
  async answered(by: 'model' | 'extractive' | 'stopped'): Promise<void> {
    await expect(this.answerNote).toHaveAttribute('data-kind', by, { timeout: 15_000 });
    await expect(this.answer).not.toHaveAttribute('aria-busy');
    await expect(this.askButton).toBeVisible();
    await expect(this.stopButton).toBeHidden();
  }
}
