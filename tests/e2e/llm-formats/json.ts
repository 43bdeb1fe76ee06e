// Reads JSON that a client sent, whatever it holds.

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of objects, which is empty for anything else. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The first name that is not among the known ones. */
export function unknownKey(value: Json, known: readonly string[]): string | undefined {
  return Object.keys(value).find((key) => !known.includes(key));
}
