/** Keys as they reach a page, whatever keyboard, system or input method they come from. */
type Key = Pick<
  KeyboardEvent,
  'key' | 'code' | 'keyCode' | 'isComposing' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'composedPath'
>;

const isMac = () => /Mac|iP/.test(navigator.platform);

/** Writes the words for the key that opens the search, as this system writes it. */
export const shortcutName = () => (isMac() ? '⌘ K' : 'Ctrl K');

/** Returns true if a key belongs to an input method. Safari ends the composition before its last key: 229 tells then. */
export function composes({ isComposing, keyCode }: Pick<Key, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229;
}

/** Returns true for Ctrl-K or ⌘K, and for a slash that is not typed into anything. */
export function isShortcut(event: Key): boolean {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (composes(event) || altKey) return false;
  const path = event.composedPath();
  const isField = path.some((at) => is(at, 'input, textarea, select'));
  // An editor has a Ctrl-K of its own.
  const isEditor = !isField && path.some(isEditable);
  if (key === '/') return !isField && !isEditor && !ctrlKey && !metaKey;
  // Keyboards of other scripts have no K, but a key in its place.
  const isK = key.toLowerCase() === 'k' || (code === 'KeyK' && !/^\p{Script=Latin}$/u.test(key));
  if (!isK || isEditor || shiftKey) return false;
  // In a field of a Mac, Ctrl-K deletes to the end of the line.
  return metaKey || (ctrlKey && !(isField && isMac()));
}

function isEditable(at: EventTarget): boolean {
  const { isContentEditable, editContext } = at as Partial<HTMLElement & { editContext: unknown }>;
  return (
    isContentEditable === true || Boolean(editContext) || is(at, '[role=textbox], [role=searchbox], [role=combobox]')
  );
}

function is(at: EventTarget, selector: string): boolean {
  return (at as Partial<Element>).matches?.(selector) ?? false;
}
