// Replaces the generated module when this package is type-checked; it is neither compiled nor published.
import type { AskModule } from '../ask/module.js';

declare const init: AskModule['default'];
export default init;
export declare const ask: AskModule['ask'];
export declare const partialTree: AskModule['partialTree'];
export declare const verify: AskModule['verify'];
export declare const bibliography: AskModule['bibliography'];
export declare const provideEmergencyRules: AskModule['provideEmergencyRules'];
export declare const providePiiRules: AskModule['providePiiRules'];
export declare const inspect: AskModule['inspect'];
export declare const redact: AskModule['redact'];
export declare const auditLine: AskModule['auditLine'];
export declare const auditCheck: AskModule['auditCheck'];
