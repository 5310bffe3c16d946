// A wallet provider that attests wallets and keys, and a wallet of theirs. Both can be made wrong in one thing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { exportJWK, SignJWT } from 'jose';
import type { ApiAnswer, TestApi } from './api.ts';
import { certify, type TestCertificate } from './certificates.ts';
import {
  authorize,
  type Change,
  type CodeRequest,
  codeGrant,
  codeRequest,
  type JwtDraft,
  newKey,
  TestCredentialWallet,
  type Token,
  WALLET_CALLBACK,
} from './role-credentials.ts';
import { TestBrowser } from './test-browser.ts';

export const ATTESTED_WALLET = 'https://wallet.example';
/** Of the same provider; its name is no address. */
export const OTHER_WALLET = 'another-wallet';

type KeyPair = Awaited<ReturnType<typeof newKey>>;

const sign = ({ header, payload, key }: JwtDraft): Promise<string> =>
  new SignJWT(payload).setProtectedHeader(header as never).sign(key);

const now = (): number => Math.floor(Date.now() / 1000);

/** Someone who signs attestations: with a certificate, below a root. */
export interface Attester {
  readonly root: TestCertificate;
  readonly leaf: TestCertificate;
}

export function newAttester(name: string): Attester {
  const root = certify({ name: `CN=${name} root`, ca: true });
  return { root, leaf: certify({ name: `CN=${name}`, by: root }) };
}

export class TestWalletProvider {
  readonly attester = newAttester('wallet provider');
  /** Trusted, too, but for a wallet of its own. */
  readonly neighbour = newAttester('neighbour');
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-wallet-providers-'));
  readonly settings: Readonly<Record<string, string>>;

  constructor() {
    const file = join(this.#folder, 'providers.json');
    for (const [name, { root }] of Object.entries({ own: this.attester, neighbour: this.neighbour }))
      writeFileSync(join(this.#folder, `${name}.pem`), root.certificate.toString());
    const clients = [ATTESTED_WALLET, OTHER_WALLET].map((id) => ({ client_id: id, redirect_uris: [WALLET_CALLBACK] }));
    const providers = [
      { name: 'Example wallet', certificates_file: 'own.pem', clients },
      { name: 'Neighbour', certificates_file: 'neighbour.pem', clients: [{ client_id: 'https://neighbour.example' }] },
    ];
    writeFileSync(file, JSON.stringify({ providers }));
    this.settings = { GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  async #sign(draft: Omit<JwtDraft, 'key'>, change: Change, by: Attester): Promise<string> {
    const all: JwtDraft = {
      header: { alg: 'ES256', x5c: [by.leaf.der], ...draft.header },
      payload: draft.payload,
      key: by.leaf.key as never,
    };
    change(all);
    return sign(all);
  }

  /** Of a wallet (OID4VCI, appendix E). */
  async attestWallet(
    key: KeyPair,
    change: Change = () => undefined,
    by = this.attester,
    clientId = ATTESTED_WALLET,
  ): Promise<string> {
    const cnf = { jwk: await exportJWK(key.publicKey) };
    const payload = { iss: 'https://provider.example', sub: clientId, iat: now(), exp: now() + 3600, cnf };
    return this.#sign({ header: { typ: 'oauth-client-attestation+jwt' }, payload }, change, by);
  }

  /** Of keys (OID4VCI, appendix D). */
  async attestKeys(
    keys: readonly KeyPair[],
    nonce: string,
    change: Change = () => undefined,
    by = this.attester,
  ): Promise<string> {
    const attested = await Promise.all(keys.map(({ publicKey }) => exportJWK(publicKey)));
    const payload = {
      iat: now(),
      exp: now() + 3600,
      nonce,
      attested_keys: attested,
      key_storage: ['iso_18045_high'],
      user_authentication: ['iso_18045_moderate'],
    };
    return this.#sign({ header: { typ: 'key-attestation+jwt' }, payload }, change, by);
  }
}

/** A wallet of the provider: it authenticates wherever clients do. */
export class AttestedTestWallet extends TestCredentialWallet {
  readonly #api: TestApi;
  provider!: TestWalletProvider;
  clientId = ATTESTED_WALLET;
  instanceKey!: KeyPair;
  /** Make the attestation or its proof wrong. */
  changes: { attestation?: Change; pop?: Change; by?: Attester; headers?(headers: Record<string, string>): void } = {};

  constructor(api: TestApi) {
    super(api);
    this.#api = api;
  }

  async of(provider: TestWalletProvider): Promise<this> {
    this.provider = provider;
    this.instanceKey = await newKey();
    return this.withDpop();
  }

  async challenge(): Promise<string> {
    const { status, body, text } = await super.send('/openid/challenge', { method: 'POST' });
    assert.equal(status, 200, text);
    return body.attestation_challenge;
  }

  async pop(change: Change = () => undefined): Promise<string> {
    const draft: JwtDraft = {
      header: { alg: 'ES256', typ: 'oauth-client-attestation-pop+jwt' },
      payload: {
        iss: this.clientId,
        aud: this.issuer,
        iat: now(),
        jti: randomBytes(8).toString('hex'),
        challenge: await this.challenge(),
      },
      key: this.instanceKey.privateKey,
    };
    change(draft);
    return sign(draft);
  }

  async attested(): Promise<Record<string, string>> {
    const { attestation, pop, by, headers } = this.changes;
    const sent = {
      'OAuth-Client-Attestation': await this.provider.attestWallet(this.instanceKey, attestation, by, this.clientId),
      'OAuth-Client-Attestation-PoP': await this.pop(pop),
    };
    headers?.(sent);
    return sent;
  }

  /** An authorization request of this wallet. */
  asks(scope: string, more: Record<string, string> = {}): CodeRequest {
    return codeRequest({ client_id: this.clientId, scope, ...more });
  }

  /** The person signs in for a pushed request. Returns the answer's parameters. */
  async push(
    request: CodeRequest,
    person: { name: string; password: string },
    browser = new TestBrowser(this.#api),
  ): Promise<URLSearchParams> {
    return authorize(this.#api, request, person, { isPushed: true, headers: await this.attested(), browser });
  }

  async tokenByCode(
    person: { name: string; password: string },
    scope: string,
    browser?: TestBrowser,
  ): Promise<Token & { refresh_token: string }> {
    const request = this.asks(scope);
    const answer = await this.push(request, person, browser);
    assert.equal(answer.get('iss'), this.issuer, 'RFC 9207');
    const { status, body, text } = await this.askToken(codeGrant(request, answer));
    assert.equal(status, 200, text);
    return body;
  }

  override async send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<ApiAnswer> {
    if (!['/openid/token', '/openid/par'].includes(path)) return super.send(path, init);
    return super.send(path, { ...init, headers: { ...init.headers, ...(await this.attested()) } });
  }
}

/** A provider of a test file. */
export function usesWalletProvider(): TestWalletProvider {
  const provider = new TestWalletProvider();
  after(() => provider.remove());
  return provider;
}

/** The wallet of a suite. It has its keys when the suite begins. */
export function usesAttestedWallet(api: TestApi, provider: TestWalletProvider): AttestedTestWallet {
  const wallet = new AttestedTestWallet(api);
  before(async () => void (await wallet.of(provider)));
  return wallet;
}
