// Set-up for tests of passkeys: a service at localhost, where browsers offer them, and a person with an authenticator in software.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { TestApi } from './api.ts';
import { freePort } from './ports.ts';
import { makeUser, type RelyingParty } from './relying-party.ts';
import { type AuthenticatorTwist, SoftAuthenticator } from './soft-authenticator.ts';
import { type BrowserPage, stepOf, TestBrowser } from './test-browser.ts';

const port = await freePort();

/** Browsers offer no passkeys at an IP address, which is where tests run else. */
export const AT_LOCALHOST = {
  GATEHOUSE_IDENTITY_PORT: String(port),
  GATEHOUSE_IDENTITY_URL: `http://localhost:${port}`,
};

/** First in a suite with the settings above. */
export function servesAtLocalhost(api: TestApi): void {
  before(() => {
    api.url = AT_LOCALHOST.GATEHOUSE_IDENTITY_URL;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** What the page asks of a passkey; undefined when it asks for none. */
export function passkeyOptionsOf(page: BrowserPage, kind: 'get' | 'create' = 'get'): any {
  const found = new RegExp(`data-passkey="${kind}"[^>]*data-options="([^"]*)"`).exec(page.text)?.[1];
  return found === undefined ? undefined : JSON.parse(found.replaceAll(/&(amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one]!));
}

/** From the application to the sign-in page. What the application gets after the last page: with consent, if that is asked for. */
export async function visitSignIn(
  api: TestApi,
  party: RelyingParty,
  more: Record<string, string> = {},
  browser: TestBrowser = new TestBrowser(api),
) {
  const { url, checks } = await party.ask(more);
  const page = await browser.go(url);
  const tokens = async (last: BrowserPage) =>
    party.redeem(stepOf(last) === 'allow' ? await browser.submit(last, 'allow') : last, checks);
  const claims = async (last: BrowserPage) => (await tokens(last)).claims()!;
  return { browser, page, tokens, claims };
}

/** Somebody at a browser, signed in to the account page by password, who has an authenticator. */
export class PasskeyPerson {
  readonly #api: TestApi;
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly authenticator: SoftAuthenticator;

  constructor(api: TestApi, { id, name, password }: { id: string; name: string; password: string }) {
    this.#api = api;
    this.id = id;
    this.name = name;
    this.password = password;
    this.authenticator = new SoftAuthenticator(new URL(api.url).origin);
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}): Promise<PasskeyPerson> {
    return new PasskeyPerson(api, await makeUser(api, values));
  }

  /** With a passkey, added on the account page. */
  static async withPasskey(api: TestApi, twist: AuthenticatorTwist = {}): Promise<PasskeyPerson> {
    const person = await PasskeyPerson.make(api);
    await person.addPasskey(twist);
    return person;
  }

  async addPasskey(twist: AuthenticatorTwist = {}, name = 'a phone'): Promise<BrowserPage> {
    const browser = new TestBrowser(this.#api);
    const account = await browser.signIn('/account/security', this);
    const page = await browser.submit(account, 'passkey-new');
    const answer = this.authenticator.create(passkeyOptionsOf(page, 'create'), twist);
    const added = await browser.submit(page, 'passkey-create', { passkey: answer, passkey_name: name });
    assert.equal(added.status, 200, added.text);
    return added;
  }

  /** Uses the passkey where the page asks for one. */
  usePasskey(browser: TestBrowser, page: BrowserPage, twist: AuthenticatorTwist = {}): Promise<BrowserPage> {
    const step = page.forms.some(({ fields }) => fields.step === 'second-passkey') ? 'second-passkey' : 'passkey';
    return browser.submit(page, step, { passkey: this.authenticator.get(passkeyOptionsOf(page), twist) });
  }
}
