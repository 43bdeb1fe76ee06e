import type { Answer, Claim, Flag } from '../ask/answer-types.js';
import type { Mark } from './types.js';

/** Describes the status of a claim and the doubts about it, in English. */
export function describeMark({ claim, flags }: Mark): string {
  const said = claim === undefined ? '' : described(claim);
  return [...(said ? [said] : []), ...flags.map((flag) => flag.message)].join(' ');
}

/** Describes the doubt in English: the flag's message, and the sources that would support the claim. */
export function describeFlag({ message, span }: Flag, { claims }: Pick<Answer, 'claims'>): string {
  const claim = claims.find(({ start, end }) => span.start < end && span.end > start);
  const others = claim === undefined ? [] : alternatives(claim).filter((number) => !message.includes(`[${number}]`));
  return claim === undefined || others.length === 0 ? message : `${message} ${instead(claim, others)}`;
}

function described(claim: Claim): string {
  const numbers = claim.sources;
  const others = alternatives(claim);
  switch (claim.check?.status) {
    case 'supported':
      return `Supported by ${listed(numbers)}.`;
    case 'unsupported':
      return others.length > 0 ? instead(claim, others) : `Not supported by ${listed(numbers)}.`;
    case 'uncited':
      return others.length > 0 ? `Cites no source. ${instead(claim, others)}` : 'Cites no source.';
    default:
      return '';
  }
}

function instead({ sources }: Claim, others: number[]): string {
  return sources.length > 0
    ? `Supported by ${listed(others)}, not ${listed(sources)}.`
    : `Supported by ${listed(others)}.`;
}

/** Lists the numbers of sources that would support a claim. */
function alternatives({ check }: Claim): number[] {
  return [...new Set(check?.alternatives?.map(({ number }) => number))];
}

function listed(numbers: readonly number[]): string {
  return numbers.length === 0 ? 'its sources' : numbers.map((number) => `[${number}]`).join(', ');
}
