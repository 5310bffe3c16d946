// The person at the pages of the wallet node, in Chromium: opens links of issuers and verifiers, and agrees.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIResponse, Page } from 'playwright-core';
import { words } from '../../../console/wallet/words/en/index.ts';
import type { Screenshots } from './api.ts';
import type { Actor } from './drive.ts';
import type { Person } from './person.ts';
import type { CredentialOffer } from './registrations.ts';

const VCI = '/api/v1/wallet/oid4vci';
const FULL = { fullPage: true };
/** The node asks its provider for the first time, which may take too long on a busy machine. */
const SIGN_IN_TRIES = 3;
const DEFERRED_TRIES = 12;
const QUICK_MS = 3_000;
const COPIES = 3;
/** The suite tells everybody the same one. */
const TX_CODE = '123456';

/** A button or link that begins with a word. */
const begins = (text: string): RegExp => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
/** What a person who agrees presses. What cannot be answered is refused. */
const AGREE = [begins(words.receive.accept), begins(words.share.consent('')), begins(words.share.refuse)];
const GO_ON = begins(words.share.goOnAt(''));

export class Holder {
  readonly #person: Person;
  readonly #wallet: string;
  #isSignedIn = false;

  constructor(person: Person, wallet: string) {
    this.#person = person;
    this.#wallet = wallet;
  }

  async #signIn(): Promise<void> {
    for (let tries = 0; tries < SIGN_IN_TRIES && !this.#isSignedIn; tries++) {
      await this.#person.visit({ url: `${this.#wallet}/api/v1/auth/login`, method: 'GET' });
      await this.#person.on(async (page) => {
        this.#isSignedIn = (await page.context().request.get(`${this.#wallet}/api/v1/auth/userinfo`)).ok();
        return {};
      });
    }
    assert.ok(this.#isSignedIn, 'the person could not log in at the wallet');
  }

  async #post(page: Page, path: string, data: object): Promise<APIResponse> {
    return page.context().request.post(this.#wallet + path, { data, headers: { Origin: this.#wallet } });
  }

  /** A credential of the identity service, to show it. */
  async receive({ uri, tx_code: txCode }: CredentialOffer): Promise<void> {
    await this.#signIn();
    await this.#person.on(async (page) => {
      const answer = await this.#post(page, VCI, { uri, ...(txCode === null ? {} : { txCode }) });
      assert.equal(answer.status(), 201, await answer.text());
      return {};
    });
  }

  /** Opens a link that leads to the wallet, looks at what it is about, and agrees. */
  async open(url: string): Promise<Screenshots> {
    await this.#signIn();
    return this.#person.on(async (page) => {
      await page.goto(url);
      await page.getByRole('button', { name: words.open.look }).click();
      await this.#leaves(page, '/open');
      await this.#agree(page);
      await this.#comeBack(page);
      const screenshot = await page.screenshot(FULL);
      const on = page.getByRole('link', { name: GO_ON });
      if (await on.isVisible()) {
        await on.click();
        await page.waitForLoadState('networkidle');
      }
      return { last: screenshot };
    });
  }

  /** Several copies at once, which a program asks for: the pages receive one. The code counts where the offer wants one. */
  async openForCopies(url: string, count: number): Promise<Screenshots> {
    await this.#signIn();
    return this.#person.on(async (page) => {
      const answer = await this.#post(page, VCI, { uri: url, count, txCode: TX_CODE });
      const { authorizationUrl } = (await answer.json()) as { authorizationUrl?: string };
      // Nobody signs in for a pre-authorized code.
      if (authorizationUrl === undefined) {
        assert.equal(answer.status(), 201, await answer.text());
        return {};
      }
      await page.goto(authorizationUrl);
      await page.waitForURL((at) => at.href.startsWith(this.#wallet));
      await page.waitForLoadState('networkidle');
      return { last: await page.screenshot(FULL) };
    });
  }

  async #agree(page: Page): Promise<void> {
    // A page that shows an error has none of them.
    const any = page.getByRole('button', { name: AGREE[0]! }).or(page.getByRole('button', { name: AGREE[2]! }));
    await any
      .first()
      .waitFor({ timeout: QUICK_MS })
      .catch(() => undefined);
    const code = page.getByLabel(words.receive.txCode);
    if (await code.isVisible()) await code.fill(TX_CODE);
    for (const name of AGREE) {
      const button = page.getByRole('button', { name }).first();
      if (!(await button.isVisible())) continue;
      const before = new URL(page.url()).pathname;
      const said = await page.getByRole('alert').count();
      await button.click();
      await this.#leaves(page, before, said);
      return;
    }
  }

  /** Until the wallet shows another page of its own, or says on this one what came of it. */
  async #leaves(page: Page, path: string, said = 0): Promise<void> {
    const { origin } = new URL(this.#wallet);
    const isAway = page.waitForURL((at) => at.origin === origin && at.pathname !== path);
    const isWrong = page.getByRole('alert').nth(said).waitFor();
    const isDone = page.locator('[role=status].good, [role=status].warn').first().waitFor();
    await Promise.any([isAway, isWrong, isDone]);
    await page.waitForLoadState('networkidle');
  }

  /** A credential that is not ready yet: the wallet is told to ask again. */
  async #comeBack(page: Page): Promise<void> {
    const id = /\/history\/([^/?]+)/.exec(page.url())?.[1];
    for (let tries = 0; id && tries < DEFERRED_TRIES; tries++) {
      const exchange = await (await page.context().request.get(`${this.#wallet}/api/v1/wallet/exchanges/${id}`)).json();
      if (exchange.state !== 'deferred') return;
      await sleep(QUICK_MS);
      await this.#post(page, VCI, { exchangeId: id });
    }
  }
}

/** The suite sends people to the wallet with links. */
export const atWallet = (holder: Holder): Actor => ({
  // The person stays signed in at the wallet.
  renew: async () => undefined,
  visit: ({ url }, module) => (module.includes('batch') ? holder.openForCopies(url, COPIES) : holder.open(url)),
});
