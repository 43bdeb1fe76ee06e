import { IbidError } from '../error.js';

/**
 * Finds the reason why a request got no response, as well as a page can tell. Throws if it is a redirect, which no
 * other try will mend.
 *
 * `fetch` fails in one way whatever happened: the server is down, it does not allow the page's origin (CORS), it redirects
 * or breaks off, the page's content security policy forbids it, the browser wants a permission for the local network. What
 * can be found out is found out by asking again without the key and the question: as the request was asked, then in a mode
 * that needs no CORS, whose response cannot be read. The browser reports some of it meanwhile.
 */
export async function whyUnreached(
  address: string,
  headers: readonly string[] = [],
  signal?: AbortSignal,
): Promise<string> {
  const url = parsed(address);
  if (url === undefined) return 'Check the base URL.';
  if (globalThis.navigator?.onLine === false && !isLocal(url.hostname)) {
    return 'This browser is offline. Connect to the network, then ask again.';
  }
  if (globalThis.location?.protocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return `A page at https: may not reach ${url.origin}, which is not encrypted. Use an address that begins with https:.`;
  }
  const local = isLocal(url.hostname);
  if (local && (await permission()) === 'denied') {
    return `This browser does not allow the page to reach devices of your network such as ${url.host}. Allow it in the page's settings (local network access), then ask again.`;
  }
  const probed = await probe(url, headers, signal);
  if (probed instanceof IbidError) throw probed;
  if (probed === 'policy') {
    return `The page's content security policy forbids ${url.origin}. Its owner must add that address to connect-src.`;
  }
  if (probed === 'breaks') {
    return `A server answers at ${url.origin}, but the connection broke during the request. Check the logs of the server and of any proxy, then ask again.`;
  }
  if (probed === 'answers')
    return `A server answers at ${url.origin}, but it does not allow requests from this page (CORS). ${corsHint(url)}`;
  if (local) {
    return `Nothing answers at ${url.origin}. Start the server there, and allow the page to reach your local network if the browser asks. ${corsHint(url)}`;
  }
  return `Nothing answers at ${url.origin}. Check the address and the network; a firewall or a browser extension may block it.`;
}

/**
 * Makes the error for a redirect, if that is what a service answers a request without key and text. The names of the
 * headers decide what the browser asks the service first.
 */
export async function redirectOf(
  address: string,
  headers: readonly string[],
  signal?: AbortSignal,
): Promise<IbidError | undefined> {
  const url = parsed(address);
  if (url === undefined) return undefined;
  const response = await empty('POST', url, headers, limited(signal)).catch(() => undefined);
  return response && redirected(url, response);
}

/** The time that all further tries together may take. */
const PROBE_MS = 3000;

function limited(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(PROBE_MS);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

/** No key and no question goes along, and neither do cookies. */
const BARE = { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' } as const;

/** Sends a request like the failed one with nothing in it. Its response is one that the page may look at. */
function empty(method: string, url: URL, names: readonly string[], signal: AbortSignal): Promise<Response> {
  const headers = Object.fromEntries(names.map((name) => [name, name === 'content-type' ? 'application/json' : '']));
  return fetch(url, { ...BARE, method, headers, redirect: 'manual', signal });
}

/** Makes the error for a response that is a redirect. It names hosts only: paths and queries may hold secrets. */
function redirected(from: URL, { type, status, headers }: Response): IbidError | undefined {
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return undefined;
  // A page is not told where to; Node is.
  const to = parsed(headers.get('location') ?? '', from.href);
  const where = type === 'opaqueredirect' || to === undefined ? 'elsewhere' : `to ${to.origin}`;
  const message = `${from.origin} redirects ${where}. ibid follows no redirect from a service, since that would send your key and text elsewhere.`;
  const hint = 'If you trust that host, use the final address as the base URL.';
  return new IbidError('provider-protocol', message, { hint });
}

async function probe(
  url: URL,
  headers: readonly string[],
  given?: AbortSignal,
): Promise<'answers' | 'breaks' | 'silent' | 'policy' | IbidError> {
  let forbidden = false;
  const onViolation = ({ blockedURI }: SecurityPolicyViolationEvent) => {
    // The browser may name the address or its origin only.
    forbidden ||= blockedURI.startsWith(url.origin);
  };
  const { document } = globalThis;
  document?.addEventListener('securitypolicyviolation', onViolation);
  const signal = limited(given);
  const ask = (method: string) => empty(method, url, headers, signal);
  try {
    // Whatever the page may look at, it was not CORS that the request failed for.
    const posted = await ask('POST').catch(() => undefined);
    if (posted !== undefined) return redirected(url, posted) ?? 'breaks';
    // A server that breaks off each POST may still answer one of these.
    const other = await ask('HEAD')
      .catch(() => ask('OPTIONS'))
      .catch(() => undefined);
    if (other !== undefined) return 'breaks';
    await fetch(url.origin, { ...BARE, mode: 'no-cors', signal });
    return 'answers';
  } catch {
    // The report comes as a task of its own, after the failure.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return forbidden ? 'policy' : 'silent';
  } finally {
    document?.removeEventListener('securitypolicyviolation', onViolation);
  }
}

/** Chrome asks people before a page may reach their own network; other browsers know no such permission. */
async function permission(): Promise<PermissionState | undefined> {
  for (const name of ['local-network-access', 'loopback-network']) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      if (state === 'denied') return state;
    } catch {
      // It is not known here.
    }
  }
  return undefined;
}

/**
 * Names the setting that allows pages, at servers that people run themselves, told by their usual ports, and at those
 * that are known.
 */
function corsHint({ port, hostname }: URL): string {
  if (hostname === 'api.anthropic.com') {
    return 'Anthropic wants the header anthropic-dangerous-direct-browser-access, which ibid sends; the organization may have forbidden it, so use a proxy.';
  }
  if (!isLocal(hostname)) return 'Use your own proxy as `baseURL`, or a provider that allows pages.';
  if (port === '11434')
    return `Start Ollama with OLLAMA_ORIGINS=${globalThis.location?.origin ?? "the page's origin"} in its environment.`;
  if (port === '1234') return 'In LM Studio, turn on CORS in the server settings.';
  if (port === '8080')
    return 'llama.cpp allows pages unless a proxy before it does not; start it with --host 127.0.0.1 and without one.';
  if (port === '8000') return "Start vLLM with --allowed-origins and the page's origin.";
  return "Allow this page's origin on the server (Access-Control-Allow-Origin).";
}

function parsed(address: string, base = globalThis.location?.href): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.');
}

function isLocal(host: string): boolean {
  return (
    isLoopback(host) ||
    host.endsWith('.local') ||
    /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cd]|\[fe[89ab])/.test(host)
  );
}
