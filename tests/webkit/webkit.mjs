import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../static-server.mjs';

/** WebKitGTK's MiniBrowser on a screen of its own, driven by the WebDriver protocol. */
export class WebKit {
  #started = [];
  #env = { ...process.env, GDK_BACKEND: 'x11', WEBKIT_DISABLE_COMPOSITING_MODE: '1' };
  #address;
  #session;

  static async start() {
    const webkit = new WebKit();
    const screen = webkit.#spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24'], 'pipe');
    const [display] = await once(screen.stdio[3], 'data');
    webkit.#env.DISPLAY = `:${String(display).trim()}`;
    // The protocol's server takes no port 0.
    const { server, origin } = await listen('.');
    await new Promise((closed) => server.close(closed));
    webkit.#address = origin;
    webkit.#spawn('WebKitWebDriver', [`--port=${new URL(origin).port}`]);
    await eventually(() => webkit.#send('GET', '/status'));
    const { sessionId } = await webkit.#send('POST', '/session', { capabilities: {} });
    webkit.#session = `/session/${sessionId}`;
    return webkit;
  }

  /** Opens a page in a browser that no driver watches: a driven one forgets what a page has cached. */
  visit(url, profile) {
    const env = { XDG_DATA_HOME: profile, XDG_CACHE_HOME: profile, XDG_CONFIG_HOME: profile };
    return this.#spawn('sh', ['-c', 'exec /usr/lib/*/webkit*gtk-*/MiniBrowser "$0"', url], 'ignore', env);
  }

  goto = (url) => this.#send('POST', `${this.#session}/url`, { url });
  back = () => this.#send('POST', `${this.#session}/back`, {});

  /** Presses keys one after another, those named by the protocol's code points among them. */
  async press(...keys) {
    const actions = keys.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })));
    await this.#send('POST', `${this.#session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  /** Clicks an element, named by selectors, each within the one before. */
  async click(...selectors) {
    await this.#send('POST', `${await this.#element(selectors)}/click`, {});
  }

  /** Types into an element, and gives files to an input of files. */
  async type(text, ...selectors) {
    await this.#send('POST', `${await this.#element(selectors)}/value`, { text });
  }

  /** Returns a property of an element. */
  async read(property, ...selectors) {
    return this.#send('GET', `${await this.#element(selectors)}/property/${property}`);
  }

  async close() {
    await this.#send('DELETE', this.#session).catch(() => {});
    for (const child of this.#started.reverse()) child.kill();
  }

  async #element(selectors) {
    const script = `return [...arguments].reduce((at, one) => (at.shadowRoot ?? at).querySelector(one), document)`;
    const element = await this.#send('POST', `${this.#session}/execute/sync`, { script, args: selectors });
    return `${this.#session}/element/${Object.values(element)[0]}`;
  }

  async #send(method, path, body) {
    const response = await fetch(`${this.#address}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
    return value;
  }

  #spawn(command, args, third = 'ignore', env = {}) {
    const options = { stdio: ['ignore', 'ignore', 'ignore', third], env: { ...this.#env, ...env } };
    const child = spawn(command, args, options);
    this.#started.push(child);
    return child;
  }
}

/** Looks until what is seen is as wished, for a minute at most. */
export async function eventually(look, isWished = () => true) {
  const end = Date.now() + 60_000;
  for (;;) {
    // A page that is being left answers nothing.
    const seen = await look().catch((error) => error);
    if (!(seen instanceof Error) && isWished(seen)) return seen;
    if (Date.now() > end) throw seen instanceof Error ? seen : new Error(`After a minute: ${JSON.stringify(seen)}`);
    await pause(100);
  }
}
