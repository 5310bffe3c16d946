// The plain OpenID provider of the tests. It can be stopped and restarted at the same address.
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./plain-provider-process.ts', import.meta.url));

export class PlainProvider {
  readonly clientId = 'wallet';
  readonly clientSecret = 'a secret of the tests, long enough';
  readonly #settings: object;
  /** Outlives the process. */
  #key: object | undefined;
  #child: ChildProcess | undefined;
  issuer = '';
  scopes = 'openid profile email offline_access';

  /** `accessTokenSeconds`, `redirectUri`, `sids`, `introspection`, `refreshTokens`, `person`. */
  constructor(settings: object = {}) {
    this.#settings = settings;
  }

  async start(): Promise<this> {
    if (this.#isRunning) return this;
    const { clientId, clientSecret } = this;
    this.#key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const port = this.issuer === '' ? '0' : new URL(this.issuer).port;
    const env = {
      ...process.env,
      PLAIN_PROVIDER: JSON.stringify({ ...this.#settings, clientId, clientSecret, key: this.#key }),
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

  get #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || !this.#isRunning) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The client credentials of the wallet node. */
  async client(): Promise<{ clientId: string; clientSecret: string }> {
    return { clientId: this.clientId, clientSecret: this.clientSecret };
  }

  /** From now on this user cannot log in, and their grants are not renewed. */
  async close(sub: string): Promise<void> {
    await this.#tell('close', { sub });
  }

  /** The next request for this path is answered with 503. */
  async beBusy(path: string): Promise<void> {
    await this.#tell('busy', { path });
  }

  /** Sets claims of this user; null removes one. */
  async change(sub: string, claims: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#tell('change', { sub, claims });
  }

  /** A JWT with any content, signed by the provider. */
  async mint(header: Readonly<Record<string, unknown>>, claims: Readonly<Record<string, unknown>>): Promise<string> {
    return (await this.#tell('mint', { header, claims })).token;
  }

  /** How often tokens were issued for this grant type. */
  async granted(grantType: string): Promise<number> {
    return (await this.#tell('granted', { grantType })).count;
  }

  /** How often this path was requested. */
  async requestsFor(path: string): Promise<number> {
    return (await this.#tell('asked', { path })).count;
  }

  async #tell(what: string, about: object): Promise<any> {
    const answer = await fetch(`${this.issuer}/tests/${what}`, { method: 'POST', body: JSON.stringify(about) });
    if (!answer.ok) throw new Error(`the provider cannot ${what}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** The token endpoint, as this client. */
  async token(fields: Record<string, string>, clientId = this.clientId): Promise<{ status: number; body: any }> {
    const headers = {
      Authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(this.clientSecret)}`)}`,
    };
    const answer = await fetch(`${this.issuer}/token`, { method: 'POST', headers, body: new URLSearchParams(fields) });
    return { status: answer.status, body: await answer.json() };
  }
}

function refuse(): never {
  throw new Error('this provider serves other suites, too: give the suite its own one, by `provider: {}`');
}

/** For all suites of a process that only sign in with it. It ends with the last one. */
export class SharedProvider extends PlainProvider {
  #users = 0;

  join(): this {
    this.#users++;
    return this;
  }

  override async stop(): Promise<void> {
    if (--this.#users <= 0) await super.stop();
  }

  override close(): never {
    return refuse();
  }
  override beBusy(): never {
    return refuse();
  }
  override change(): never {
    return refuse();
  }
  override granted(): never {
    return refuse();
  }
  override requestsFor(): never {
    return refuse();
  }
}
