// The plain OpenID provider of the tests: started, stopped, brought back at the same address.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./plain-provider-process.ts', import.meta.url));

export class PlainProvider {
  readonly clientId = 'wallet';
  readonly clientSecret = 'a secret of the tests, long enough';
  readonly #settings: object;
  #child: ChildProcess | undefined;
  issuer = '';

  /** `accessTokenSeconds`, `audience`. */
  constructor(settings: object = {}) {
    this.#settings = settings;
  }

  async start(): Promise<this> {
    const { clientId, clientSecret } = this;
    const port = this.issuer === '' ? '0' : new URL(this.issuer).port;
    const env = {
      ...process.env,
      PLAIN_PROVIDER: JSON.stringify({ ...this.#settings, clientId, clientSecret }),
      PLAIN_PROVIDER_PORT: port,
    };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    this.#child = child;
    const first = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
    if (child.exitCode !== null) throw new Error(`the provider did not start:\n${said}`);
    this.issuer = String(first[0]).trim();
    return this;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** From now on this person cannot log in, and nothing they were granted is renewed. */
  async close(sub: string): Promise<void> {
    await fetch(`${this.issuer}/close?sub=${encodeURIComponent(sub)}`);
  }
}
