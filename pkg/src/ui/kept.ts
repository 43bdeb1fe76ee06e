/** A page that somebody opened. */
export interface KeptPage {
  title: string;
  section: string;
  href: string;
  favourite?: boolean;
}

/** The searches and pages of a reader, latest first. */
export interface Kept {
  searches: string[];
  pages: KeptPage[];
}

const NAME = 'ibid-search';
const MOST = 5;

/** Searches and pages of this reader, on this device alone. A browser that keeps nothing forgets them. */
export class KeptStore {
  /** Reads the entries that are kept; empty if there are none, or if it cannot be read. */
  get(): Kept {
    try {
      const { searches, pages } = JSON.parse(localStorage.getItem(NAME) ?? '{}');
      return { searches: list(searches, isText), pages: list(pages, isPage) };
    } catch {
      return { searches: [], pages: [] };
    }
  }

  searched(query: string): void {
    if (query === '') return;
    const kept = this.get();
    this.#put({ ...kept, searches: [query, ...kept.searches.filter((known) => known !== query)].slice(0, MOST) });
  }

  opened(page: KeptPage): void {
    const kept = this.get();
    const known = kept.pages.find(({ href }) => href === page.href);
    const others = kept.pages.filter((other) => other !== known);
    const all = [{ ...page, ...(known?.favourite && { favourite: true }) }, ...others];
    const favourites = all.filter(({ favourite }) => favourite);
    const recent = all.filter(({ favourite }) => !favourite).slice(0, MOST);
    this.#put({ ...kept, pages: [...favourites, ...recent] });
  }

  /** Makes a page a favourite, or takes that back. */
  toggle(href: string): void {
    this.#put(this.#changed(href, (page) => [{ ...page, favourite: !page.favourite }]));
  }

  forget(href: string): void {
    this.#put(this.#changed(href, () => []));
  }

  clear(): void {
    this.#put();
  }

  #changed(href: string, change: (page: KeptPage) => KeptPage[]): Kept {
    const kept = this.get();
    return { ...kept, pages: kept.pages.flatMap((page) => (page.href === href ? change(page) : [page])) };
  }

  #put(kept?: Kept): void {
    try {
      if (kept === undefined) localStorage.removeItem(NAME);
      else localStorage.setItem(NAME, JSON.stringify(kept));
    } catch {
      // A full or forbidden storage keeps nothing.
    }
  }
}

function list<T>(value: unknown, is: (item: unknown) => item is T): T[] {
  return Array.isArray(value) ? value.filter(is) : [];
}

function isText(item: unknown): item is string {
  return typeof item === 'string';
}

/** An address is a web address of a page, and never a script. */
function isPage(item: unknown): item is KeptPage {
  const { title, section, href } = (item ?? {}) as Partial<KeptPage>;
  return isText(title) && isText(section) && isText(href) && /^(?:https?:|[^:]*(?:[/?#]|$))/i.test(href);
}
