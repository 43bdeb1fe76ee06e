// Stands in for the generated module when this package is type-checked; it is neither compiled nor published.
import type { BuilderModule } from '../engine.js';

declare const init: BuilderModule['default'];
export default init;
export declare const besidePages: BuilderModule['besidePages'];
export declare const Builder: BuilderModule['Builder'];
export declare const Chunker: BuilderModule['Chunker'];
export declare const cutIndex: BuilderModule['cutIndex'];
export declare const archiveTexts: BuilderModule['archiveTexts'];
export declare const isEnglish: BuilderModule['isEnglish'];
export declare const notRead: BuilderModule['notRead'];
export declare const QueryEncoder: BuilderModule['QueryEncoder'];
export declare const reportLines: BuilderModule['reportLines'];
export declare const siteConfigurations: BuilderModule['siteConfigurations'];
export declare const siteLine: BuilderModule['siteLine'];
export declare const sourceNames: BuilderModule['sourceNames'];
export declare const stemBy: BuilderModule['stemBy'];
