// The page is built from elements and text nodes only. Nothing here or elsewhere parses HTML out of a string.

/** The element with this id. */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element #${id}.`);
  return element;
}

/**
 * Makes an element. `properties` are its properties, such as `className` or `onclick`; `attributes` among them holds
 * what has no property. Children are elements or strings.
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  const { attributes = {}, ...rest } = properties;
  Object.assign(element, rest);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Buttons with texts to try; `take` is called with the text of the one that is pressed. */
export function examples(texts, take) {
  return texts.map((textContent) =>
    el('button', { type: 'button', className: 'example', textContent, onclick: () => take(textContent) }),
  );
}

const announcer = byId('announcer');

/** Tells a screen reader what has happened, without moving the focus. */
export function announce(text) {
  announcer.textContent = text;
}
