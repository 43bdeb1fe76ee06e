// See index.jsx.
export * from '../dist/langchain/retriever.js';
