// See index.jsx.
export * from '../dist/audit/index.js';
