import type { Verifiable, Verification } from './ask/answer-types.js';
import type { AskModule } from './ask/module.js';
import { emergencyRules, piiRules } from './ask/rules.js';
import type { BibliographyFormat, GuardOptions, PiiOptions, Redacted, Verdict } from './ask/trust-types.js';
import { IbidError, toIbidError } from './error.js';
import { askModule } from './page-modules.js';
import { wire } from './search-wire.js';
import type { LoadOptions } from './types.js';

/** The module that answers questions, for what it computes without a run. */
export interface AskModuleSource {
  /** As {@link LoadOptions.askWasm}; no matter if it has been loaded already. */
  askWasm?: LoadOptions['askWasm'];
  /** @internal Another module, for tests. */
  module?: typeof askModule;
  /** @internal Where the rules for emergencies come from, for tests. */
  rules?: typeof emergencyRules;
  /** @internal Where the rules for personal data come from, for tests. */
  lists?: typeof piiRules;
}

/**
 * Checks the claims of an answer against the sources that they cite, as a run does. Of the answer, `text` and `sources` are
 * needed; positions in others of its fields are not read. Takes milliseconds, and asks no model; a long answer is gone
 * through in slices, between which the page can do something else.
 *
 * Fails with `invalid-document` for what is no answer, `invalid-option` for what is no JSON, or `wasm-load`.
 */
export function verifyAnswer(answer: Verifiable, source: AskModuleSource = {}): Promise<Verification> {
  return computed(source, async ({ verify }) => JSON.parse(await verify(json(answer))));
}

/**
 * Lists the sources that an answer cites, in the order of their numbers, for other programs or people to read.
 *
 * Fails with `invalid-document` for what is no answer, `invalid-option` for another format, or `wasm-load`.
 */
export function bibliography(
  answer: Verifiable,
  format: BibliographyFormat = 'list',
  source: AskModuleSource = {},
): Promise<string> {
  return computed(source, (module) => module.bibliography(json(answer), format));
}

/**
 * Looks at a question as a run does before it answers: its language, what it asks for, what is odd, and whether it tells
 * of an emergency. `emergency` is `flag` by default here.
 *
 * Fails with `question-length`, `question-blocked`, `invalid-option`, or `wasm-load`.
 */
export function inspectQuestion(
  text: string,
  options: GuardOptions = {},
  source: AskModuleSource = {},
): Promise<Verdict> {
  const given: GuardOptions = { ...options, emergency: options.emergency ?? 'flag' };
  const { rules = emergencyRules } = source;
  return computed(source, async ({ inspect, provideEmergencyRules }) => {
    if (given.emergency !== 'off') provideEmergencyRules(await rules());
    return JSON.parse(inspect(text, json(given)));
  });
}

/**
 * Puts placeholders in place of personal data in a text.
 *
 * Fails with `invalid-option`, or `wasm-load`.
 */
export function redact(text: string, options: PiiOptions = {}, source: AskModuleSource = {}): Promise<Redacted> {
  const { lists = piiRules } = source;
  return computed(source, async (module) => {
    module.providePiiRules(await lists());
    return JSON.parse(module.redact(text, json(options)));
  });
}

async function computed<T>(
  { askWasm, module = askModule }: AskModuleSource,
  compute: (module: AskModule) => T | Promise<T>,
): Promise<T> {
  try {
    const loaded = await module.get(askWasm);
    await loaded.complete();
    return await compute(loaded);
  } catch (error) {
    throw toIbidError(error);
  }
}

/** JSON of something of the caller's own, which may be none. */
function json(given: object): string {
  try {
    return wire(given);
  } catch (error) {
    if (error instanceof IbidError) throw error;
    throw new IbidError('invalid-option', 'This cannot be written as JSON.', { cause: error });
  }
}
