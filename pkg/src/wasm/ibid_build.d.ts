// Replaces the generated module when this package is type-checked; it is neither compiled nor published.
import type { BuilderModule } from '../engine.js';

declare const init: BuilderModule['default'];
export default init;
export declare const Builder: BuilderModule['Builder'];
export declare const QueryEncoder: BuilderModule['QueryEncoder'];
export declare const stemBy: BuilderModule['stemBy'];
