// See index.jsx.
export * from '../dist/mcp/index.js';
