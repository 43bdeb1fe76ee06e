import { type AddressInfo, createServer as createTrap } from 'node:net';
import type { BrowserContext, Page } from '@playwright/test';
import { type Listening, listen, siteServer } from '../static-server.mjs';
import { SITE } from './documents.js';
import config from './playwright.config.js';

/** The policy under which the corpus is shown: it forbids scripts and images of others, and nothing else. */
const POLICY = "script-src 'self' 'wasm-unsafe-eval'; img-src 'self'";

/**
 * What would tell about any parsing of text as HTML, as script or as a script's address: the browser refuses it, and reports a
 * violation. No policy of this name is ever made, so nothing gets by.
 */
const NO_PARSING = "require-trusted-types-for 'script'; trusted-types none-is-made";

/** A page that has nothing of its own, so that all that is on it comes from the test. */
const BLANK = '<!doctype html><html lang="en"><title>.</title><main id="place"></main></html>';

/** Serves the built site and a blank page, under the policy. */
export async function corpusHost(): Promise<Listening> {
  const site = siteServer(SITE);
  return await listen((request, response) => {
    response.setHeader('content-security-policy', [POLICY, NO_PARSING]);
    if (request.url === '/blank') response.setHeader('content-type', 'text/html').end(BLANK);
    else site.emit('request', request, response);
  });
}

/**
 * Every name that ends in `.example`, as those of the corpus do, leads here by the browser's own resolver: what a page opens
 * a connection for without a request, a preconnection for instance, is counted as well.
 */
interface Trap {
  connections: number;
  launchOptions: NonNullable<NonNullable<typeof config.use>['launchOptions']>;
}

export async function setTrap(): Promise<Trap> {
  const trap: Trap = { connections: 0, launchOptions: {} };
  const server = createTrap((socket) => {
    trap.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It must not keep the process that has only listed the tests.
  server.unref();
  const { port } = server.address() as AddressInfo;
  const { args = [], ...rest } = config.use?.launchOptions ?? {};
  const rule = `--host-resolver-rules=MAP *.example 127.0.0.1:${port}`;
  trap.launchOptions = { ...rest, args: [...args, rule] };
  return trap;
}

/** What a page reports about itself. */
interface Sentinel {
  /** The number of times the canary was called: that some script ran. */
  canary: number;
  /** What the policy had to step in for, though nothing was to be tried. */
  violations: string[];
}

declare global {
  interface Window {
    canary(): void;
    sentinel: Sentinel;
    /** {@link strangers}. */
    strangers(root: Element): string[];
  }
}

/** Everything that must not happen on a page, as it happens. */
export class Watch {
  readonly requests: string[] = [];
  readonly dialogs: string[] = [];
  readonly opened: string[] = [];
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Before the page is opened. */
  static async on(page: Page, context: BrowserContext): Promise<Watch> {
    const watch = new Watch(page);
    // At the context, so that frames, workers and further windows are seen too.
    context.on('request', (request) => watch.requests.push(request.url()));
    context.on('page', (other) => watch.opened.push(other.url()));
    page.on('dialog', (dialog) => {
      watch.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('frameattached', (frame) => watch.opened.push(`frame ${frame.url()}`));
    // As text: the policy would not let the page make a function of one.
    await page.addInitScript({ content: `window.strangers = ${strangers}` });
    await page.addInitScript(() => {
      const sentinel: Sentinel = { canary: 0, violations: [] };
      Object.defineProperty(window, 'sentinel', { value: sentinel });
      Object.defineProperty(window, 'canary', {
        value: () => {
          sentinel.canary += 1;
        },
      });
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
        sentinel.violations.push(`${effectiveDirective} ${blockedURI} ${sample}`);
      });
    });
    return watch;
  }

  /** What has happened so far that should not have; requests are those beyond this machine. */
  async found(): Promise<Record<string, unknown>> {
    // Loads and timers of elements that should not be there begin after a moment.
    await this.#page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    const { canary, violations } = await this.#page.evaluate(() => window.sentinel);
    const left = this.requests.filter((url) => {
      const { protocol, hostname } = new URL(url);
      return hostname !== '127.0.0.1' && protocol !== 'blob:';
    });
    return { canary, violations, left, dialogs: this.dialogs, opened: this.opened };
  }
}

/** What {@link Watch.found} has found if nothing has happened. */
export const NOTHING = { canary: 0, violations: [], left: [], dialogs: [], opened: [] };

/**
 * What within an element is neither what an answer may consist of, nor has only the attributes that it may have. Runs in the
 * page, so it uses nothing from out here.
 */
export function strangers(root: Element): string[] {
  const elements = new Set(
    'p h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr th td pre code blockquote hr em strong s br a button mark span div svg path'.split(
      ' ',
    ),
  );
  const attributes = new Set(
    'class type title role start tabindex href rel viewBox width height fill stroke stroke-width d aria-label aria-hidden'.split(
      ' ',
    ),
  );
  return [...root.querySelectorAll('*')].flatMap((element) => {
    const name = element.localName;
    if (!elements.has(name)) return [name];
    const odd = [...element.attributes].filter((each) => !attributes.has(each.name) && !each.name.startsWith('data-'));
    const href = element.getAttribute('href');
    return [
      ...odd.map((each) => `${name}[${each.name}]`),
      ...(href !== null && !href.startsWith('#source-') ? [`${name} to ${href}`] : []),
    ];
  });
}
