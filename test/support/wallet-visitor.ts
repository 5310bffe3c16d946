// Somebody who signs in to an application with a wallet.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { TestApi } from './api.ts';
import type { Holder, HolderAnswer, HolderTwist } from './holder.ts';
import { readQrCode } from './qr-codes.ts';
import { type AuthorizationRequest, RelyingParty } from './relying-party.ts';
import { type BrowserPage, TestBrowser } from './test-browser.ts';

const unescaped = (text: string): string => text.replaceAll('&amp;', '&');

export class WalletVisitor {
  readonly #api: TestApi;
  readonly browser: TestBrowser;
  readonly #application: RelyingParty;
  request!: AuthorizationRequest;
  /** The page with the link and the code. */
  page!: BrowserPage;

  constructor(api: TestApi, application: RelyingParty) {
    this.#api = api;
    this.#application = application;
    this.browser = new TestBrowser(api);
  }

  async signInPage(more: Record<string, string> = {}): Promise<BrowserPage> {
    this.request = await this.#application.ask(more);
    return this.browser.go(this.request.url);
  }

  /** Up to the page with the link and the code. */
  async ask(more: Record<string, string> = {}): Promise<this> {
    this.page = await this.browser.submit(await this.signInPage(more), 'wallet');
    assert.match(this.page.text, /openid4vp:/, this.page.text);
    return this;
  }

  /** For a wallet on the same device. */
  get link(): string {
    return unescaped(/href="(openid4vp:[^"]+)"/.exec(this.page.text)![1]!);
  }

  /** For a wallet on another device: read from the picture. */
  get code(): string {
    return readQrCode(/<svg[\s\S]*?<\/svg>/.exec(this.page.text.slice(this.page.text.indexOf('class="qr"')))![0])!;
  }

  /** The wallet sends this browser back. */
  returns(redirectUri: string): Promise<BrowserPage> {
    return this.#consent(this.browser.go(redirectUri));
  }

  /** A wallet shows what it has, and its answer is taken. */
  async answered(holder: Holder, device: 'link' | 'code' = 'link'): Promise<HolderAnswer> {
    const answer = await holder.answer(this[device]);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer;
  }

  /** A wallet on this device: up to the page where the person goes on. */
  async shows(holder: Holder): Promise<BrowserPage> {
    return this.returns((await this.answered(holder)).body.redirect_uri);
  }

  /** A wallet on another device: up to the page after its number. */
  async showsElsewhere(holder: Holder): Promise<BrowserPage> {
    const { body } = await this.answered(holder, 'code');
    return this.types(await this.numberAt(body.redirect_uri));
  }

  /** The person types what the other device shows. */
  types(number: string): Promise<BrowserPage> {
    return this.#consent(this.browser.submit(this.page, 'wallet-code', { code: number }));
  }

  /** The person chooses on a page, such as a new account. */
  presses(page: BrowserPage, step: string, values: Record<string, string> = {}): Promise<BrowserPage> {
    return this.#consent(this.browser.submit(page, step, values));
  }

  async #consent(going: Promise<BrowserPage>): Promise<BrowserPage> {
    const page = await going;
    return page.forms.some(({ fields }) => fields.step === 'allow') ? this.browser.submit(page, 'allow') : page;
  }

  /** Who is signed in at the application. */
  async claims(page: BrowserPage): Promise<Record<string, any>> {
    const tokens = await this.#application.redeem(page, this.request.checks);
    return tokens.claims() as Record<string, any>;
  }

  /** The number that another device shows. */
  async numberAt(redirectUri: string): Promise<string> {
    const page = await new TestBrowser(this.#api).go(redirectUri);
    assert.equal(page.status, 200, page.text);
    return /<code>(\d{3}) (\d{3})<\/code>/.exec(page.text)!.slice(1).join('');
  }
}

/** The application of a suite, and people who come to it. */
export function usesVisitors(api: TestApi): { application: () => RelyingParty; visitor: () => WalletVisitor } {
  let application: RelyingParty;
  before(async () => {
    application = await RelyingParty.make(api);
  });
  return { application: () => application, visitor: () => new WalletVisitor(api, application) };
}

/** Nobody was signed in. */
export function assertNotSignedIn(page: BrowserPage): void {
  assert.equal(page.redirectTarget, undefined, 'signed in');
  assert.match(page.headers.get('content-type')!, /^text\/html/);
  assert.ok(!page.forms.some(({ fields }) => fields.step === 'allow'), 'signed in, and asked for consent');
}

/** The answer of a wallet is refused with no word about why, which only the operator learns. Nobody is signed in. */
export async function assertAnswerRefused(
  { logged }: TestApi,
  visitor: WalletVisitor,
  why: RegExp,
  { holder }: { readonly holder: Holder },
  twist: HolderTwist = {},
): Promise<void> {
  const visit = await visitor.ask();
  const { status, body } = await holder.answer(visit.link, twist);
  assert.deepEqual([status, body], [400, { error: 'invalid_request', error_description: 'the answer is not valid' }]);
  const last = logged.findLast((line) => line.includes('answer of a wallet refused'))!;
  assert.match(JSON.parse(last).reason, why);
  assertNotSignedIn(await visit.browser.go(visit.page.url));
}
