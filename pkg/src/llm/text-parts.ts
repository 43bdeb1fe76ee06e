import type { ModelPart, ModelRequest } from '../ask/model-types.js';

const THINK = '<think>';
const END = '</think>';
/** The wrapping of a call, the way that models were trained to. */
const WRAPPERS = ['<tool_call>', '```'];

/**
 * Takes a text apart as it comes: thoughts in `<think>` tags at its beginning, and a text that is nothing but calls of
 * tools, see {@link prompted}. Whatever is neither is text, unchanged.
 */
export class TextParts {
  readonly #tools: Set<string>;
  #state: 'start' | 'thinking' | 'after' | 'text' | 'call' = 'start';
  #held = '';

  constructor({ tools, toolChoice }: Pick<ModelRequest, 'tools' | 'toolChoice'>) {
    this.#tools = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
  }

  push(delta: string): ModelPart[] {
    if (this.#state === 'text') return text(delta);
    this.#held += delta;
    return this.#state === 'call' ? [] : this.#read();
  }

  /** Takes the rest when the text is over; `whole` is false where it was cut off, since half a call is none. */
  end(whole: boolean): ModelPart[] {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') return held === '' ? [] : [{ type: 'reasoning', delta: held }];
    const calls = whole && this.#state === 'call' ? this.#calls(held) : undefined;
    return calls ?? text(held);
  }

  #read(): ModelPart[] {
    if (this.#state === 'thinking') return this.#think();
    const trimmed = this.#held.trimStart();
    // The space between thoughts and answer belongs to neither.
    if (this.#state === 'after') this.#held = trimmed;
    if (this.#state === 'start') {
      if (trimmed.startsWith(THINK)) {
        this.#state = 'thinking';
        this.#held = trimmed.slice(THINK.length);
        return this.#think();
      }
      if (THINK.startsWith(trimmed)) return [];
    }
    if (this.#tools.size > 0) {
      if (/^[{[]/.test(trimmed) || WRAPPERS.some((wrapper) => trimmed.startsWith(wrapper))) {
        this.#state = 'call';
        return [];
      }
      if (WRAPPERS.some((wrapper) => wrapper.startsWith(trimmed))) return [];
    } else if (trimmed === '') {
      return [];
    }
    this.#state = 'text';
    const held = this.#held;
    this.#held = '';
    return text(held);
  }

  #think(): ModelPart[] {
    const end = this.#held.indexOf(END);
    // The tag may be about to end: as much of it as there could be is held back.
    const until = end >= 0 ? end : this.#held.length - suffixOf(this.#held, END);
    const thought = this.#held.slice(0, until);
    this.#held = this.#held.slice(end >= 0 ? until + END.length : until);
    const parts: ModelPart[] = thought === '' ? [] : [{ type: 'reasoning', delta: thought }];
    if (end < 0) return parts;
    this.#state = 'after';
    return [...parts, ...this.#read()];
  }

  /** Reads the calls that a text consists of, or `undefined` if it is something else. */
  #calls(whole: string): ModelPart[] | undefined {
    const json = whole
      .trim()
      .replace(/^```(?:json|tool_call)?\s*|\s*```$/g, '')
      .replaceAll(/<\/?tool_call>/g, '\n')
      .trim();
    const values = parsed(json) ?? lines(json);
    const calls = values?.flat().map((value) => this.#call(value));
    return calls?.length && calls.every((call) => call !== undefined) ? (calls as ModelPart[]) : undefined;
  }

  #call(value: unknown): ModelPart | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const { name, arguments: args, parameters } = value as Record<string, unknown>;
    const given = args ?? parameters ?? {};
    if (typeof name !== 'string' || !this.#tools.has(name)) return undefined;
    if (typeof given === 'string') return { type: 'tool-call', name, arguments: given };
    return typeof given === 'object' ? { type: 'tool-call', name, arguments: JSON.stringify(given) } : undefined;
  }
}

function text(delta: string): ModelPart[] {
  return delta === '' ? [] : [{ type: 'text', delta }];
}

function parsed(json: string): unknown[] | undefined {
  try {
    return [JSON.parse(json)];
  } catch {
    return undefined;
  }
}

/** Several calls, one in each line. */
function lines(json: string): unknown[] | undefined {
  const values = json
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parsed(line)?.[0]);
  return values.includes(undefined) ? undefined : values;
}

/** Counts the characters at the end of a text that are the beginning of `tag`. */
function suffixOf(held: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, held.length); length > 0; length -= 1) {
    if (held.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
