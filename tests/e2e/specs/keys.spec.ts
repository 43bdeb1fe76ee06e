// What `ibid/llm` keeps and gets keys by: IndexedDB, WebCrypto, windows and redirects are the browser's own.
import type { BrowserContext } from '@playwright/test';
import { expect, test } from '../index-host.js';

/** The part of `ibid/llm` that these tests use in the page. */
interface Llm {
  KeyStore: new (options?: {
    database?: string;
  }) => {
    set(name: string, key: string): Promise<void>;
    get(name: string): Promise<string>;
    delete(name: string): Promise<void>;
    list(): Promise<string[]>;
  };
  openRouterLogin(options?: object): Promise<string>;
  startOpenRouterLogin(options?: object): Promise<void>;
  finishOpenRouterLogin(options?: object): Promise<string | undefined>;
}

declare global {
  interface Window {
    llm: Llm;
    got: { key?: string | undefined; code?: string; href: string } | undefined;
  }
}

const MODULE = `
  import * as llm from '/ibid/llm/index.js';
  window.llm = llm;
  llm.finishOpenRouterLogin().then(
    (key) => { window.got = { key, href: location.href }; },
    ({ code }) => { window.got = { code, href: location.href }; },
  );
`;

/** A page that has the module, at `/app`, and an OpenRouter that gives the code `c0de` for permission. */
async function serve(context: BrowserContext, answer: 'yes' | 'no' = 'yes') {
  const exchanges: Record<string, string>[] = [];
  const logins: URL[] = [];
  await context.route('**/app*', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><script type="module">${MODULE}</script>` }),
  );
  await context.route('https://openrouter.ai/**', async (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === '/auth') {
      logins.push(url);
      const back = new URL(url.searchParams.get('callback_url') ?? '');
      if (answer === 'yes') back.searchParams.set('code', 'c0de');
      else back.searchParams.set('error', 'access_denied');
      // Not by a redirect of HTTP, whose target would not be routed to this test.
      const body = `<!doctype html><script>location.replace(${JSON.stringify(back.href)})</script>`;
      await route.fulfill({ contentType: 'text/html', body });
      return;
    }
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    if (route.request().method() !== 'POST') return await route.fulfill({ status: 204, headers });
    const body = route.request().postDataJSON();
    exchanges.push(body);
    const challenge = logins.at(-1)?.searchParams.get('code_challenge');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body.code_verifier));
    const proven = Buffer.from(digest).toString('base64url') === challenge && body.code === 'c0de';
    if (proven) await route.fulfill({ headers, json: { key: 'sk-or-v1-test' } });
    else await route.fulfill({ status: 403, headers, json: { error: 'Invalid code or code_verifier' } });
  });
  return { exchanges, logins };
}

test('keys are kept encrypted, from visit to visit', async ({ host, page, context }) => {
  await serve(context);
  const app = new URL('/app', host.url).href;
  await page.goto(app);
  await page.waitForFunction(() => window.got);
  expect(
    await page.evaluate(async () => {
      const [one, two] = [new window.llm.KeyStore(), new window.llm.KeyStore()];
      // Both open the new database at once, and must come to the same secret.
      await Promise.all([one.set('openai', 'sk-first'), two.set('other', 'sk-other')]);
      await two.set('openai', 'sk-secret');
      return [await one.get('openai'), await one.get('other'), await two.list()];
    }),
  ).toEqual(['sk-secret', 'sk-other', ['openai', 'other']]);
  await page.goto(`${app}?again`);
  await page.waitForFunction(() => window.got);
  const later = await page.evaluate(async () => {
    const store = new window.llm.KeyStore();
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('ibid-keys');
      request.onsuccess = () => resolve(request.result);
    });
    const records = await new Promise<Record<string, unknown>[]>((resolve) => {
      const request = database.transaction('keys').objectStore('keys').getAll();
      request.onsuccess = () => resolve(request.result);
    });
    const decoder = new TextDecoder('latin1');
    const shown = records.map((record) =>
      record instanceof CryptoKey ? `extractable: ${record.extractable}` : decoder.decode(record.data as ArrayBuffer),
    );
    const kept = await store.get('openai');
    await store.delete('openai');
    const failed = await store.get('openai').catch(({ code }) => code);
    // A record under another name is of no use there.
    const transaction = database.transaction('keys', 'readwrite').objectStore('keys');
    await new Promise((resolve) => {
      const request = transaction.get(':other');
      request.onsuccess = () => {
        transaction.put(request.result, ':openai').onsuccess = resolve;
      };
    });
    return { kept, failed, moved: await store.get('openai').catch(({ code }) => code), shown };
  });
  expect([later.kept, later.failed, later.moved]).toEqual(['sk-secret', 'provider-auth', 'provider-auth']);
  expect(later.shown).toContain('extractable: false');
  expect(later.shown.join()).not.toMatch(/sk-/);
});

test('a login by redirect comes back with a key, and leaves nothing in the address', async ({
  host,
  page,
  context,
}) => {
  const { exchanges, logins } = await serve(context);
  await page.goto(new URL('/app?tab=2#part', host.url).href);
  await page.waitForFunction(() => window.got);
  const back = page.waitForURL(/ibid_login/);
  await page.evaluate(() => window.llm.startOpenRouterLogin({ keyLabel: 'Test', limit: 5 }));
  await back;
  await page.waitForFunction(() => window.got?.key);
  expect(await page.evaluate(() => window.got)).toEqual({
    key: 'sk-or-v1-test',
    href: new URL('/app?tab=2', host.url).href,
  });
  const login = logins[0]?.searchParams;
  expect([login?.get('code_challenge_method'), login?.get('key_label'), login?.get('limit')]).toEqual([
    'S256',
    'Test',
    '5',
  ]);
  expect(exchanges).toHaveLength(1);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('a login in a popup gives the key to the page that opened it', async ({ host, page, context }) => {
  await serve(context);
  await page.goto(new URL('/app', host.url).href);
  await page.waitForFunction(() => window.got);
  const popup = page.waitForEvent('popup');
  const key = page.evaluate(() => window.llm.openRouterLogin());
  const opened = await popup;
  expect(await key).toBe('sk-or-v1-test');
  expect(opened.isClosed()).toBe(true);
});

test('a refusal, a foreign code and a closed window are errors', async ({ host, page, context }) => {
  const { exchanges } = await serve(context, 'no');
  const app = new URL('/app', host.url).href;
  await page.goto(app);
  await page.waitForFunction(() => window.got);
  const login = () =>
    page.evaluate(() => window.llm.openRouterLogin().catch(({ code, message }) => `${code}: ${message}`));
  expect(await login()).toBe('provider-auth: OpenRouter gave no permission: access_denied.');

  // An address that somebody else has made up: this page has begun another login.
  await page.evaluate(() => sessionStorage.setItem('ibid-openrouter-login', '{"state":"mine","verifier":"v"}'));
  await page.goto(`${app}?ibid_login=theirs&code=c0de`);
  await page.waitForFunction(() => window.got?.code);
  expect(await page.evaluate(() => window.got)).toEqual({ code: 'provider-auth', href: app });
  expect(exchanges).toEqual([]);

  await context.route('https://openrouter.ai/auth*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><script>close()</script>' }),
  );
  expect(await login()).toBe('aborted: The window for the login was closed.');
});
