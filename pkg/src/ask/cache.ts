import type { Answer } from './answer-types.js';
import { Lru } from './lru.js';
import type { AskWireOptions } from './module.js';
import type { Searched } from './searched.js';
import type { AskOptions } from './types.js';
import { isCustom, modelsOf } from './wire.js';

const MOST_SEARCHES = 64;
const MOST_ANSWERS = 32;

/** The searches of one version of an index, with their results. */
interface Found {
  version: number;
  hits: Lru<string>;
}

const searches = new WeakMap<Searched, Found>();

/** Searches an index, or finds what the same search has found since the index last changed. */
export async function cachedFind(index: Searched, query: string, signal?: AbortSignal): Promise<string> {
  const before = foundIn(index);
  const kept = before.hits.get(query);
  if (kept !== undefined) return kept;
  const hits = await index.find(query, signal);
  // The index may have changed during the search, which may then have found either.
  if (before.version === index.version) before.hits.set(query, hits);
  return hits;
}

function foundIn(index: Searched): Found {
  const { version } = index;
  let found = searches.get(index);
  if (found?.version !== version) {
    found = { version, hits: new Lru(MOST_SEARCHES) };
    searches.set(index, found);
  }
  return found;
}

const answers = new Lru<Answer>(MOST_ANSWERS);
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** An answer's place among those that are kept. */
export class AnswerCache {
  readonly #key: string;

  /** `undefined` where an answer depends on more than can be told. */
  static for(
    question: string,
    options: AskOptions,
    wire: AskWireOptions,
    indexes: Iterable<Searched>,
  ): AnswerCache | undefined {
    const { tools, stopFunction, prepareStep, conversationId, models, ...rest } = wire;
    if (tools || stopFunction || prepareStep || rest.rerank === 'host' || conversationId !== undefined)
      return undefined;
    // Images are too large to be keys, and a run that goes on has begun elsewhere.
    if (rest.images || rest.resume !== undefined) return undefined;
    // The record of a run tells what that run has sent and found. Lists of names are not to lie about in keys.
    if (rest.audit || rest.pii?.words || rest.pii?.allow) return undefined;
    // Secrets are not to outlive the run, and make no difference to the answer.
    const known = models?.map((model) => {
      if (!('llm' in model)) return model;
      const { apiKey: _, headers: __, ...llm } = model.llm;
      return llm;
    });
    const states = [...indexes].map((index) => `${numberOf(index)}.${index.version}`);
    // Two models of the page's own may have one name.
    const own = modelsOf(options).map((model) => (isCustom(model) ? numberOf(model) : 0));
    return new AnswerCache(JSON.stringify([question.trim(), states, own, known, rest]));
  }

  private constructor(key: string) {
    this.#key = key;
  }

  get answer(): Answer | undefined {
    const kept = answers.get(this.#key);
    return kept && { ...structuredClone(kept), cached: true };
  }

  /** Keeps an answer that a model wrote and nothing cut short; any other may be better the next time. */
  keep(answer: Answer): void {
    if (answer.mode !== 'model' || answer.finishReason !== 'stop' || answer.stoppedBy !== undefined) return;
    answers.set(this.#key, structuredClone(answer));
  }
}

/** Tells objects apart, such as two indexes of the same file. */
function numberOf(object: object): number {
  const number = numbers.get(object) ?? ++lastNumber;
  numbers.set(object, number);
  return number;
}
