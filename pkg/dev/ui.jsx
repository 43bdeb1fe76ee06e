// See index.jsx.
export * from '../dist/ui/index.js';
