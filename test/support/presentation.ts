// Set-up for tests of presentations: a wallet with credentials, an issuer and a verifier.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, afterEach, before } from 'node:test';
import type { ApiAnswer } from './api.ts';
import { type IssuerTwist, type OfferOptions, ToyIssuer } from './toy-issuer.ts';
import { type AskOptions, ToyVerifier, type VerifiedPresentation } from './toy-verifier.ts';
import type { TestWallet, WalletUser } from './wallet.ts';

export const VP = '/api/v1/wallet/oid4vp';
export const VCI = '/api/v1/wallet/oid4vci';
export const IDENTITY = 'https://example.org/identity';
export const MEMBERSHIP = 'https://example.org/membership';

/** A query for one kind of credential. */
export const queryFor = (id: string, vct: string, more: object = {}) => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: [vct] },
  ...more,
});
export const paths = (...all: (string | number | null)[][]) => all.map((path) => ({ path }));

/** A selectively disclosable claim or list element, with its digest. */
export function disclosureOf(...parts: [string, unknown] | [unknown]): { text: string; digest: string } {
  const text = Buffer.from(JSON.stringify([randomBytes(12).toString('base64url'), ...parts])).toString('base64url');
  return { text, digest: createHash('sha256').update(text).digest('base64url') };
}

export interface ReceiveOptions {
  /** Changes the credential before the issuer signs it. */
  readonly draft?: NonNullable<IssuerTwist['credential']>;
  readonly text?: (credential: string) => string;
  readonly configuration?: string;
  readonly body?: object;
  readonly offer?: OfferOptions;
}

export class PresentationSetup {
  readonly issuer = new ToyIssuer();
  readonly verifier = new ToyVerifier();
  readonly wallet: TestWallet;

  constructor(wallet: TestWallet) {
    this.wallet = wallet;
  }

  async receive(person: WalletUser, { draft, text, configuration = 'identity', body, offer }: ReceiveOptions = {}): Promise<any> {
    this.issuer.twist = { ...(draft ? { credential: draft } : {}), ...(text ? { text } : {}) };
    const uri = this.issuer.offer({ configurations: [configuration], ...offer });
    const answer = await person.post(VCI, { uri, ...body });
    this.issuer.twist = {};
    assert.equal(answer.status, 201, answer.text);
    return answer.body.credentials[0];
  }

  /** A new user with one credential. */
  async holder(received?: ReceiveOptions): Promise<{ person: WalletUser; credential: any }> {
    const person = await this.wallet.logIn();
    return { person, credential: await this.receive(person, received) };
  }

  async present(person: WalletUser, options: AskOptions = {}, body: object = {}): Promise<ApiAnswer> {
    return person.post(VP, { uri: await this.verifier.ask(options), ...body });
  }

  /** Presents, and returns what the verifier received for each query. */
  async presentAndRead(
    person: WalletUser,
    options: AskOptions = {},
    body: object = {},
  ): Promise<Record<string, VerifiedPresentation[]>> {
    const already = this.verifier.tokens.length;
    const answer = await this.present(person, options, body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.status, 'submitted');
    assert.equal(this.verifier.tokens.length, already + 1);
    return this.readToken(this.verifier.tokens.at(-1)!);
  }

  async readToken(token: Record<string, string[]>): Promise<Record<string, VerifiedPresentation[]>> {
    const looked: Record<string, VerifiedPresentation[]> = {};
    for (const [id, all] of Object.entries(token)) looked[id] = await Promise.all(all.map((one) => this.verifier.verify(one)));
    return looked;
  }
}

/** For use in a describe: starts issuer and verifier, and resets them after each test. */
export function setUpPresentation(wallet: TestWallet): PresentationSetup {
  const world = new PresentationSetup(wallet);
  before(async () => {
    await world.issuer.start();
    await world.verifier.start();
  });
  after(async () => {
    await world.issuer.stop();
    await world.verifier.stop();
  });
  afterEach(() => {
    world.issuer.reset();
    world.verifier.reset();
  });
  return world;
}
