// Stands in for the generated module when this package is type-checked; it is neither compiled nor published.
import type { NodeModule } from '../engine.js';

declare const init: NodeModule['default'];
export default init;
export declare const besidePages: NodeModule['besidePages'];
export declare const cutIndex: NodeModule['cutIndex'];
export declare const isEnglish: NodeModule['isEnglish'];
export declare const notRead: NodeModule['notRead'];
export declare const reportLines: NodeModule['reportLines'];
export declare const siteConfigurations: NodeModule['siteConfigurations'];
export declare const siteLine: NodeModule['siteLine'];
export declare const sourceNames: NodeModule['sourceNames'];
