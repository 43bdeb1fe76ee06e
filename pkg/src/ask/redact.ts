import { IbidError } from '../error.js';
import type { Answer, AskEvent, TraceStep } from './answer-types.js';

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
    return new IbidError(error.code, this.text(error.message), { ...error, hint });
  }

  /** Events with text of the provider's own about the request; what the model writes is left as it is. */
  event(event: AskEvent): AskEvent {
    switch (event.type) {
      case 'retry':
        return { ...event, reason: this.text(event.reason) };
      case 'tool-error':
        return { ...event, message: this.text(event.message) };
      case 'tool-result':
        return event.isError ? { ...event, content: this.text(event.content) } : event;
      case 'step':
        return { ...event, step: this.#step(event.step) };
      default:
        return event;
    }
  }

  /** The same in what is left of a run. */
  answer(answer: Answer): Answer {
    const { outputProblem } = answer;
    return {
      ...answer,
      ...(outputProblem !== undefined && { outputProblem: this.text(outputProblem) }),
      trace: answer.trace.map((step) => this.#step(step)),
    };
  }

  #step(step: TraceStep): TraceStep {
    return step.note === undefined ? step : { ...step, note: this.text(step.note) };
  }
}
