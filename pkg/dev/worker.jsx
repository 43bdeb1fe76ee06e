// See index.jsx.
import '../dist/build/worker.js';
