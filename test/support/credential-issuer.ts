// Somebody else who issues credentials: SD-JWT VCs, W3C credentials and mobile documents, with a status list for each, and the providers here that trust them.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { ISSUED_FORMATS } from '../../src/verifiable/issuing/index.ts';
import { type PublicJwk, publicJwkOf } from '../../src/verifiable/jose/index.ts';
import { didJwkOf } from '../../src/verifiable/resolver/index.ts';
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';
import { certify, DOCUMENT_SIGNER, type TestCertificate, usages } from './certificates.ts';
import { ROOT } from './federation.ts';
import { Holder } from './holder.ts';
import { type CredentialDraft, signDraft } from './toy-credential.ts';

const STATES = { valid: 0, revoked: 1, suspended: 2 } as const;

export interface IssueOptions {
  readonly sub?: string;
  /** Selectively disclosable. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly type?: string;
  /** How the issuer names itself, and its key. */
  readonly by?: 'metadata' | 'did' | 'certificate';
  readonly holder?: Holder;
  /** Changes what is signed. */
  twist?(draft: CredentialDraft): void;
}

export interface TestCredential {
  readonly holder: Holder;
  /** Of its status list. */
  readonly list: number;
  readonly sub: string;
}

export class CredentialIssuer {
  readonly #server: Server;
  readonly #now: () => number;
  readonly key: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  readonly root: TestCertificate = certify({ name: `CN=${uniqueName('root')}`, ca: true });
  readonly #states: (keyof typeof STATES | 'away')[] = [];
  /** Lists of credentials that are signed with a certificate are, too. */
  readonly #certified = new Set<number>();
  /** Signs status lists. */
  listKey: KeyObject = this.key;
  leaf!: TestCertificate;
  url = '';
  readonly type = `https://${uniqueName('type').replaceAll(/[^\w]+/g, '-')}.example/person`;
  readonly doctype = `example.${uniqueName('person').replaceAll(/[^\w]+/g, '-')}`;
  readonly w3cType = `${uniqueName('Person').replaceAll(/[^\w]+/g, '')}Credential`;

