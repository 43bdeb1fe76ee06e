import { orAborted } from '../abort.js';
import { abortedError, IbidError } from '../error.js';

const AUTH = 'https://openrouter.ai/auth';
const EXCHANGE = 'https://openrouter.ai/api/v1/auth/keys';
/** The parameter of the callback's address that tells one login from another. */
const STATE = 'ibid_login';
const STORED = 'ibid-openrouter-login';
/** The number of times in a row, four a second, a window is seen to be closed until it counts as that. */
const CLOSED_CHECKS = 4;

/** Options of the login at OpenRouter. */
export interface OpenRouterOptions {
  /**
   * The place where OpenRouter sends the user back: a page of this origin that calls {@link finishOpenRouterLogin}. Default: this
   * page, without the fragment.
   */
  callbackURL?: string | URL | undefined;
  /** The name in the user's list of keys. Default: OpenRouter's choice. */
  keyLabel?: string | undefined;
  /** The most US dollars that the key may spend; the user can change it. Default: none. */
  limit?: number | undefined;
  /** The address of the exchange, for a proxy. Default: `https://openrouter.ai/api/v1/auth/keys`. */
  exchangeURL?: string | URL | undefined;
  /** Gives up. Default: none. */
  signal?: AbortSignal | undefined;
}

interface Started {
  state: string;
  verifier: string;
}

/**
 * Gets a key for OpenRouter by letting the user log in there, in a popup; call it when a button is clicked. The callback
 * page has to call {@link finishOpenRouterLogin}, which hands over to this page and closes the popup.
 *
 * Fails with `provider-auth` if the user refuses or OpenRouter does, with `aborted` if the popup is closed, with
 * `network`, and with `invalid-option` if the browser has blocked the popup. The login is by OAuth with PKCE (RFC
 * 7636): the key is made for the holder of the secret that this page has made up, and no server of yours is needed.
 */
export async function openRouterLogin(options: OpenRouterOptions = {}): Promise<string> {
  // Opened before anything is awaited, since it counts as a popup of its own afterwards.
  const popup = window.open('about:blank', 'ibid-openrouter', 'popup,width=520,height=760');
  if (popup === null) {
    throw new IbidError('invalid-option', 'The browser has blocked the window for the login.', {
      hint: 'Call `openRouterLogin` first thing in the handler of a click, or use `startOpenRouterLogin`.',
    });
  }
  try {
    const started = begin();
    popup.location.href = (await address(started, options)).href;
    const code = await codeFrom(popup, started.state, options.signal);
    return await exchange(code, started.verifier, options);
  } finally {
    popup.close();
  }
}

/** The same in this window: it leaves the page for OpenRouter, and {@link finishOpenRouterLogin} gets the key. */
export async function startOpenRouterLogin(options: OpenRouterOptions = {}): Promise<void> {
  const started = begin();
  sessionStorage.setItem(STORED, JSON.stringify(started));
  location.assign((await address(started, options)).href);
}

/**
 * Call it on the callback page, whenever that is loaded: it gives the key where the user comes back from
 * {@link startOpenRouterLogin}, and `undefined` in any other case. The page's address is cleaned of the login. In the popup
 * of {@link openRouterLogin}, it hands over and closes the window.
 *
 * Fails with `provider-auth` if the user or OpenRouter refused, or where this page has not begun the login that comes
 * back; with `network` and `aborted`.
 */
export async function finishOpenRouterLogin(options: OpenRouterOptions = {}): Promise<string | undefined> {
  const url = new URL(location.href);
  const state = url.searchParams.get(STATE);
  if (state === null) return undefined;
  const back: Back = {
    [STORED]: state,
    code: url.searchParams.get('code'),
    error: url.searchParams.get('error_description') ?? url.searchParams.get('error'),
  };
  for (const name of [STATE, 'code', 'error', 'error_description']) url.searchParams.delete(name);
  // A code that stays in the address would end up in bookmarks and logs.
  history.replaceState(history.state, '', url);
  const started = stored();
  sessionStorage.removeItem(STORED);
  // A popup has a copy of what its opener stored, perhaps from a login that was given up.
  if (started?.state !== state && (started === undefined || window.opener)) return handOver(back);
  return await exchange(checked(back, started?.state), started?.verifier ?? '', options);
}

