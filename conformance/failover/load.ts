// Requests as clients send them, many at a time. Every answer is recorded, and every acknowledged write by its id.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { redirectTargetOf, TestBrowser } from '../../test/support/test-browser.ts';
import { ADMIN_PASSWORD, type Services } from './services.ts';

export interface RecordedAnswer {
  readonly kind: string;
  readonly at: number;
  readonly ms: number;
  /** 0: no answer. */
  readonly status: number;
  readonly retryAfter: string | null;
  /** HAProxy answered, because no process was ready. */
  readonly isOfProxy: boolean;
  /** Sent to a process, past HAProxy. */
  readonly isDirect: boolean;
  readonly text: string;
}

/** Longer than any limit of the services: whoever has no answer by then hangs. */
const HANGS_MS = 30_000;
const JSON_BODY = { 'Content-Type': 'application/json' };

const loginBody = (name: string, password: string): string =>
  JSON.stringify({
    auth: {
      identity: { methods: ['password'], password: { user: { name, domain: { id: 'default' }, password } } },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    },
  });

export class Load {
  readonly #services: Services;
  readonly answers: RecordedAnswer[] = [];
  /** Ids of acknowledged writes. */
  readonly projects: string[] = [];
  readonly keys: string[] = [];
  /** Tokens whose revocation was acknowledged. */
  readonly revoked: string[] = [];
  #token = '';
  #cookie = '';
  #running: Promise<unknown>[] = [];
  #stopped = true;

  constructor(services: Services) {
    this.#services = services;
  }

  get token(): string {
    return this.#token;
  }

  /** Every second request goes to a process directly: HAProxy answers for processes that are not ready, and would hide what they answer. */
  isHalfDirect = false;
  #count = 0;

