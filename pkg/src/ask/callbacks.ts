import { IbidError, textOf } from '../error.js';

/** The longest message of somebody else's error that is passed on. */
const LONGEST = 1000;

/**
 * Runs functions of the page for a run. What they throw comes back from the wasm as a copy that knows only code and
 * message, and so is kept, to be thrown in its place.
 */
export class Callbacks {
  readonly #thrown: IbidError[] = [];

  /** Runs one; `name` is what to call it in the message of its failure. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.keep(error instanceof IbidError ? error : failed(name, error));
    }
  }

  keep(error: IbidError): IbidError {
    this.#thrown.push(error);
    return error;
  }

  original(error: IbidError): IbidError {
    return this.#thrown.find(({ code, message }) => code === error.code && message === error.message) ?? error;
  }
}

/** Writes the message of an error, in one line that is not too long. */
export function messageOf(error: unknown): string {
  const text = textOf(error);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function failed(name: string, error: unknown): IbidError {
  return new IbidError('invalid-option', `${name} failed: ${messageOf(error)}`, { cause: error });
}
