// People with roles in an application, a type of credential about these roles, and a small correct wallet that tests can make wrong in one
// thing at a time.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { before } from 'node:test';
import { CompactEncrypt, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { assign, assignmentPath, makeApplication, makeRole } from './applications.ts';
import { send as request } from './http.ts';
import { makeUser } from './relying-party.ts';
import { redirectTargetOf, TestBrowser } from './test-browser.ts';

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

export const TYPES = '/v3/OS-ROLE-CREDENTIALS/types';
export const CREDENTIALS = '/v3/OS-ROLE-CREDENTIALS/credentials';
export const FORMATS = ['dc+sd-jwt', 'vc+sd-jwt', 'jwt_vc_json'];

export interface RoleWorld {
  readonly application: any;
  readonly role: any;
  readonly typeId: string;
  readonly sdJwt: string;
  readonly jwtVc: string;
  /** If the world is made with this format. */
  readonly mdoc: string;
  readonly scope: string;
}

/** Asks for a type of credential, by default with what it must have and no more. */
export const askType = (api: TestApi, application: { id: string }, values: object = {}, token?: string): Promise<ApiAnswer> =>
  api.post(
    TYPES,
    { credential_type: { id: uniqueName('type'), application_id: application.id, name: 'Workers', ...values } },
    token === undefined ? {} : { token },
  );

export async function makeType(...asked: Parameters<typeof askType>): Promise<any> {
  const answer = await askType(...asked);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.credential_type;
}

/** An application with a role, and a type of credential about it. */
export async function makeRoleWorld(api: TestApi, values: Record<string, unknown> = {}): Promise<RoleWorld> {
  const application = await makeApplication(api);
  const role = await makeRole(api, application, { name: 'manager' });
  const { id } = await makeType(api, application, {
    name: 'Shop manager',
    formats: FORMATS,
    claims: ['name', 'email'],
    ...values,
  });
  return {
    application,
    role,
    typeId: id,
    sdJwt: `${id}.sd_jwt`,
    jwtVc: `${id}.jwt_vc`,
    mdoc: `${id}.mdoc`,
    scope: `role_credential.${id}`,
  };
}

export interface RoleHolder {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly token: string;
}

/** Somebody with the role, in an organization of their own, signed in at the API. */
export async function makeHolder(
  api: TestApi,
  { application, role }: RoleWorld,
  values: Record<string, unknown> = {},
): Promise<RoleHolder> {
  const { domain_id: domainId = 'default' } = values;
  const organization = await api.make('project', { name: uniqueName('own'), domain_id: domainId });
  const { id, name, password } = await makeUser(api, { ...values, default_project_id: organization.id });
  const member = await api.roleId('member');
  await api.put(`/v3/projects/${organization.id}/users/${id}/roles/${member}`);
  await assign(api, { user: { id }, application, role });
  return { id, name, password, token: await api.logIn({ id, password }, { project: { id: organization.id } }) };
}

/**
 * What a suite begins with: an application with a role, a type of credential about it, and somebody who has the role. The suite gets empty
 * objects, which are filled before its first test.
 */
export function usesRoleWorld(api: TestApi, values: Record<string, unknown> = {}): { world: RoleWorld; person: RoleHolder } {
  const [world, person] = [{} as RoleWorld, {} as RoleHolder];
  before(async () => {
    Object.assign(world, await makeRoleWorld(api, values));
    Object.assign(person, await makeHolder(api, world));
  });
  return { world, person };
}

/** Takes the role away. */
export async function takeRole(api: TestApi, user: { id: string }, { application, role }: RoleWorld): Promise<void> {
  const { status, text } = await api.delete(assignmentPath({ user, application, role }));
  assert.equal(status, 204, text);
}

/** The credentials of a person, as administrators see them. */
export async function issuedTo(api: TestApi, { id }: { id: string }, query = ''): Promise<any[]> {
  const { status, body, text } = await api.get(`${CREDENTIALS}?user_id=${id}${query}`);
  assert.equal(status, 200, text);
  return body.credentials;
}

/** Takes a credential from whoever has it: for good, or for a time. */
export async function withdraw(
  api: TestApi,
  id: string,
  how: 'revoke' | 'suspend',
  options: { token?: string } = {},
): Promise<void> {
  const path = `${CREDENTIALS}/${id}`;
  const suspended = { credential: { state: 'suspended' } };
  const { status, text } = await (how === 'revoke' ? api.delete(path, options) : api.patch(path, suspended, options));
  assert.equal(status, how === 'revoke' ? 204 : 200, text);
}

export const askOffer = (
  api: TestApi,
  person: Pick<RoleHolder, 'id' | 'token'>,
  ids: readonly string[],
  more: Record<string, unknown> = {},
  token: string = person.token,
): Promise<ApiAnswer> =>
  api.post(
    `/v3/users/${person.id}/OS-ROLE-CREDENTIALS/offers`,
    { offer: { credential_configuration_ids: ids, ...more } },
    { token },
  );

export async function makeOffer(
  api: TestApi,
  person: Pick<RoleHolder, 'id' | 'token'>,
  ids: readonly string[],
  more: Record<string, unknown> = {},
): Promise<{ uri: string; tx_code: string | null; expires_at: string }> {
  const answer = await askOffer(api, person, ids, more);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.offer;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

interface KeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

export const newKey = async (): Promise<KeyPair> => generateKeyPair('ES256', { extractable: true });

/** What a wallet signs; `change` makes it wrong. */
export interface JwtDraft {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  key: CryptoKey;
}
export type Change = (draft: JwtDraft) => void;

const sign = ({ header, payload, key }: JwtDraft): Promise<string> =>
  new SignJWT(payload).setProtectedHeader(header as never).sign(key);

export interface Token {
  readonly access_token: string;
  readonly token_type: string;
  readonly [name: string]: unknown;
}

/** A wallet, step by step. Each step does the right thing unless told otherwise. */
export class TestCredentialWallet {
  readonly #api: TestApi;
  dpopKey: KeyPair | undefined;

  constructor(api: TestApi) {
    this.#api = api;
  }

  get issuer(): string {
    return this.#api.service.issuer();
  }

  async withDpop(): Promise<this> {
    this.dpopKey = await newKey();
    return this;
  }

  now = (): number => Math.floor(this.#api.clock.now() / 1000);

  async send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<ApiAnswer> {
    const response = await request(path.startsWith('http') ? path : `${this.#api.url}${path}`, init);
    const text = await response.text();
    let body: unknown;
    try {
      body = text === '' ? undefined : JSON.parse(text);
    } catch {
      body = text;
    }
    return { status: response.status, headers: response.headers, text, body };
  }

  metadata = async (): Promise<any> => (await this.send('/.well-known/openid-credential-issuer')).body;

  /** Fetches the offer behind a link. */
  async read(uri: string): Promise<any> {
    const answer = await this.send(new URL(uri).searchParams.get('credential_offer_uri')!);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async dpop(path: string, token?: string, change: Change = () => undefined): Promise<string> {
    const { publicKey, privateKey } = this.dpopKey!;
    const draft: JwtDraft = {
      header: { alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) },
      payload: {
        htm: 'POST',
        htu: `${this.issuer}${path}`,
        iat: this.now(),
        jti: randomBytes(8).toString('hex'),
        ...(token === undefined ? {} : { ath: sha256(token) }),
      },
      key: privateKey,
    };
    change(draft);
    return sign(draft);
  }

  async askToken(parameters: Record<string, string>, proof?: string): Promise<ApiAnswer> {
    const dpop = proof ?? (this.dpopKey ? await this.dpop('/openid/token') : undefined);
    return this.send('/openid/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...(dpop === undefined ? {} : { DPoP: dpop }) },
      body: new URLSearchParams(parameters).toString(),
    });
  }

  /** The token request of an offer. */
  async redeem(uri: string, txCode?: string | null, more: Record<string, string> = {}): Promise<ApiAnswer> {
    const { grants } = await this.read(uri);
    return this.askToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
      ...(txCode ? { tx_code: txCode } : {}),
      ...more,
    });
  }

  async token(uri: string, txCode?: string | null): Promise<Token> {
    const answer = await this.redeem(uri, txCode);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  /** For what the person is offered. */
  async tokenFor(person: Pick<RoleHolder, 'id' | 'token'>, ...ids: readonly string[]): Promise<Token> {
    const { uri, tx_code: code } = await makeOffer(this.#api, person, ids);
    return this.token(uri, code);
  }

  async nonce(): Promise<string> {
    const { status, body, text } = await this.send('/openid/credentials/nonce', { method: 'POST' });
    assert.equal(status, 200, text);
    return body.c_nonce;
  }

  async proof(options: { nonce?: string; key?: KeyPair; change?: Change } = {}): Promise<string> {
    const { publicKey, privateKey } = options.key ?? (await newKey());
    const draft: JwtDraft = {
      header: { alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) },
      payload: { aud: this.issuer, iat: this.now(), nonce: options.nonce ?? (await this.nonce()) },
      key: privateKey,
    };
    options.change?.(draft);
    return sign(draft);
  }

  async authorization(token: Token, path: string, change?: Change): Promise<Record<string, string>> {
    const { access_token: text, token_type: type } = token;
    return type === 'DPoP'
      ? { Authorization: `DPoP ${text}`, DPoP: await this.dpop(path, text, change) }
      : { Authorization: `Bearer ${text}` };
  }

  /** Sends a credential request, whatever it is. */
  async request(token: Token, body: object | string, headers?: Record<string, string>): Promise<ApiAnswer> {
    const path = '/openid/credentials/credential';
    return this.send(path, {
      method: 'POST',
      headers: {
        'Content-Type': typeof body === 'string' ? 'application/jwt' : 'application/json',
        ...(headers ?? (await this.authorization(token, path))),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** A correct request for one credential; `change` makes its proof wrong. */
  async ask(token: Token, id: string, change?: Change): Promise<ApiAnswer> {
    const proof = await this.proof(change ? { change } : {});
    return this.request(token, { credential_configuration_id: id, proofs: { jwt: [proof] } });
  }

  async receive(token: Token, id: string): Promise<string> {
    const answer = await this.ask(token, id);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.credentials[0].credential;
  }

  /** All that a wallet does with an offer of one credential. */
  async receiveFor(person: Pick<RoleHolder, 'id' | 'token'>, id: string): Promise<string> {
    return this.receive(await this.tokenFor(person, id), id);
  }

  /** Encrypts a request to the key of the metadata. */
  async encrypt(body: object, change: (key: JWK) => void = () => undefined, header: object = {}): Promise<string> {
    const key: JWK = { ...(await this.metadata()).credential_request_encryption.jwks.keys[0] };
    change(key);
    return new CompactEncrypt(Buffer.from(JSON.stringify(body)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...(key.kid ? { kid: key.kid } : {}), ...header })
      .encrypt(await importJWK(key, 'ECDH-ES'));
  }
}

/** The parts of an SD-JWT, decoded but not verified. */
export function readSdJwt(raw: string): { header: any; payload: any; disclosed: Record<string, unknown> } {
  const [jwt = '', ...disclosures] = raw.split('~');
  const [header, payload] = jwt
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const disclosed = disclosures.filter(Boolean).map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()));
  return { header, payload, disclosed: Object.fromEntries(disclosed.map(([, name, value]) => [name, value])) };
}

export const readJwt = (raw: string): { header: any; payload: any } => readSdJwt(raw);

/** Wallets of others return here. */
export const WALLET_CALLBACK = 'https://wallet.example/callback';
export const PUBLIC_WALLETS = { GATEHOUSE_IDENTITY_WALLET_REDIRECT_URIS: WALLET_CALLBACK };
export const PUBLIC_WALLET = 'gatehouse_public_wallet';

export interface CodeRequest {
  readonly parameters: Record<string, string>;
  readonly verifier: string;
}

/** An authorization request of a wallet. */
export function codeRequest(more: Record<string, string | undefined>): CodeRequest {
  const verifier = randomBytes(32).toString('base64url');
  const all = {
    client_id: PUBLIC_WALLET,
    response_type: 'code',
    redirect_uri: WALLET_CALLBACK,
    code_challenge: sha256(verifier),
    code_challenge_method: 'S256',
    state: randomBytes(8).toString('hex'),
    ...more,
  };
  const parameters = Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
  return { parameters, verifier };
}

/** Through the browser: pushed or plain. Returns the answer's parameters. */
export async function authorize(
  api: TestApi,
  { parameters }: CodeRequest,
  person: { name: string; password: string },
  {
    isPushed = false,
    browser = new TestBrowser(api),
    headers = {},
  }: { isPushed?: boolean; browser?: TestBrowser; headers?: Record<string, string> } = {},
): Promise<URLSearchParams> {
  let query = new URLSearchParams(parameters);
  if (isPushed) {
    const answer = await fetch(`${api.url}/openid/par`, { method: 'POST', headers, body: query });
    const { request_uri: uri, ...rest } = (await answer.json()) as { request_uri: string };
    assert.equal(answer.status, 201, JSON.stringify(rest));
    query = new URLSearchParams({ client_id: parameters.client_id!, request_uri: uri });
  }
  const page = await browser.signIn(`${api.url}/openid/authorize?${query}`, person);
  return redirectTargetOf(page).searchParams;
}

/** The token request after it. */
export const codeGrant = ({ parameters, verifier }: CodeRequest, answer: URLSearchParams): Record<string, string> => ({
  grant_type: 'authorization_code',
  code: answer.get('code') ?? '',
  redirect_uri: parameters.redirect_uri!,
  code_verifier: verifier,
  client_id: parameters.client_id!,
});
