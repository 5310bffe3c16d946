// A small correct verifier (OID4VP 1.0) that can be made malicious in exactly one way.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compactDecrypt, decodeJwt, decodeProtectedHeader, exportJWK, importJWK, jwtVerify, SignJWT } from 'jose';

export interface RequestDraft {
  header: Record<string, unknown>;
  payload: Record<string, any>;
  key: KeyObject;
}

export interface VerifierTwist {
  /** The request object before it is signed. */
  request?(draft: RequestDraft): void;
  /** The signed request object. */
  text?(jwt: string): string;
  /** The parameters of the request URI. */
  parameters?(parameters: URLSearchParams): void;
  raw?(endpoint: string, request: IncomingMessage, response: ServerResponse): boolean;
  /** Status and body of the answer to a posted response. */
  reply?: { status: number; body: unknown };
}

export interface AskOptions {
  readonly query?: unknown;
  readonly mode?: 'direct_post' | 'direct_post.jwt';
  /** How the request reaches the wallet. */
  readonly by?: 'value' | 'get' | 'post' | 'unsigned';
  readonly prefix?: 'did' | 'redirect_uri' | 'x509_san_dns' | 'x509_hash' | 'verifier_attestation' | 'registered';
  readonly transactionData?: readonly object[];
}

/** A certificate chain and its key, created by the tests. */
export interface VerifierIdentity {
  readonly key: KeyObject;
  readonly x5c: readonly string[];
}

