/** `ibid/audit`: keeps what runs did in the browser, in a form in which a change shows. */
export { openAuditLog } from './log.js';
export type { AuditLog, AuditLogOptions, AuditProblem, AuditReport } from './types.js';