  async #send(kind: string, url: string, init: RequestInit = {}): Promise<RecordedAnswer & { headers: Headers }> {
    const at = performance.now();
    const isDirect = this.isHalfDirect && this.#count++ % 2 === 0;
    const to = isDirect ? this.#services.direct(url) : url;
    let headers = new Headers();
    let [status, text] = [0, ''];
    try {
      const answer = await fetch(to, { ...init, signal: AbortSignal.timeout(HANGS_MS), redirect: 'manual' });
      ({ status, headers } = answer);
      text = await answer.text();
    } catch (error) {
      text = String((error as Error).cause ?? error);
    }
    const recorded = {
      kind,
      at,
      ms: performance.now() - at,
      status,
      retryAfter: headers.get('retry-after'),
      isDirect,
      isOfProxy: text.includes('no process is ready'),
      text: status >= 200 && status < 300 ? '' : text.slice(0, 300),
    };
    this.answers.push(recorded);
    return { ...recorded, text, headers };
  }

  #sendLogin(): Promise<RecordedAnswer & { headers: Headers }> {
    const url = `${this.#services.identityUrl}/v3/auth/tokens`;
    return this.#send('login', url, { method: 'POST', headers: JSON_BODY, body: loginBody('admin', ADMIN_PASSWORD) });
  }

  async logIn(): Promise<string | undefined> {
    const { status, headers } = await this.#sendLogin();
    return status === 201 ? headers.get('x-subject-token')! : undefined;
  }

  async prepare(): Promise<void> {
    this.#token = (await this.logIn())!;
  }

  /** The application of the wallet at the identity service. */
  async registerWallet(services: Services): Promise<{ id: string; secret: string }> {
    await this.prepare();
    const answer = await fetch(`${services.identityUrl}/v3/OS-OAUTH2/consumers`, {
      method: 'POST',
      headers: { ...JSON_BODY, 'X-Auth-Token': this.#token },
      body: JSON.stringify({
        consumer: { name: `the wallet at ${services.walletUrl}`, redirect_uris: [`${services.walletUrl}/api/v1/auth/callback`] },
      }),
    });
    const { consumer } = (await answer.json()) as { consumer: { id: string; secret: string } };
    return consumer;
  }

  /** A person signs in to the wallet through the identity service, by the pages. */
  async signInToWallet(): Promise<void> {
    const { identityUrl, walletUrl } = this.#services;
    const begun = await fetch(`${walletUrl}/api/v1/auth/login`, { redirect: 'manual' });
    const browser = new TestBrowser({ url: identityUrl });
    const page = await browser.signIn(begun.headers.get('location')!, {
      name: 'admin',
      password: ADMIN_PASSWORD,
      domain: 'Default',
    });
    const flow = begun.headers.getSetCookie()[0]!.split(';')[0]!;
    const back = await fetch(redirectTargetOf(page), { redirect: 'manual', headers: { Cookie: flow } });
    const cookie = back.headers.getSetCookie().find((one) => one.startsWith('gatehouse_wallet='));
    if (!cookie) throw new Error(`no session of the wallet: ${back.status} ${await back.text()}`);
    this.#cookie = cookie.split(';')[0]!;
  }

  readonly #steps: Readonly<Record<string, () => Promise<RecordedAnswer>>> = {
    login: () => this.#sendLogin(),
    validate: () =>
      this.#send('validate', `${this.#services.identityUrl}/v3/auth/tokens`, {
        headers: { 'X-Auth-Token': this.#token, 'X-Subject-Token': this.#token },
      }),
    list: () =>
      this.#send('list', `${this.#services.identityUrl}/v3/projects?limit=20&name=${randomUUID()}`, {
        headers: { 'X-Auth-Token': this.#token },
      }),
    project: async () => {
      const answer = await this.#send('project', `${this.#services.identityUrl}/v3/projects`, {
        method: 'POST',
        headers: { ...JSON_BODY, 'X-Auth-Token': this.#token },
        body: JSON.stringify({ project: { name: randomUUID() } }),
      });
      if (answer.status === 201) this.projects.push((JSON.parse(answer.text) as { project: { id: string } }).project.id);
      return answer;
    },
    revoke: async () => {
      const token = await this.logIn();
      const answer = await (token === undefined
        ? this.#steps.validate!()
        : this.#send('revoke', `${this.#services.identityUrl}/v3/auth/tokens`, {
            method: 'DELETE',
            headers: { 'X-Auth-Token': this.#token, 'X-Subject-Token': token },
          }));
      if (answer.status === 204) this.revoked.push(token!);
      return answer;
    },
    session: () =>
      this.#send('session', `${this.#services.walletUrl}/api/v1/auth/userinfo`, { headers: { Cookie: this.#cookie } }),
    key: async () => {
      const answer = await this.#send('key', `${this.#services.walletUrl}/api/v1/wallet/keys`, {
        method: 'POST',
        headers: { ...JSON_BODY, Cookie: this.#cookie, Origin: this.#services.walletUrl },
        body: '{}',
      });
      if (answer.status === 201) this.keys.push((JSON.parse(answer.text) as { id: string }).id);
      return answer;
    },
  };

  /** One request now. */
  once(step: string): Promise<RecordedAnswer> {
    return this.#steps[step]!();
  }

  /** `clients`: how many send each kind of request, one after the other. A refused client waits as it was told. */
  start(clients: Readonly<Record<string, number>>, pauseMs = 20): void {
    this.#stopped = false;
    for (const [step, count] of Object.entries(clients))
      for (let i = 0; i < count; i++)
        this.#running.push(
          (async () => {
            while (!this.#stopped) {
              const { status } = await this.#steps[step]!();
              await new Promise((resolve) => setTimeout(resolve, status >= 500 || status === 0 ? 200 : pauseMs));
            }
          })(),
        );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#running = [];
  }

  /** Acknowledged writes that are not in the databases. */
  async lost(identity: pg.Client, wallet: pg.Client): Promise<string[]> {
    const missing = async (client: pg.Client, table: string, ids: readonly string[]): Promise<string[]> => {
      const { rows } = await client.query<{ id: string }>(`select id from ${table} where id = any($1)`, [ids]);
      const there = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !there.has(id)).map((id) => `${table} ${id}`);
    };
    const accepted: string[] = [];
    for (const token of this.revoked) {
      const answer = await fetch(`${this.#services.identityUrl}/v3/auth/tokens`, {
        headers: { 'X-Auth-Token': this.#token, 'X-Subject-Token': token },
      });
      await answer.arrayBuffer();
      if (answer.status !== 404 && answer.status !== 401) accepted.push(`a revoked token is answered with ${answer.status}`);
    }
    return [...(await missing(identity, 'projects', this.projects)), ...(await missing(wallet, 'keys', this.keys)), ...accepted];
  }
}
