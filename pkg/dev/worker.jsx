// See index.jsx.
import '../dist/worker.js';
