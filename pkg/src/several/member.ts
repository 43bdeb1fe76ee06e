import { type IbidError, toIbidError } from '../error.js';
import type { HitIndex } from '../search-types.js';

/** Milliseconds that the others wait for an index, once one has answered. */
export const PATIENCE = { ms: 2000 };

/** One of several indexes, which the next search opens again if it could not be opened. */
export class Member<I> {
  readonly index: HitIndex;
  readonly weight: number;
  ibid: I | undefined;
  /** True from when the others have waited for it in vain until it answers. */
  isLate = false;
  readonly #load: () => Promise<I>;
  #opening: Promise<I> | undefined;

  constructor(load: () => Promise<I>, index: HitIndex, weight: number) {
    this.#load = load;
    this.index = index;
    this.weight = weight;
  }

  async open(): Promise<I> {
    this.#opening ??= this.#load();
    try {
      this.ibid = await this.#opening;
      return this.ibid;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}

/** The outcome for a member: a value, an error, or neither if the others have waited long enough. */
export interface Outcome<I, T> {
  member: Member<I>;
  value?: T;
  error?: IbidError;
}

/** Has each member do something, and returns what came of it once all are done, or soon after the first is. */
export function inTime<I, T>(
  members: readonly Member<I>[],
  act: (member: Member<I>) => Promise<T>,
): Promise<Outcome<I, T>[]> {
  const outcomes = new Map<Member<I>, Outcome<I, T>>(members.map((member) => [member, { member }]));
  return new Promise((resolve) => {
    const busy = new Set(members);
    let isAnswered = false;
    const end = () => {
      for (const member of busy) member.isLate = true;
      resolve([...outcomes.values()]);
    };
    const settle = (outcome: Outcome<I, T>) => {
      const { member } = outcome;
      outcomes.set(member, outcome);
      busy.delete(member);
      if (outcome.error === undefined) {
        member.isLate = false;
        if (!isAnswered) setTimeout(end, PATIENCE.ms);
        isAnswered = true;
      }
      if (busy.size === 0 || (isAnswered && [...busy].every(({ isLate }) => isLate))) end();
    };
    for (const member of members) {
      act(member).then(
        (value) => settle({ member, value }),
        (error) => settle({ member, error: toIbidError(error) }),
      );
    }
  });
}
