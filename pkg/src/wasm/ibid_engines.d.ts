// Replaces the generated module when this package is type-checked; it is neither compiled nor published.
import type { EnginesModule } from '../engines/module.js';

declare const init: EnginesModule['default'];
export default init;
export declare const CollectionEngine: EnginesModule['CollectionEngine'];
export declare const tableHeadLength: EnginesModule['tableHeadLength'];
