import type { AuditLog } from '../audit/types.js';
import { IbidError, toIbidError } from '../error.js';
import type { AskEvent } from './answer-types.js';
import type { AskOutcome } from './module.js';

/**
 * Makes a run and keeps its record, also where the run fails: what was sent by then has been sent. The answer waits for it.
 */
export async function recorded(
  log: AuditLog | undefined,
  emit: (event: AskEvent) => void,
  run: () => Promise<AskOutcome>,
): Promise<AskOutcome> {
  if (log == null) return await run();
  let outcome: AskOutcome;
  try {
    outcome = await run();
  } catch (error) {
    // One that comes from elsewhere, before the run, has no record.
    await keep(log, emit, Object(error).audit);
    throw error;
  }
  const { audit, ...rest } = outcome;
  // Nobody may take a run for recorded that is not.
  await keep(log, emit, audit, new IbidError('internal', 'The run left no record.'));
  return rest;
}

/** `missing` is what is the matter where there is no record. */
async function keep(
  log: AuditLog,
  emit: (event: AskEvent) => void,
  record: string | undefined,
  missing?: IbidError,
): Promise<void> {
  let failure = record === undefined ? missing : undefined;
  try {
    if (record !== undefined) await log.append(record);
  } catch (error) {
    failure = toIbidError(error);
  }
  if (failure === undefined) return;
  if (log.required) throw failure;
  emit({ type: 'audit-failed', message: failure.message });
}
