// An application that asks people to sign in who are somewhere else (CIBA), and those who answer.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiAnswer, TestApi } from './api.ts';
import { makeApplication } from './applications.ts';
import { until } from './mailbox.ts';
import { makeUser } from './relying-party.ts';
import { databaseOf } from './restartable-api.ts';
import { type BrowserPage, TestBrowser } from './test-browser.ts';

export const CIBA = 'urn:openid:params:grant-type:ciba';
const FORM = 'application/x-www-form-urlencoded';

export class Asker {
  readonly api: TestApi;
  readonly id: string;
  readonly name: string;
  readonly secret: string;

  constructor(api: TestApi, application: { id: string; name: string; secret: string }) {
    this.api = api;
    this.id = application.id;
    this.name = application.name;
    this.secret = application.secret;
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}): Promise<Asker> {
    return new Asker(
      api,
      await makeApplication(api, { redirect_uris: [], allowed_grant_types: [CIBA, 'refresh_token'], ...values }),
    );
  }

  send(path: string, parameters: Record<string, string>): Promise<ApiAnswer> {
    const basic = Buffer.from(`${this.id}:${this.secret}`).toString('base64');
    return this.api.post(path, new URLSearchParams(parameters).toString(), {
      token: null,
      headers: { 'Content-Type': FORM, Authorization: `Basic ${basic}` },
    });
  }

  ask(parameters: Record<string, string>): Promise<ApiAnswer> {
    return this.send('/openid/backchannel', { scope: 'openid', ...parameters });
  }

  /** The id of a request that is accepted. */
  async begin(parameters: Record<string, string>): Promise<string> {
    const answer = await this.ask(parameters);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.auth_req_id;
  }

  poll(id: string): Promise<ApiAnswer> {
    return this.send('/openid/token', { grant_type: CIBA, auth_req_id: id });
  }

  change(consumer: Record<string, unknown>): Promise<ApiAnswer> {
    return this.api.patch(`/v3/OS-OAUTH2/consumers/${this.id}`, { consumer });
  }
}

/** Somebody who is signed in at their account page. */
export class Asked {
  readonly person: Awaited<ReturnType<typeof makeUser>>;
  readonly browser: TestBrowser;

  constructor(person: Asked['person'], browser: TestBrowser) {
    this.person = person;
    this.browser = browser;
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}): Promise<Asked> {
    const [person, browser] = [await makeUser(api, values), new TestBrowser(api)];
    const domain = values.domain_id === undefined ? {} : { domain: values.domain_id as string };
    const page = await browser.signIn('/account', { ...person, ...domain });
    assert.equal(page.status, 200);
    return new Asked(person, browser);
  }

  page(): Promise<BrowserPage> {
    return this.browser.go('/account');
  }

  /** The requests that wait, by their ids. */
  async waiting(): Promise<string[]> {
    const { forms } = await this.page();
    return forms.filter(({ fields }) => fields.step === 'allow-request').map(({ fields }) => fields.request!);
  }

  /** Once there are so many. */
  async see(count = 1): Promise<string[]> {
    let ids: string[] = [];
    await until(async () => {
      ids = await this.waiting();
      return ids.length >= count;
    }, `${count} requests`);
    return ids;
  }

  async answer(step: 'allow-request' | 'refuse-request', id?: string): Promise<BrowserPage> {
    const page = await this.page();
    const form = page.forms.find(({ fields }) => fields.step === step) ?? { fields: { ...page.forms[0]?.fields, step } };
    return this.browser.send('/account', { ...form.fields, step, ...(id === undefined ? {} : { request: id }) });
  }

  async choose(choice: string, code = ''): Promise<BrowserPage> {
    return this.browser.submit(await this.browser.go('/account/applications'), 'who-may-ask', { choice, code });
  }
}

/** Once everything was tried that follows the requests so far. What failed is tried again later. */
export async function allDone(api: TestApi): Promise<void> {
  const db = await databaseOf(api);
  try {
    const rows = () => db.read.selectFrom('sign_in_tasks').where('last_error', 'is', null).select('id').execute();
    await until(async () => (await rows()).length === 0, 'the tasks are done');
  } finally {
    await db.close();
  }
}

/** Where an application is told of answers. */
export class PingReceiver {
  readonly heard: { readonly authorization: string | undefined; readonly body: any }[] = [];
  readonly #server: Server;
  isSlow = false;
  /** Where it sends those who call. */
  movedTo: string | undefined;
  /** How it answers otherwise. */
  status = 204;

  constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        this.heard.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
        if (this.isSlow) return;
        if (this.movedTo === undefined) response.writeHead(this.status).end();
        else response.writeHead(307, { Location: this.movedTo }).end();
      });
    });
  }

  static async start(): Promise<PingReceiver> {
    const receiver = new PingReceiver();
    await new Promise<void>((done) => receiver.#server.listen(0, '127.0.0.1', done));
    receiver.#server.unref();
    return receiver;
  }

  get uri(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/told`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