function stored(): Started | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '') as Started;
  } catch {
    return undefined;
  }
}

/** The message of the callback page to the one that opened it. */
interface Back {
  [STORED]: string;
  code: string | null;
  error: string | null;
}

/** By message, and by channel where the window has lost sight of its opener on the way through other origins. */
function handOver(back: Back): undefined {
  if (window.opener) window.opener.postMessage(back, location.origin);
  const channel = new BroadcastChannel(STORED);
  channel.postMessage(back);
  channel.close();
  window.close();
  return undefined;
}

async function codeFrom(popup: Window, state: string, signal?: AbortSignal): Promise<string> {
  const channel = new BroadcastChannel(STORED);
  const over = new AbortController();
  try {
    const back = new Promise<Back>((resolve, reject) => {
      const take = ({ data, origin }: MessageEvent) => {
        // Anybody can send this window messages, and other logins of this origin use the same channel.
        if (origin === location.origin && data?.[STORED] === state) resolve(data);
      };
      window.addEventListener('message', take, { signal: over.signal });
      channel.addEventListener('message', take, { signal: over.signal });
      let gone = 0;
      const watch = setInterval(() => {
        // A window that has been cut off from this page seems closed as well; but then the user is still in it. And the
        // message of one that closes itself may still be on its way.
        gone = popup.closed && document.hasFocus() ? gone + 1 : 0;
        if (gone > CLOSED_CHECKS) reject(new IbidError('aborted', 'The window for the login was closed.'));
      }, 250);
      over.signal.addEventListener('abort', () => clearInterval(watch), { once: true });
    });
    return checked(await orAborted(back, signal), state);
  } finally {
    over.abort();
    channel.close();
  }
}

function checked(back: Back, state: string | undefined): string {
  if (back[STORED] !== state) {
    throw new IbidError('provider-auth', 'This page did not start the login that came back.', {
      hint: 'Begin again.',
    });
  }
  if (back.code) return back.code;
  throw new IbidError('provider-auth', `OpenRouter gave no permission: ${back.error ?? 'no reason was given'}.`, {
    hint: 'Begin again.',
  });
}

function begin(): Started {
  if (globalThis.crypto?.subtle === undefined) {
    throw new IbidError('invalid-option', 'The login needs a secure page.', {
      hint: 'Serve it by https, or from localhost.',
    });
  }
  return { state: secret(16), verifier: secret(32) };
}

async function address({ state, verifier }: Started, options: OpenRouterOptions): Promise<URL> {
  const callback = new URL(options.callbackURL ?? location.href, location.href);
  if (callback.origin !== location.origin) {
    throw new IbidError('invalid-option', '`callbackURL` is not on the origin of this page.');
  }
  callback.hash = '';
  callback.searchParams.set(STATE, state);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(AUTH);
  url.searchParams.set('callback_url', callback.href);
  url.searchParams.set('code_challenge', base64url(new Uint8Array(digest)));
  url.searchParams.set('code_challenge_method', 'S256');
  if (options.keyLabel !== undefined) url.searchParams.set('key_label', options.keyLabel);
  if (options.limit !== undefined) url.searchParams.set('limit', String(options.limit));
  return url;
}

async function exchange(code: string, verifier: string, options: OpenRouterOptions): Promise<string> {
  const { signal, exchangeURL = EXCHANGE } = options;
  let response: Response;
  try {
    response = await fetch(exchangeURL, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      // The code would go along, and its holder gets the key.
      redirect: 'error',
      body: JSON.stringify({ code, code_verifier: verifier, code_challenge_method: 'S256' }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal.reason);
    throw new IbidError('network', 'OpenRouter could not be reached for the key.', { retryable: true, cause: error });
  }
  if (!response.ok) {
    const known = response.status === 403 ? 'The code or its secret is no longer valid' : 'The exchange was refused';
    throw new IbidError('provider-auth', `OpenRouter gave no key (HTTP ${response.status}). ${known}.`, {
      hint: 'Begin the login again.',
      retryable: response.status >= 500,
    });
  }
  const { key } = ((await response.json().catch(() => null)) ?? {}) as { key?: unknown };
  if (typeof key === 'string' && key !== '') return key;
  throw new IbidError('provider-protocol', 'OpenRouter answered without a key.');
}

function secret(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
