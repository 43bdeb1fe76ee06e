// See index.jsx.
export * from '../dist/build/builder.js';
