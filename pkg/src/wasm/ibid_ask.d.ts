// Stands in for the generated module when this package is type-checked; it is neither compiled nor published.
import type { AskModule } from '../ask/module.js';

declare const init: AskModule['default'];
export default init;
export declare const ask: AskModule['ask'];
