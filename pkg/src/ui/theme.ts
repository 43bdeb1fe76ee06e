/** Colours, type and the parts that both elements share. Each value is a custom property that a site may set. */
export const THEME = `
:host {
  --_accent: var(--ibid-accent, light-dark(#0f5c6e, #7fd0dc));
  --_on-accent: var(--ibid-on-accent, light-dark(#fff, #06232a));
  --_text: var(--ibid-text, light-dark(#1c2024, #e6e8ea));
  --_muted: var(--ibid-muted, light-dark(#5b646d, #a3abb3));
  --_background: var(--ibid-background, light-dark(#fff, #16191d));
  --_raised: var(--ibid-raised, light-dark(#f5f7f8, #1f2429));
  --_border: var(--ibid-border, light-dark(#d9dfe3, #353c43));
  --_mark: var(--ibid-mark, light-dark(#ffe9a8, #5c4a12));
  --_bad: var(--ibid-bad, light-dark(#9b1c1c, #f3a59c));
  --_radius: var(--ibid-radius, 0.625rem);
  --_font: var(--ibid-font, inherit);
  --_mono: var(--ibid-mono, ui-monospace, "SF Mono", Menlo, Consolas, monospace);
  display: inline-block;
  font-family: var(--_font);
  font-size: 1rem;
  line-height: 1.5;
  color: var(--_text);
  text-align: start;
  font-weight: 400;
  letter-spacing: normal;
  text-transform: none;
  white-space: normal;
}
:host([hidden]), [hidden] { display: none !important; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([theme="auto"]) { color-scheme: light dark; }
*, ::before, ::after { box-sizing: border-box; }
p, ul, ol, h2, h3 { margin: 0; padding: 0; list-style: none; font: inherit; }
button, input, textarea { font: inherit; color: inherit; margin: 0; }
button { cursor: pointer; }
button.plain {
  border: 0; background: none; padding: 0.25rem 0.5rem; border-radius: calc(var(--_radius) * 0.6);
  color: var(--_muted); min-height: 2rem;
}
button.plain:hover { color: var(--_text); background: var(--_raised); }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
mark { background: var(--_mark); color: inherit; border-radius: 0.2em; padding: 0 0.1em; }
a { color: var(--_accent); }
code { font-family: var(--_mono); font-size: 0.9em; }
svg { width: 1.15em; height: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round; }
@media (pointer: coarse) { button.plain, button.main, summary { min-width: 2.75rem; min-height: 2.75rem; } }
[part="result"] {
  position: relative; display: block; padding: 0.5rem 0.75rem; padding-inline-start: 2.25rem; margin-block: 0.2rem; border-radius: var(--_radius); color: inherit;
  text-decoration: none; background: var(--_raised); border: 1px solid transparent; overflow-wrap: anywhere; cursor: pointer;
}
[part="result"] > svg { position: absolute; inset-inline-start: 0.7rem; top: 0.7rem; color: var(--_muted); }
[part="result"]:hover { border-color: var(--_border); }
.section { display: block; font-weight: 550; font-size: 0.92rem; color: var(--_accent); }
.excerpt { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
  font-size: 0.9rem; color: var(--_muted); }
.excerpt mark { color: var(--_text); }
code.excerpt { white-space: pre-wrap; font-size: 0.8rem; }
.problem { color: var(--_bad); }
.muted { color: var(--_muted); }
.small { font-size: 0.85rem; }
`;
