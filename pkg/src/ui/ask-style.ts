/** The looks of `<ibid-ask>`. */
export const ASK_STYLE = `
:host { display: block; }
form { display: flex; align-items: end; gap: 0.5rem; padding: 0.5rem; border: 1px solid var(--_border);
  border-radius: calc(var(--_radius) * 1.2); background: var(--_background); }
form:focus-within { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
textarea { flex: 1; min-width: 0; border: 0; background: none; resize: none; field-sizing: content; min-height: 2.5rem;
  max-height: 12rem; padding: 0.5rem; font-size: 1.0625rem; }
textarea:focus-visible { outline: 0; }
textarea::placeholder { color: var(--_muted); opacity: 1; }
button.main { border: 0; border-radius: var(--_radius); background: var(--_accent); color: var(--_on-accent);
  padding: 0.4rem 1rem; min-height: 2.5rem; font-weight: 550; }
.choice { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.75rem; padding: 0.5rem; font-size: 0.85rem;
  color: var(--_muted); }
.choice label { display: inline-flex; align-items: center; gap: 0.4rem; }
.choice input[type="password"] { border: 1px solid var(--_border); border-radius: var(--_radius); background: none;
  padding: 0.3rem 0.6rem; min-height: 2rem; width: min(18rem, 100%); }
.choice progress { accent-color: var(--_accent); }
.turn { margin-top: 1.25rem; }
h2 { font-size: 1.125rem; font-weight: 600; overflow-wrap: anywhere; }
.status { color: var(--_muted); font-size: 0.9rem; min-height: 1.5rem; margin-top: 0.25rem; }
.answer { margin-top: 0.5rem; overflow-wrap: anywhere; }
.answer > * + * { margin-top: 0.75rem; }
.answer.emergency { border: 2px solid var(--_bad); border-radius: var(--_radius); padding: 0.75rem 1rem; font-weight: 550; }
.answer :is(ul, ol) { padding-inline-start: 1.4rem; }
.answer ul { list-style: disc; } .answer ol { list-style: decimal; }
.answer :is(h3, h4, h5, h6) { font-weight: 600; }
.answer pre { overflow-x: auto; padding: 0.75rem; border-radius: var(--_radius); background: var(--_raised); }
.answer table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 0.92rem; }
.answer :is(th, td) { border: 1px solid var(--_border); padding: 0.3rem 0.6rem; text-align: start; overflow-wrap: normal; }
.answer button { border: 0; background: none; color: var(--_accent); padding: 0 0.15em; border-radius: 0.3em;
  font-size: 0.85em; min-width: 1.5rem; min-height: 1.5rem; }
.answer button:hover { background: var(--_raised); }
mark.ibid-flag:not(.text *) { background: none; text-decoration: underline wavy var(--_bad) 1px; text-underline-offset: 0.2em; }
.answer .ibid-sign { color: var(--_bad); vertical-align: middle; }
.answer .ibid-sign[data-status="supported"]:not([data-flags]) { color: var(--_accent); }
.answer .ibid-sign:focus { outline: 2px solid var(--_accent); }
.ibid-sign svg { width: 1em; height: 1em; }
.note { margin-top: 0.75rem; font-size: 0.85rem; color: var(--_muted); }
.note:empty { margin: 0; }
.passage { margin-top: 0.75rem; padding: 0.75rem 1rem; border: 1px solid var(--_border); border-radius: var(--_radius);
  background: var(--_raised); font-size: 0.92rem; }
.passage strong { font-weight: 600; }
[data-kind~=value] { font-weight: 600; text-decoration: underline; }
.passage .text { max-height: 18rem; overflow-y: auto; margin-block: 0.4rem; overflow-wrap: anywhere; }
details { margin-top: 0.75rem; font-size: 0.92rem; }
summary { cursor: pointer; color: var(--_muted); width: fit-content; }
details li { padding: 0.2rem 0; overflow-wrap: anywhere; }
details li .plain { display: block; padding: 0; min-height: 1.5rem; text-align: start; color: inherit; text-decoration: underline; }
@media (pointer: coarse) {
  .answer button { min-width: 2.75rem; min-height: 2.75rem; margin: -0.7rem -0.4rem; }
  .answer button:hover { background: none; }
  button.main, details li .plain { min-height: 2.75rem; }
}
.tools { display: flex; flex-wrap: wrap; gap: 0.15rem; margin-top: 0.5rem; align-items: center; font-size: 0.85rem; }
.tools [aria-pressed="true"] { color: var(--_accent); }
`;