  /** `now`: the time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#server = createServer(async ({ url = '' }, response) => {
      if (url === '/.well-known/jwt-vc-issuer') {
        const keys = [{ ...this.jwk, kid: 'one' }];
        return response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ issuer: this.url, jwks: { keys } }));
      }
      const list = Number(/^\/lists\/(\d+)$/.exec(url)?.[1] ?? Number.NaN);
      const state = this.#states[list];
      if (state === undefined || state === 'away') return response.writeHead(503).end();
      response.writeHead(200, { 'Content-Type': 'application/statuslist+jwt' }).end(await this.#list(list, STATES[state]));
    });
  }

  get jwk(): PublicJwk {
    return publicJwkOf(createPublicKey(this.key));
  }

  get did(): string {
    return didJwkOf(this.jwk);
  }

  get #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.certifiedBy(this.root);
    return this;
  }

  /** Another certificate for the same key. */
  certifiedBy(root: TestCertificate, name = 'CN=Issuer', extensions = [usages(DOCUMENT_SIGNER)]): void {
    this.leaf = certify({ name, by: root, uris: [this.url], key: this.key, extensions });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #list(list: number, code: number): Promise<string> {
    const status_list = { bits: 2, lst: deflateSync(Buffer.of(code)).toString('base64url') };
    return new SignJWT({ iss: this.url, sub: `${this.url}/lists/${list}`, iat: this.#seconds, ttl: 3600, status_list })
      .setProtectedHeader(this.#headerOf(this.#certified.has(list) ? 'certificate' : 'metadata', 'statuslist+jwt') as never)
      .sign(this.listKey);
  }

  /** What the list of a credential says from now on. */
  becomes({ list }: Pick<TestCredential, 'list'>, state: 'valid' | 'revoked' | 'suspended' | 'away'): void {
    this.#states[list] = state;
  }

  #headerOf(by: IssueOptions['by'], typ: string): Record<string, unknown> {
    const named = { metadata: { kid: 'one' }, did: { kid: `${this.did}#0` }, certificate: { x5c: [this.leaf.der] } };
    return { alg: 'ES256', typ, ...named[by ?? 'metadata'] };
  }

  #issuerName(by: IssueOptions['by']): string {
    return by === 'did' ? this.did : this.url;
  }

  /** A person with an SD-JWT VC in their wallet. Lists of issuers with a DID are not signed here. */
  async issue(options: IssueOptions = {}): Promise<TestCredential> {
    const { sub = uniqueName('sub'), claims = {}, type = this.type, by, holder = new Holder(this.#now), twist } = options;
    const list = this.#states.push('valid') - 1;
    if (by === 'certificate') this.#certified.add(list);
    const draft: CredentialDraft = {
      header: this.#headerOf(by, 'dc+sd-jwt'),
      payload: {
        iss: this.#issuerName(by),
        vct: type,
        sub,
        cnf: { jwk: holder.jwk },
        iat: this.#seconds,
        exp: this.#seconds + 3600,
        ...(by === 'did' ? {} : { status: { status_list: { idx: 0, uri: `${this.url}/lists/${list}` } } }),
      },
      disclosures: { preferred_username: sub, ...claims },
      key: this.key,
    };
    twist?.(draft);
    holder.raw = await signDraft(draft);
    return { holder, list, sub };
  }

  /** A mobile document, whose namespace is its doctype. */
  async issueMdoc({
    sub = uniqueName('sub'),
    claims = {},
    type = this.doctype,
    holder = new Holder(this.#now),
  }: IssueOptions = {}): Promise<TestCredential> {
    const list = this.#states.push('valid') - 1;
    this.#certified.add(list);
    const draft = {
      id: '',
      type: { vct: '', typeName: '', doctype: type, dataModel: '2.0' as const },
      user: { id: sub, address: '' },
      roles: [],
      profile: { preferred_username: sub, ...claims },
      holder: { jwk: holder.jwk as unknown as PublicJwk },
      issuedAt: this.#seconds,
      expiresAt: this.#seconds + 3600,
      status: { token: { uri: `${this.url}/lists/${list}`, idx: 0 }, bitstring: [] },
    };
    const signBytes = async (data: Buffer) => ({
      signature: sign('sha256', data, { key: this.key, dsaEncoding: 'ieee-p1363' }),
      chain: [this.leaf.der],
    });
    const never = (): never => assert.fail('it is no JWT');
    const signer = { url: this.url, did: undefined, namedBy: 'x5c' as const, sign: never, signBytes };
    holder.raw = await ISSUED_FORMATS.mso_mdoc.make(draft, signer);
    return { holder, list, sub };
  }

  /** A W3C credential, without a status. `vc`: more that it says of itself. */
  async issueW3c({
    sub = uniqueName('sub'),
    claims = {},
    type = this.w3cType,
    holder = new Holder(this.#now),
    vc: more = {},
  }: IssueOptions & { readonly vc?: Readonly<Record<string, unknown>> } = {}) {
    const vc = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential', type],
      credentialSubject: { employee: sub, ...claims },
      ...more,
    };
    holder.raw = await new SignJWT({ iss: this.url, cnf: { jwk: holder.jwk }, vc, nbf: this.#seconds, exp: this.#seconds + 3600 })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'one' })
      .sign(this.key);
    return { holder, list: -1, sub };
  }
}

/** People get the name that the credential gives them. */
const RULES: readonly object[] = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];

export interface WalletConnection {
  readonly id: string;
  readonly path: string;
  /** Changes the settings. */
  put(more?: Record<string, unknown>): Promise<void>;
}

/** Configures a provider as an administrator does. */
export async function connectIssuer(
  api: TestApi,
  issuer: CredentialIssuer,
  options: {
    readonly id?: string;
    readonly domainId?: string;
    readonly rules?: readonly object[];
    readonly settings?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<WalletConnection> {
  const { id = uniqueName('idp'), domainId = 'default', rules = RULES, settings = {} } = options;
  const path = `${ROOT}/identity_providers/${id}`;
  assertOk(await api.put(`${ROOT}/mappings/${id}`, { mapping: { rules, schema_version: '2.0' } }), 201);
  assertOk(await api.put(path, { identity_provider: { domain_id: domainId, enabled: true } }), 201);
  assertOk(await api.put(`${path}/protocols/openid4vp`, { protocol: { mapping_id: id } }), 201);
  const put = async (more: Record<string, unknown> = {}): Promise<void> => {
    const openid4vp = {
      name: id,
      credentials: [{ format: 'dc+sd-jwt', types: [issuer.type], subject: ['sub'], claims: [['preferred_username']] }],
      issuers: [issuer.url],
      ...settings,
      ...more,
    };
    assertOk(await api.put(`${path}/openid4vp`, { openid4vp }));
  };
  await put();
  return { id, path, put };
}
