// See index.jsx.
export * from '../dist/ai-sdk/index.js';
