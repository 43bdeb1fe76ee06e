import { IbidError } from './error.js';
import type { AskEvent } from './types.js';

/** The shortest value that is taken for a secret: cutting out shorter ones would garble ordinary words. */
const SHORTEST = 6;

/**
 * Cuts secrets out of what leaves a run: providers and proxies are known to send a refused key back in their error
 * messages, from where it would reach logs.
 */
export class Redactor {
  readonly #secrets: string[];

  constructor(secrets: Iterable<string | undefined>) {
    this.#secrets = [...secrets]
      // `Authorization: Bearer KEY` as a header of the caller's own: the key alone must go too.
      .flatMap((secret) => (secret === undefined ? [] : [secret, ...secret.split(/\s+/)]))
      .filter((secret) => secret.length >= SHORTEST)
      .sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text);
  }

  error(error: IbidError): IbidError {
    if (this.text(`${error.message}${error.hint}`) === `${error.message}${error.hint}`) return error;
    const hint = error.hint === undefined ? undefined : this.text(error.hint);
    return new IbidError(error.code, this.text(error.message), { hint, retryable: error.retryable });
  }

  /** Events with text of the provider's own about the request; what the model writes is left as it is. */
  event(event: AskEvent): AskEvent {
    if (event.type === 'retry') return { ...event, reason: this.text(event.reason) };
    if (event.type === 'tool-error') return { ...event, message: this.text(event.message) };
    return event;
  }
}
