/** The looks of `<ibid-search>`. */
export const SEARCH_STYLE = `
.open {
  display: inline-flex; align-items: center; gap: 0.5rem; min-height: 2.5rem; padding: 0.35rem 0.75rem;
  border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_raised); color: var(--_muted);
}
.open:hover { border-color: var(--_accent); color: var(--_text); }
kbd {
  font: 0.75rem/1.4 var(--_mono); padding: 0 0.35em; border: 1px solid var(--_border); border-radius: 0.3em;
  background: var(--_background); color: var(--_muted);
}
dialog {
  inset: 0; margin: min(12vh, 6rem) auto auto; padding: 0; border: 1px solid var(--_border);
  width: min(var(--ibid-width, 42rem), calc(100vw - 2rem)); max-height: min(80vh, 44rem);
  border-radius: calc(var(--_radius) * 1.4); background: var(--_background); color: inherit; overflow: hidden;
  box-shadow: var(--ibid-shadow, 0 1.5rem 4rem rgb(0 0 0 / 28%), 0 0.25rem 1rem rgb(0 0 0 / 12%));
}
dialog[open] { display: flex; }
dialog::backdrop { background: rgb(10 16 20 / 45%); backdrop-filter: blur(3px); }
:host([inline]) { display: block; }
.panel { display: flex; flex-direction: column; min-height: 0; width: 100%; }
.row { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0.9rem; flex: none; }
:host(:not([inline])) .row { border-bottom: 1px solid var(--_border); }
:host(:not([inline])) .row:focus-within { border-color: var(--_accent); }
:host([inline]) .row { border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_background); }
:host([inline]) .row:focus-within { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
.row > svg { color: var(--_muted); }
input {
  flex: 1; min-width: 0; min-height: 2.75rem; border: 0; background: none; font-size: 1.0625rem;
}
input:focus-visible { outline: 0; }
input::placeholder { color: var(--_muted); opacity: 1; }
input:placeholder-shown ~ .clear { display: none; }
.clear { flex: none; font-size: 0.85rem; }
input::-webkit-search-cancel-button { display: none; }
.scroll { overflow-y: auto; overscroll-behavior: contain; padding: 0.25rem 0.75rem 0.75rem; scroll-padding: 3rem 0.75rem; }
:host([inline]) .scroll { overflow: visible; padding-inline: 0; }
.status { padding: 0.5rem 0.25rem 0.25rem; color: var(--_muted); font-size: 0.85rem; min-height: 2rem; }
.facets { display: flex; gap: 0.4rem; padding: 0.5rem 0.25rem 0.25rem; overflow-x: auto; scrollbar-width: thin; }
.facets button { flex: none;
  border: 1px solid var(--_border); border-radius: 1rem; background: none; padding: 0.1rem 0.7rem; font-size: 0.85rem;
  min-height: 1.75rem; color: var(--_muted);
}
.facets button[aria-pressed="true"] { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
[role="group"] { margin-block: 0.35rem 0.75rem; }
.title { padding: 0.35rem 0.5rem; font-weight: 600; overflow-wrap: anywhere; }
[role="option"][aria-selected="true"] { border-color: var(--_accent); box-shadow: inset 3px 0 0 var(--_accent); }
[role="option"]:dir(rtl)[aria-selected="true"] { box-shadow: inset -3px 0 0 var(--_accent); }
.whole { display: block; white-space: pre-wrap; font-size: 0.9rem; }
.ask { display: flex; align-items: center; gap: 0.5rem; width: 100%; margin-top: 0.5rem; padding: 0.5rem 0.7rem;
  border: 1px solid var(--_border); border-radius: var(--_radius); background: none; color: var(--_accent);
  text-align: start; overflow-wrap: anywhere; }
.more { display: block; margin: 0.5rem auto 0; }
.ask:hover { border-color: var(--_accent); }
.kept { display: flex; align-items: center; gap: 0.25rem; border-radius: var(--_radius); }
.kept:hover { background: var(--_raised); }
.kept > :first-child { flex: 1; min-width: 0; padding: 0.45rem 0.5rem; text-align: start; text-decoration: none;
  color: inherit; background: none; border: 0; overflow-wrap: anywhere; }
.kept .plain { padding-inline: 0.4rem; }
.kept .plain[aria-pressed="true"] svg { fill: currentColor; color: var(--_accent); }
.label { display: block; padding: 0.75rem 0.5rem 0.25rem; font-size: 0.8rem; font-weight: 600; color: var(--_muted); }
.title .label { display: inline; padding: 0 0.6rem; font-weight: 400; }
.keys { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; flex: none; padding: 0.5rem 1rem; font-size: 0.75rem;
  color: var(--_muted); border-top: 1px solid var(--_border); }
:host([inline]) .keys { display: none; }
@media (hover: none) { .keys, .open kbd { display: none; } }
@media (pointer: coarse) { .open, .ask, .facets button { min-height: 2.75rem; } }
@media (max-width: 40rem) {
  .keys { display: none; }
  dialog { margin: 0; width: 100vw; max-width: none; height: min(100dvh, var(--_seen, 100dvh)); max-height: none; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: rise 0.14s ease-out; }
  @keyframes rise { from { opacity: 0; transform: translateY(0.5rem); } }
}
`;
