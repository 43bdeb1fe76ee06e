/** `ibid/render`: shows answers as elements, made of text alone. */
export { partialTree } from './partial.js';
export { renderAnswer, renderFlags } from './render.js';
export type { Mark, RenderOptions, Shown } from './types.js';
export { AnswerView } from './view.js';
export { describeFlag, describeMark } from './words.js';
