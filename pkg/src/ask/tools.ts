import { LinkedAbort, orAborted } from '../abort.js';
import { IbidError } from '../error.js';
import { messageOf } from './callbacks.js';
import type { ToolWire } from './module.js';
import type { Redactor } from './redact.js';
import type { AskOptions, Tool } from './types.js';

const TIMEOUT = 30_000;
/** A longer wait than this makes a timer go off at once: it counts as no limit. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Describes the tools as a model sees them. The module checks their names. */
export function toolsWire(tools: readonly Tool[]): ToolWire[] {
  return tools.map(({ name, description, parameters, readOnly, stage, execute, timeout = TIMEOUT }) => {
    if (typeof execute !== 'function' || !(timeout > 0)) {
      throw new IbidError('invalid-option', `The tool ${name} has no function \`execute\`, or a wrong \`timeout\`.`);
    }
    return {
      name,
      description,
      parameters: parameters ?? { type: 'object', properties: {} },
      ...(readOnly !== undefined && { readOnly }),
      ...(stage !== undefined && { stage: typeof stage === 'string' ? [stage] : [...stage] }),
    };
  });
}

/**
 * Runs the page's tools for a model: asks whether they may, and gives them only so much time. The result is text for the
 * model. Whatever goes wrong is an error whose message is for the model as well.
 */
export function toolCaller({ tools, onApproval }: AskOptions, redactor: Redactor) {
  return async (name: string, args: string, callId: string, signal: AbortSignal): Promise<string> => {
    try {
      const tool = tools?.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`There is no tool named ${name}.`);
      const parsed = parse(args);
      await approved(tool, parsed, callId, signal, onApproval);
      return asText(await limited(tool, parsed, callId, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      const code = error instanceof IbidError ? error.code : 'invalid-option';
      throw new IbidError(code, redactor.text(messageOf(error)));
    }
  };
}

async function approved(
  tool: Tool,
  args: unknown,
  id: string,
  signal: AbortSignal,
  onApproval: AskOptions['onApproval'],
): Promise<void> {
  const approve = tool.approve ?? (tool.readOnly ? undefined : onApproval);
  if (approve === undefined) {
    if (tool.readOnly) return;
    throw new Error(
      `The tool ${tool.name} was not run: it may change something, and nobody here can approve that. ` +
        'Do not call it again; go on without it.',
    );
  }
  const call = { id, name: tool.name, arguments: args };
  const decision = await orAborted((async () => approve(call, { signal }))(), signal);
  const { approved, reason = '' } = typeof decision === 'object' ? decision : { approved: decision };
  if (approved === true) return;
  throw new Error(`The tool ${tool.name} was not run: the user did not approve it. ${reason}`.trim());
}

function parse(args: string): unknown {
  try {
    return args.trim() === '' ? {} : JSON.parse(args);
  } catch {
    throw new Error('The arguments are not valid JSON.');
  }
}

async function limited(tool: Tool, args: unknown, callId: string, outer: AbortSignal): Promise<unknown> {
  const { timeout = TIMEOUT } = tool;
  const stop = new LinkedAbort([outer]);
  const { signal } = stop;
  const late = new IbidError('timeout', `The tool ${tool.name} gave no result within ${timeout} milliseconds.`);
  const timer = timeout <= LONGEST_TIMER ? setTimeout(() => stop.abort(late), timeout) : undefined;
  try {
    return await orAborted((async () => tool.execute(args, { signal, callId }))(), signal);
  } finally {
    clearTimeout(timer);
    stop.release();
  }
}

function asText(result: unknown): string {
  if (typeof result === 'string') return result;
  try {
    return JSON.stringify(result) ?? 'null';
  } catch (error) {
    throw new Error(`The tool's result cannot be written as JSON: ${messageOf(error)}`);
  }
}
