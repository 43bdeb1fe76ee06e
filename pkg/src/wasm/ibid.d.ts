// Replaces the generated module when this package is type-checked; it is neither compiled nor published.
import type { EngineModule } from '../engine.js';

declare const init: EngineModule['default'];
export default init;
export declare const Engine: EngineModule['Engine'];
export declare const headLength: EngineModule['headLength'];
export declare const neededRanges: EngineModule['neededRanges'];
export declare const tableHeadLength: EngineModule['tableHeadLength'];
export declare const stemmerOf: EngineModule['stemmerOf'];
export declare const stemBy: EngineModule['stemBy'];
