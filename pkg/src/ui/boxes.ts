/** The search boxes of the page: the first answers to keys, and all hear of what happens to the page. */

/** A search box as its page sees it. */
export interface Box {
  /** Opens or closes it if the event is its shortcut. */
  pressed(event: KeyboardEvent): void;
  /** Searches for what the page's address says once its visitor has come back. */
  comeBack(): void;
  /** Fits it into the height that a keyboard on the screen leaves. */
  fit(height: number): void;
}

export const boxes = new Set<Box>();

/** Opens or closes the first search box of the page if `event` is its shortcut. */
export function press(event: KeyboardEvent): void {
  const [first] = boxes;
  first?.pressed(event);
}

function comeBack(): void {
  for (const box of boxes) box.comeBack();
}

// Before the page's own listeners: a theme's search may want the same keys.
const page = globalThis.document?.defaultView;
page?.addEventListener('keydown', press, { capture: true });
// The page is still there: the browser has kept it, or its own code has put it back.
page?.addEventListener('pageshow', (event) => event.persisted && comeBack());
page?.addEventListener('popstate', comeBack);
// A keyboard on the screen covers the end of the results.
const seen = page?.visualViewport;
seen?.addEventListener('resize', () => {
  for (const box of boxes) box.fit(seen.height);
});
