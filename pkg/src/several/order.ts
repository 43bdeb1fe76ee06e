import type { FieldType, Hit, SearchOptions } from '../search-types.js';

/** Folds a text as it is compared: regardless of case and accents. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the order in which an index sorts hits by a field: those without it last, equal ones as they are. */
export function byField(
  sort: NonNullable<SearchOptions['sort']>,
  type: FieldType = 'keyword',
): (one: Hit, other: Hit) => number {
  const { field, order } = typeof sort === 'string' ? { field: sort } : sort;
  const isText = type.startsWith('keyword');
  const sign = order === 'descending' || (!isText && order === undefined) ? -1 : 1;
  const keyOf = (value: unknown) => {
    if (type === 'date') return Date.parse(String(value));
    return isText ? plain(String(value)) : Number(value);
  };
  const compare = (one: string | number, other: string | number) => sign * (Number(one > other) - Number(one < other));
  // Of several values the one that comes first counts.
  const firstOf = ({ title, url, source, documentId, metadata }: Hit) =>
    [{ ...metadata, title, url, source, document_id: documentId }[field] ?? []].flat().map(keyOf).sort(compare)[0];
  return (one, other) => {
    const [first, second] = [firstOf(one), firstOf(other)];
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
    return compare(first, second);
  };
}
