// What TypeScript reads of the package: each entry point that needs no other package.
import 'ibid/ui';
import 'ibid/worker';
import { type Answer, Ibid, IbidError } from 'ibid';
import * as audit from 'ibid/audit';
import { buildIndex } from 'ibid/builder';
import * as llm from 'ibid/llm';
import * as mcp from 'ibid/mcp';
import * as remote from 'ibid/remote';
import { AnswerView } from 'ibid/render';

const ibid = await Ibid.load({ index: '/tea.ibid' });
const { hits } = await ibid.query('How hot is green tea?');
const answer: Answer = await ibid.ask('How hot is green tea?');
const { index } = await buildIndex([]);
export const file = new Blob([index], { type: 'application/octet-stream' });
export const used = [hits, answer, IbidError, audit, llm, mcp, remote, AnswerView];
