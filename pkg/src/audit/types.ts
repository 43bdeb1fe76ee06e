import type { LoadOptions } from '../types.js';

/** Options of `openAuditLog`. */
export interface AuditLogOptions {
  /** The name of its database in IndexedDB; logs of one name are one log, in all tabs of the site. Default: `ibid-audit`. */
  name?: string | undefined;
  /**
   * The most bytes that its lines may have together. Where a new one exceeds that, the oldest are dropped until a tenth is free,
   * and a checkpoint in the first line says how many. The newest is kept in any case. Default: 5,000,000, some thousand runs.
   */
  maxBytes?: number | undefined;
  /**
   * True if a run whose record cannot be kept, since the disk is full for instance, fails with `io`. `false`: its answer
   * is given all the same, after an event `audit-failed`. Default: `true`.
   */
  required?: boolean | undefined;
  /** The compiled module that answers questions, or its address, as for `Ibid.load`. Default: as there. */
  askWasm?: LoadOptions['askWasm'];
}

/** Keeps what runs did, for {@link AskOptions.audit}; `openAuditLog` opens one. All methods fail with `io`. */
export interface AuditLog {
  /** As {@link AuditLogOptions.required}. */
  readonly required: boolean;
  /** @internal Adds the record of a run, a JSON object, as the next line. */
  append(record: string): Promise<void>;
  /** All lines, oldest first: JSON lines, as `ibid audit verify` reads them. Empty for an empty log. */
  export(): Promise<string>;
  /**
   * True if a line was changed, removed or put in since it was written. `head` is a hash that was an {@link AuditReport.head}
   * before, and kept elsewhere: anyone who can change the log may also rewrite all of it, which only this shows. Default:
   * the hash of the last line as the log remembers it.
   */
  verify(head?: string): Promise<AuditReport>;
  /** Forgets all lines. */
  clear(): Promise<void>;
  /** Closes the database; nothing can be added afterwards. */
  close(): void;
}

/** The result of {@link AuditLog.verify}. */
export interface AuditReport {
  /** The number of lines there are, a checkpoint included. */
  lines: number;
  /** The number of lines that were dropped for the size limit. */
  dropped: number;
  /** The hash of the first line, in hexadecimal digits. */
  first?: string;
  /** The hash of the last line. Keep it elsewhere to notice later that lines are missing at the end. */
  head?: string;
  /** The line of the `head` that was looked for, from 1; 0 where it was dropped. */
  known?: number;
  /** The problems, the first thousand; none where the log is as it was written. */
  problems: AuditProblem[];
  /** The number of problems there are beyond these. */
  more: number;
}

/** Something that is wrong with a log. */
export interface AuditProblem {
  /** The line where it shows, from 1; 0 for the log as a whole. */
  line: number;
  /** The kind of problem, for programs. More kinds may be added. */
  kind:
    | 'invalid-json'
    | 'no-entry'
    | 'version'
    | 'changed'
    | 'unlinked'
    | 'forked'
    | 'no-beginning'
    | 'misplaced'
    | 'head-missing'
    | (string & {});
  /** The same for a person. */
  message: string;
}
