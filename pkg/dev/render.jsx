// See index.jsx.
export * from '../dist/render/index.js';
