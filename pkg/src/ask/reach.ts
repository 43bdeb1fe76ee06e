/**
 * Why a request got no response, as well as a page can tell.
 *
 * `fetch` fails in one way whatever happened: the server is down, it does not allow the page's origin (CORS), the page's
 * content security policy forbids it, the browser wants a permission for the local network. What can be found out is found
 * out by asking again in a mode that needs no CORS, whose response cannot be read, and by what the browser reports
 * meanwhile.
 */
export async function whyUnreached(address: string, signal?: AbortSignal): Promise<string> {
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
  const probed = await probe(url, signal);
  if (probed === 'policy') {
    return `The page's content security policy forbids ${url.origin}. Its owner has to add that address to connect-src.`;
  }
  if (probed === 'answers')
    return `A server answers at ${url.origin}, but it does not allow requests from this page (CORS). ${corsHint(url)}`;
  if (local) {
    return `Nothing answers at ${url.origin}. Start the server there, and allow the page to reach your local network if the browser asks. ${corsHint(url)}`;
  }
  return `Nothing answers at ${url.origin}. Check the address and the network; a firewall or an extension of the browser may be in the way.`;
}

/** How long the second try may take. */
const PROBE_MS = 3000;

async function probe(url: URL, signal?: AbortSignal): Promise<'answers' | 'silent' | 'policy'> {
  let forbidden = false;
  const onViolation = ({ blockedURI }: SecurityPolicyViolationEvent) => {
    // The browser may name the address or its origin only.
    forbidden ||= blockedURI.startsWith(url.origin);
  };
  const { document } = globalThis;
  document?.addEventListener('securitypolicyviolation', onViolation);
  const limit = AbortSignal.timeout(PROBE_MS);
  try {
    // No key and no question goes along, and neither do cookies.
    await fetch(url.origin, {
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
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

/** What allows pages at the servers that people run themselves, told by their usual ports, and at those that are known. */
function corsHint({ port, hostname }: URL): string {
  if (hostname === 'api.anthropic.com') {
    return 'Anthropic wants the header anthropic-dangerous-direct-browser-access, which ibid sends; the organization may have forbidden it, so use a proxy.';
  }
  if (!isLocal(hostname)) return 'Use a proxy of your own as `baseURL`, or a provider that allows pages.';
  if (port === '11434')
    return `Start Ollama with OLLAMA_ORIGINS=${globalThis.location?.origin ?? "the page's origin"} in its environment.`;
  if (port === '1234') return 'In LM Studio, switch on CORS in the settings of the server.';
  if (port === '8080')
    return 'llama.cpp allows pages unless a proxy before it does not; start it with --host 127.0.0.1 and without one.';
  if (port === '8000') return "Start vLLM with --allowed-origins and the page's origin.";
  return 'Have the server allow the origin of this page (Access-Control-Allow-Origin).';
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address, globalThis.location?.href);
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
