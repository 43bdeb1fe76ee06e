/** The query of a search box in the address of its page, and the place among the results, for those who come back. */

/** The place that a visitor left the results from: the row that was opened, and how far they were scrolled. */
export interface Place {
  row: number;
  scrolled: number;
}

/** The name of the place in the state of the history's entry. */
const NAME = 'ibid-place';

export function writeQuery(parameter: string | null, query: string): void {
  if (parameter === null) return;
  const address = new URL(location.href);
  if (query === '') address.searchParams.delete(parameter);
  else address.searchParams.set(parameter, query);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}

export function readQuery(parameter: string | null): string | null {
  return parameter === null ? null : new URLSearchParams(location.search).get(parameter);
}

export function keepPlace(place: Place): void {
  history.replaceState({ ...history.state, [NAME]: place }, '');
}

export function keptPlace(): Place | undefined {
  return history.state?.[NAME];
}

/** Returns true if an address leads to another page, and not to a heading of this one. */
export function isElsewhere(href: string): boolean {
  const { origin, pathname } = new URL(href, location.href);
  return origin !== location.origin || pathname !== location.pathname;
}
