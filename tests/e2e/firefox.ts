import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The system's Firefox by way of geckodriver and the WebDriver protocol, to run functions in its pages: Playwright
 * drives only a Firefox of its own make, which is not installed here.
 */
export class Firefox {
  readonly #driver: ChildProcess;
  readonly #address: string;
  #session = '';

  private constructor(driver: ChildProcess, address: string) {
    this.#driver = driver;
    this.#address = address;
  }

  static async start(): Promise<Firefox> {
    const port = await freePort();
    // Where ./build.sh setup puts it, unless the system has one.
    const tools = join(process.env.IBID_TOOLS ?? join(homedir(), '.cache/ibid/tools'), 'bin');
    const env = { ...process.env, PATH: `${process.env.PATH}${delimiter}${tools}` };
    const driver = spawn('geckodriver', ['--port', String(port)], { stdio: 'ignore', env });
    const failed = new Promise<never>((_, reject) => {
      driver.once('error', () => reject(new Error('No geckodriver: run ./build.sh setup.')));
    });
    const firefox = new Firefox(driver, `http://127.0.0.1:${port}`);
    await Promise.race([firefox.#ready(), failed]);
    const capabilities = { alwaysMatch: { 'moz:firefoxOptions': { args: ['-headless'] } } };
    const { sessionId } = await firefox.#send<{ sessionId: string }>('POST', '/session', { capabilities });
    firefox.#session = `/session/${sessionId}`;
    await firefox.#send('POST', `${firefox.#session}/timeouts`, { script: 120_000 });
    return firefox;
  }

  async goto(url: string): Promise<void> {
    await this.#send('POST', `${this.#session}/url`, { url });
  }

  /** Runs a function in the page and returns what its promise gives; both must survive JSON. */
  async evaluate<A, R>(run: (argument: A) => Promise<R>, argument: A): Promise<R> {
    // WebDriver runs each script under a global object of its own; this one is handed on to the page's.
    const script = '(window.wrappedJSObject ?? window).eval(arguments[0]).then(arguments[1])';
    const work = `(${run})(${JSON.stringify(argument)})
      .then((value) => ({ value }), (error) => ({ error: String(error) + error?.stack })).then(JSON.stringify)`;
    const text = await this.#send<string>('POST', `${this.#session}/execute/async`, { script, args: [work] });
    const answer: { value: R; error?: string } = JSON.parse(text);
    if (answer.error !== undefined) throw new Error(`In the page: ${answer.error}`);
    return answer.value;
  }

  /** Presses keys one after another, those named by the WebDriver protocol's code points among them. */
  async press(...keys: string[]): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#send('POST', `${this.#session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  /** Returns the role and the name that a screen reader hears of the element that an expression finds. */
  async heard(expression: string): Promise<[role: string, name: string]> {
    const script = `return ${expression}`;
    const element = await this.#send<Record<string, string>>('POST', `${this.#session}/execute/sync`, {
      script,
      args: [],
    });
    const [id] = Object.values(element);
    const ask = (what: string) => this.#send<string>('GET', `${this.#session}/element/${id}/${what}`);
    return [await ask('computedrole'), await ask('computedlabel')];
  }

  async close(): Promise<void> {
    await this.#send('DELETE', this.#session).catch(() => {});
    this.#driver.kill();
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const status = await this.#send<{ ready: boolean }>('GET', '/status').catch(() => undefined);
      if (status?.ready) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('geckodriver does not answer.');
  }

  async #send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const content = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${this.#address}${path}`, { method, headers, body: content });
    const { value } = (await response.json()) as { value: T & { message?: string } };
    if (!response.ok) throw new Error(`WebDriver: ${value.message}`);
    return value;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
