// See index.jsx.
export * from '../dist/llm/index.js';
