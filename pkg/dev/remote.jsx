// See index.jsx.
export * from '../dist/remote/index.js';
