import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GlobalWindow } from 'happy-dom';
import { composes, isShortcut } from './keys.js';

const page = new GlobalWindow().document as unknown as Document;

/** Presses a key with the focus on what this HTML makes, in a shadow root of its own where `within` says so. */
function opens(key: Partial<KeyboardEvent>, html = '', within?: 'shadow'): boolean {
  page.body.innerHTML = '<div></div>';
  const place = page.body.firstElementChild as HTMLElement;
  const root = within === 'shadow' ? place.attachShadow({ mode: 'open' }) : place;
  root.innerHTML = html;
  const target = root.querySelector('[data-focus]') ?? root.firstElementChild ?? place;
  const path: EventTarget[] = [];
  for (let at: Node | null = target; at !== null; at = at.parentNode ?? (at as ShadowRoot).host ?? null) path.push(at);
  const event = { key: '', code: '', keyCode: 0, isComposing: false, composedPath: () => path, ...key };
  return isShortcut(event as KeyboardEvent);
}

function on(platform: string): void {
  Object.defineProperty(globalThis, 'navigator', { value: { platform }, configurable: true });
}

const SLASH = { key: '/' };
const CTRL_K = { key: 'k', code: 'KeyK', ctrlKey: true };
const INPUT = '<input>';
const EDITOR = '<div role="textbox" tabindex="0">code</div>';

test('a slash opens, unless it is typed into something', () => {
  assert.ok(opens(SLASH));
  assert.ok(opens(SLASH, '<button>Menu</button>'));
  assert.ok(opens({ ...SLASH, shiftKey: true, code: 'Digit7' }), 'on a German keyboard');
  const fields = [INPUT, '<textarea></textarea>', '<select></select>', EDITOR];
  const roles = ['searchbox', 'combobox'].map((role) => `<div role="${role}" tabindex="0"></div>`);
  for (const html of [...fields, ...roles, '<div role="textbox"><p data-focus>a</p></div>']) {
    assert.ok(!opens(SLASH, html), html);
    assert.ok(!opens(SLASH, html, 'shadow'), `${html} in a shadow root`);
  }
});

test('a slash is left to an editor that is neither a field nor has a role', () => {
  const editor = Object.assign(page.createElement('div'), { editContext: {} });
  const event = { ...SLASH, composedPath: () => [editor, page.body] };
  assert.ok(!isShortcut(event as unknown as KeyboardEvent));
  const editable = { isContentEditable: true };
  assert.ok(!isShortcut({ ...SLASH, composedPath: () => [editable] } as unknown as KeyboardEvent));
});

test('Ctrl-K opens on every keyboard, by its letter or by its place', () => {
  assert.ok(opens(CTRL_K));
  assert.ok(opens({ ...CTRL_K, key: 'K' }), 'with caps lock');
  assert.ok(opens({ ...CTRL_K, code: 'KeyV' }), 'on Dvorak, where K is elsewhere');
  for (const key of ['л', 'Л', 'κ', 'ל', 'ن', 'ㅏ']) assert.ok(opens({ ...CTRL_K, key }), key);
  assert.ok(!opens({ ...CTRL_K, key: 't' }), 'T of Dvorak lies where K does elsewhere');
  assert.ok(!opens({ ...CTRL_K, key: 'л', code: 'KeyG' }));
  for (const other of [{ altKey: true }, { shiftKey: true }, { ctrlKey: false }]) {
    assert.ok(!opens({ ...CTRL_K, ...other }), JSON.stringify(other));
  }
});

test('Ctrl-K stays with an editor, and with a field of a Mac', () => {
  on('Linux x86_64');
  assert.ok(opens(CTRL_K, INPUT));
  assert.ok(!opens(CTRL_K, EDITOR));
  const commandK = { ...CTRL_K, ctrlKey: false, metaKey: true };
  on('MacIntel');
  assert.ok(!opens(CTRL_K, INPUT));
  assert.ok(!opens(CTRL_K, INPUT, 'shadow'));
  assert.ok(opens(commandK, INPUT));
  assert.ok(opens(CTRL_K));
  assert.ok(!opens(commandK, EDITOR));
});

test('a key of an input method is none of ours', () => {
  assert.ok(composes({ isComposing: true, keyCode: 13 }));
  assert.ok(composes({ isComposing: false, keyCode: 229 }), 'Safari');
  assert.ok(!composes({ isComposing: false, keyCode: 13 }));
  assert.ok(!opens({ ...SLASH, isComposing: true }));
  assert.ok(!opens({ ...CTRL_K, keyCode: 229 }));
});
