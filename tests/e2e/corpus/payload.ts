/** A text that tries to run script, to load something, to lead away, or to have a model do that. */
export interface Payload {
  /** What it tries, in short; unique. */
  name: string;
  text: string;
}

/** Nothing is ever to be asked for there. The name exists nowhere, by RFC 2606. */
export const EVIL = 'https://evil.example';

/** What runs when script does: the page counts its calls. */
export const RUN = 'canary()';

/** Payloads out of pairs of names and texts. */
export function payloads(kind: string, texts: Record<string, string>): Payload[] {
  return Object.entries(texts).map(([name, text]) => ({ name: `${kind}: ${name}`, text }));
}
