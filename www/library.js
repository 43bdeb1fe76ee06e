// The library, loaded when the page starts and not above, so that a page without it can say so.

let parts = null;

/** Loads what the page needs of it: `Ibid`, and what shows answers. */
export async function library() {
  try {
    const [main, render] = await Promise.all([import('./ibid/index.js'), import('./ibid/render/index.js')]);
    parts = { ...main, ...render };
    return parts;
  } catch (error) {
    throw Object.assign(new Error('The library ibid/index.js could not be loaded.', { cause: error }), {
      code: 'wasm-load',
      hint: 'Check the connection, and that the folder ibid is deployed beside this page.',
    });
  }
}

/** The same, for what runs only after that. */
export function loadedLibrary() {
  return parts;
}
