/** Options of {@link openAuditLog}. */
export interface AuditLogOptions {
  /** The name of its database in IndexedDB; logs of one name are one log, in all tabs of the site. Default: `ibid-audit`. */
  name?: string | undefined;
  /**
   * How many bytes its lines may have together. Where a new one would exceed that, the oldest are dropped, and a checkpoint
   * says so. Default: 5,000,000, some thousand runs.
   */
  maxBytes?: number | undefined;
  /**
   * Whether a run whose record cannot be kept, since the disk is full for instance, fails with `io`. `false`: its answer
   * is given all the same, after an event `audit-failed`. Default: `true`.
   */
  required?: boolean | undefined;
  /** The compiled module that answers questions, or its address, as for {@link Ibid.load}. Default: as there. */
  askWasm?: import('../types.js').LoadOptions['askWasm'];
}

/** Keeps what runs did, for {@link AskOptions.audit}; {@link openAuditLog} opens one. All methods fail with `io`. */
export interface AuditLog {
  /** As {@link AuditLogOptions.required}. */
  readonly required: boolean;
  /** @internal Adds the record of a run, a JSON object, as the next line. */
  append(record: string): Promise<void>;
  /** All lines, oldest first: JSON lines, as `ibid audit verify` reads them. Empty for an empty log. */
  export(): Promise<string>;
  /** Whether a line was changed, removed or put in since it was written. */
  verify(): Promise<AuditReport>;
  /** Forgets all lines. */
  clear(): Promise<void>;
  /** Closes the database; nothing can be added afterwards. */
  close(): void;
}

/** What {@link AuditLog.verify} has found. */
export interface AuditReport {
  /** How many lines there are. */
  lines: number;
  /** The hash of the first line, in hexadecimal digits. */
  first?: string;
  /** The hash of the last line. Keep it elsewhere to notice later that lines are missing at the end. */
  head?: string;
  /** What is wrong; nothing where the log is as it was written. */
  problems: AuditProblem[];
}

export interface AuditProblem {
  /** The line, from 1. */
  line: number;
  /** What is wrong, for programs. */
  kind: string;
  /** The same for a person. */
  message: string;
}
