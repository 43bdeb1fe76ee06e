import { tryOut } from './try-out.js';

globalThis.tryOut = tryOut;