export const IDENTITY_QUERY = {
  credentials: [
    {
      id: 'id',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://example.org/identity'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
};

/** A presentation that the verifier received and verified. */
export interface VerifiedPresentation {
  readonly payload: Record<string, any>;
  /** The disclosed claims. */
  readonly claims: Record<string, unknown>;
  readonly disclosed: string[];
  readonly binding: Record<string, unknown>;
}

export class ToyVerifier {
  readonly #server: Server;
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #encryption = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #requests = new Map<string, RequestDraft>();
  twist: VerifierTwist = {};
  identity: VerifierIdentity | undefined;
  url = '';
  /** All posted responses, decrypted. */
  readonly posted: Record<string, any>[] = [];
  /** All requests to the verifier. */
  readonly seen: { endpoint: string; method: string; headers: IncomingMessage['headers']; form: Record<string, string> }[] = [];
  /** The payload of the last request. */
  asked: Record<string, any> = {};
  /** The attestation for the prefix verifier_attestation. */
  attestation: string | undefined;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  reset(): void {
    this.twist = {};
    this.posted.length = 0;
    this.seen.length = 0;
  }

  /** All received VP tokens. */
  get tokens(): Record<string, string[]>[] {
    return this.posted.flatMap(({ vp_token: token }) => token ?? []);
  }

  get publicKey(): KeyObject {
    return this.#key.publicKey;
  }

  /** Certificates need a name, not an IP address. */
  get named(): string {
    return this.url.replace('127.0.0.1', 'localhost');
  }

  async #clientId(prefix: NonNullable<AskOptions['prefix']>): Promise<string> {
    if (prefix === 'redirect_uri') return `redirect_uri:${this.url}/response`;
    if (prefix === 'registered') return 'a-registered-verifier';
    if (prefix === 'verifier_attestation') return 'verifier_attestation:verifier.example';
    if (prefix === 'did') return `decentralized_identifier:${await this.did()}`;
    const leaf = Buffer.from(this.identity!.x5c[0]!, 'base64');
    if (prefix === 'x509_hash') return `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`;
    return `x509_san_dns:${/DNS:([^,]+)/.exec(new X509Certificate(leaf).subjectAltName!)![1]}`;
  }

  async did(): Promise<string> {
    return `did:jwk:${Buffer.from(JSON.stringify(await exportJWK(this.#key.publicKey))).toString('base64url')}`;
  }

  /** A request as a wallet scans it. */
  async ask({
    query = IDENTITY_QUERY,
    mode = 'direct_post',
    by = 'get',
    prefix = 'did',
    transactionData,
  }: AskOptions = {}): Promise<string> {
    const clientId = await this.#clientId(prefix);
    const encryptionKey = { ...(await exportJWK(this.#encryption.publicKey)), kid: 'enc', use: 'enc', alg: 'ECDH-ES' };
    const draft: RequestDraft = {
      header: {
        alg: 'ES256',
        typ: 'oauth-authz-req+jwt',
        ...(prefix === 'did' ? { kid: `${await this.did()}#0` } : {}),
        ...(prefix.startsWith('x509') ? { x5c: this.identity!.x5c } : {}),
        ...(prefix === 'verifier_attestation' ? { jwt: this.attestation } : {}),
      },
      payload: {
        response_type: 'vp_token',
        client_id: clientId,
        response_uri: `${prefix === 'x509_san_dns' ? this.named : this.url}/response`,
        response_mode: mode,
        nonce: randomBytes(16).toString('base64url'),
        state: randomBytes(8).toString('base64url'),
        aud: 'https://self-issued.me/v2',
        dcql_query: query,
        ...(transactionData
          ? { transaction_data: transactionData.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')) }
          : {}),
        client_metadata: {
          client_name: 'The toy verifier',
          vp_formats_supported: {
            'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'EdDSA'], 'kb-jwt_alg_values': ['ES256', 'EdDSA'] },
            jwt_vc_json: {},
            mso_mdoc: {},
            ldp_vc: {},
          },
          ...(mode === 'direct_post.jwt' ? { jwks: { keys: [encryptionKey] } } : {}),
        },
      },
      key: prefix.startsWith('x509') ? this.identity!.key : this.#key.privateKey,
    };
    const id = randomBytes(8).toString('hex');
    this.#requests.set(id, draft);
    const parameters = new URLSearchParams({ client_id: clientId });
    if (by === 'value') parameters.set('request', await this.#sign(draft));
    else if (by === 'unsigned') {
      this.twist.request?.(draft);
      for (const [name, value] of Object.entries(draft.payload))
        parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    } else {
      parameters.set('request_uri', `${this.url}/requests/${id}`);
      if (by === 'post') parameters.set('request_uri_method', 'post');
    }
    this.twist.parameters?.(parameters);
    return `openid4vp://?${parameters}`;
  }

  async #sign({ header, payload, key }: RequestDraft): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const draft = { header: { ...header }, payload: { iat: now, exp: now + 300, ...structuredClone(payload) }, key };
    this.twist.request?.(draft);
    this.asked = draft.payload;
    const jwt = await new SignJWT(draft.payload).setProtectedHeader(draft.header as never).sign(draft.key);
    return this.twist.text?.(jwt) ?? jwt;
  }

  async #opened(form: Record<string, string>): Promise<Record<string, any>> {
    if (form.response === undefined) return { ...form, ...(form.vp_token ? { vp_token: JSON.parse(form.vp_token) } : {}) };
    const { plaintext } = await compactDecrypt(
      form.response,
      createPrivateKey(this.#encryption.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    );
    return { encrypted: true, ...JSON.parse(Buffer.from(plaintext).toString()) };
  }

  /** Verifies an SD-JWT presentation: the signature of the key binding, and the data it covers. */
  async verify(presentation: string): Promise<VerifiedPresentation> {
    const parts = presentation.split('~');
    const binding = parts.pop()!;
    const [jwt, ...disclosures] = parts as [string, ...string[]];
    const payload = decodeJwt(jwt) as Record<string, any>;
    const { alg } = decodeProtectedHeader(binding);
    const { payload: bound } = await jwtVerify(binding, await importJWK(payload.cnf.jwk, alg), { typ: 'kb+jwt' });
    const hash = createHash('sha256')
      .update(`${parts.join('~')}~`)
      .digest('base64url');
    if (bound.sd_hash !== hash) throw new Error('the binding is over something else');
    const shown = disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string, unknown]);
    return {
      payload,
      claims: Object.fromEntries(shown.map(([, name, value]) => [name, value])),
      disclosed: shown.map(([, name]) => name),
      binding: bound,
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const endpoint = pathname.startsWith('/requests/') ? 'request' : pathname === '/response' ? 'response' : 'none';
    this.seen.push({ endpoint, method: request.method!, headers: request.headers, form });
    if (this.twist.raw?.(endpoint, request, response)) return;
    if (endpoint === 'request') {
      const draft = this.#requests.get(pathname.slice('/requests/'.length))!;
      const asked = form.wallet_nonce ? { ...draft, payload: { ...draft.payload, wallet_nonce: form.wallet_nonce } } : draft;
      const jwt = await this.#sign(asked);
      response.writeHead(200, { 'Content-Type': 'application/oauth-authz-req+jwt' }).end(jwt);
      return;
    }
    if (endpoint === 'response') {
      this.posted.push(await this.#opened(form));
      const { status, body } = this.twist.reply ?? { status: 200, body: { redirect_uri: `${this.url}/done` } };
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    response.writeHead(404).end();
  }
}
