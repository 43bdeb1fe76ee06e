// Entry points for bundlers in development. Vite moves the code of packages into one file there, away from the files that
// `new URL(..., import.meta.url)` names, and leaves those in their place whose ending is `.jsx`.
export * from '../dist/index.js';
