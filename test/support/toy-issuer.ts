// A small correct issuer of credentials (OID4VCI 1.0) that can be made malicious in exactly one way: `twist` can change every answer
// before it is sent, and every credential before it is signed.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader, exportJWK, importJWK, jwtVerify } from 'jose';
import { checkDpop, detailsOf, endpointsOf, ToyAuthorization, ToyEncryption } from './toy-authorization.ts';
import { type CredentialDraft, signDraft } from './toy-credential.ts';

export interface IssuerReply {
  status: number;
  headers: Record<string, string>;
  // Untyped, because twists may change any part of it.
  body: any;
}

export interface IssuerTwist {
  /** By endpoint: metadata, server, keys, offer, par, authorize, token, nonce, credential, deferred, notification. */
  reply?(endpoint: string, reply: IssuerReply, request: { body: any; headers: IncomingMessage['headers'] }): void | Promise<void>;
  credential?(draft: CredentialDraft): void;
  /** The text of the credential, after it was signed. */
  text?(credential: string): unknown;
  /** Answers instead of the issuer. */
  raw?(endpoint: string, request: IncomingMessage, response: ServerResponse): boolean;
}

export interface OfferOptions {
  readonly txCode?: string;
  readonly configurations?: readonly string[];
  readonly deferred?: boolean;
  /** Uses the authorization code flow. */
  readonly byCode?: boolean;
  /** The token response contains credential identifiers. */
  readonly identifiers?: boolean;
  /** Issues refresh tokens. */
  readonly refresh?: boolean;
}

interface GrantedAccess extends OfferOptions {
  /** Thumbprint of the key the token is bound to. */
  readonly thumbprint?: string;
  readonly until: number;
}

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

export class ToyIssuer {
  readonly #server: Server;
  readonly key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #codes = new Map<string, OfferOptions>();
  readonly #tokens = new Map<string, GrantedAccess>();
  readonly #nonces = new Set<string>();
  readonly #offers = new Map<string, unknown>();
  /** Deferred transactions and their keys. */
  readonly #waiting = new Map<string, readonly object[]>();
  /** Keys of DIDs that do not contain their key. */
  readonly #didKeys = new Map<string, object>();
  readonly authorization = new ToyAuthorization();
  readonly encryption = new ToyEncryption();
  twist: IssuerTwist = {};
  /** `said`: announced in the metadata. `unsaid`: only required in the answer to a token request without DPoP. */
  dpop: 'said' | 'unsaid' | undefined;
  dpopNonce: string | undefined;
  encrypts = false;
  /** As in draft 13: one proof, the nonce in the token response, `credential` in the answer. */
  isDraft = false;
  interval = 5;
  endsTokens = false;
  /** Which of several credentials is deferred. */
  deferredOnly: string | undefined;
  now: () => number = Date.now;
  /** Whether deferred credentials are ready. */
  ready = false;
  /** Replaces the answer of the authorization server. */
  answer: Record<string, string | undefined> = {};
  names: Record<string, string> = {};
  batchSize = 10;
  proofAlgorithms = ['ES256', 'EdDSA'] as readonly string[];
  url = '';
  /** Of its identifier. Its endpoints are at the root. */
  path = '';
  readonly seen: { endpoint: string; body: any; headers: IncomingMessage['headers'] }[] = [];
  readonly notifications: { notification_id: string; event: string }[] = [];
  issued = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
    });
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

  /** Back to correct behaviour. */
  reset(): void {
    this.twist = {};
    this.path = '';
    this.ready = false;
    this.dpop = undefined;
    this.dpopNonce = undefined;
    this.encrypts = false;
    this.isDraft = false;
    this.interval = 5;
    this.answer = {};
    this.endsTokens = false;
    this.deferredOnly = undefined;
    this.names = {};
    this.encryption.opened = 0;
    this.authorization.asked.length = 0;
    this.seen.length = 0;
    this.notifications.length = 0;
  }

  /** The identifier. */
  get id(): string {
    return this.url + this.path;
  }

  /** An offer as a wallet scans it. */
  offer(options: OfferOptions = {}, by: 'value' | 'reference' = 'value'): string {
    const offer = this.offerObject(options);
    if (by === 'value') return `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(offer))}`;
    const id = randomBytes(8).toString('hex');
    this.#offers.set(id, offer);
    return `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${this.url}/offers/${id}`)}`;
  }

  offerObject(options: OfferOptions = {}): Record<string, any> {
    const code = randomBytes(16).toString('base64url');
    this.#codes.set(code, options);
    const offered = { credential_issuer: this.id, credential_configuration_ids: options.configurations ?? ['identity'] };
    if (options.byCode) return { ...offered, grants: { authorization_code: { issuer_state: code } } };
    return {
      ...offered,
      grants: {
        [PRE_AUTHORIZED]: {
          'pre-authorized_code': code,
          ...(options.txCode
            ? { tx_code: { input_mode: 'numeric', length: options.txCode.length, description: 'By letter' } }
            : {}),
        },
      },
    };
  }

  /** A DID an issuer would resolve. */
  know(did: string, jwk: object): void {
    this.#didKeys.set(did, jwk);
  }

  /** The wallet's requests to an endpoint. */
  asked(endpoint: string): any[] {
    return this.seen.filter((one) => one.endpoint === endpoint).map(({ body }) => body);
  }

  #metadata() {
    const proof = { proof_types_supported: { jwt: { proof_signing_alg_values_supported: this.proofAlgorithms } } };
    const binding = { cryptographic_binding_methods_supported: ['jwk'], ...proof };
    return {
      credential_issuer: this.id,
      credential_endpoint: `${this.url}/credential`,
      deferred_credential_endpoint: `${this.url}/deferred`,
      ...(this.isDraft ? {} : { nonce_endpoint: `${this.url}/nonce` }),
      notification_endpoint: `${this.url}/notification`,
      batch_credential_issuance: { batch_size: this.batchSize },
      display: [{ name: 'The toy issuer' }],
      credential_configurations_supported: {
        identity: {
          format: this.isDraft ? 'vc+sd-jwt' : 'dc+sd-jwt',
          vct: 'https://example.org/identity',
          ...binding,
          ...(this.isDraft ? {} : { credential_metadata: { display: [{ name: 'Identity' }] } }),
        },
        ...(this.isDraft ? {} : this.#others(binding, proof)),
      },
    };
  }

  #others(binding: object, proof: object) {
    return {
      membership: { format: 'dc+sd-jwt', vct: 'https://example.org/membership', ...binding },
      ticket: { format: 'dc+sd-jwt', vct: 'https://example.org/ticket' },
      did_bound: {
        format: 'dc+sd-jwt',
        vct: 'https://example.org/did',
        cryptographic_binding_methods_supported: ['did:jwk', 'did:key'],
        ...proof,
      },
      odd: { format: 'a+format', ...binding },
    };
  }

  async #answer(endpoint: string, body: any, headers: IncomingMessage['headers']): Promise<IssuerReply> {
    const reply = (value: unknown, status = 200): IssuerReply => ({
      status,
      headers: { 'Content-Type': 'application/json' },
      body: value,
    });
    switch (endpoint) {
      case 'metadata':
        return reply({ ...this.#metadata(), ...(this.encrypts ? await this.encryption.metadata() : {}) });
      case 'server':
        return reply({
          issuer: this.id,
          token_endpoint: `${this.url}/token`,
          authorization_endpoint: `${this.url}/authorize`,
          pushed_authorization_request_endpoint: `${this.url}/par`,
          authorization_response_iss_parameter_supported: true,
          ...(this.dpop === 'said' ? { dpop_signing_alg_values_supported: ['ES256'] } : {}),
          grant_types_supported: [PRE_AUTHORIZED, 'authorization_code'],
          'pre-authorized_grant_anonymous_access_supported': true,
        });
      case 'authorize':
        return { status: 302, headers: { Location: this.authorization.agree(body, this.url, this.answer) }, body: undefined };
      case 'keys':
        return reply({
          issuer: this.url,
          jwks: { keys: [{ ...(await exportJWK(this.key.publicKey)), kid: 'one', alg: 'ES256' }] },
        });
      case 'offer':
        return reply(this.#offers.get(body.id));
      case 'par':
        return reply(this.authorization.push(body), 201);
      case 'token': {
        const dpop = this.dpop ? await this.#dpop('/token', headers) : undefined;
        if (dpop && 'error' in dpop) return { ...reply({ error: dpop.error }, 400), headers: this.#nonceHeaders() };
        const asked = body.grant_type === 'authorization_code' ? this.authorization.redeem(body) : undefined;
        const code = asked ? asked.issuer_state! : (body['pre-authorized_code'] ?? body.refresh_token);
        const options = this.#codes.get(code);
        if (!options || (options.txCode ?? undefined) !== (body.tx_code ?? undefined))
          return reply({ error: 'invalid_grant' }, 400);
        this.#codes.delete(code);
        const token = randomBytes(16).toString('base64url');
        const refresh = randomBytes(16).toString('base64url');
        if (options.refresh) this.#codes.set(refresh, options);
        this.#tokens.set(token, { ...options, until: this.now() + 300_000, ...(dpop ? { thumbprint: dpop.thumbprint } : {}) });
        return reply({
          access_token: token,
          token_type: dpop ? 'DPoP' : 'Bearer',
          expires_in: 300,
          ...(options.refresh ? { refresh_token: refresh } : {}),
          ...(this.isDraft ? { c_nonce: this.#nonce(), c_nonce_expires_in: 300 } : {}),
          ...(options.identifiers ? { authorization_details: detailsOf(options) } : {}),
        });
      }
      case 'nonce':
        return reply({ c_nonce: this.#nonce() });
      case 'credential': {
        const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
        const options = this.#tokens.get(token);
        if (!options || scheme !== (options.thumbprint ? 'DPoP' : 'Bearer')) return reply({ error: 'invalid_token' }, 401);
        const dpop = options.thumbprint ? await this.#dpop('/credential', headers, token) : undefined;
        if (dpop && 'error' in dpop) return { ...reply({ error: dpop.error }, 401), headers: this.#nonceHeaders(dpop.error) };
        if (dpop?.thumbprint !== options.thumbprint) return reply({ error: 'invalid_token' }, 401);
        const keys = await this.#provenKeys(body);
        if (!keys && this.isDraft) return reply({ error: 'invalid_proof', c_nonce: this.#nonce() }, 400);
        if (!keys) return reply({ error: 'invalid_nonce' }, 400);
        const named = options.identifiers ? /^the (\w+) of Ada$/.exec(body.credential_identifier)?.[1] : undefined;
        if (options.identifiers && (!named || 'credential_configuration_id' in body))
          return reply({ error: 'unknown_credential_identifier' }, 400);
        const configuration = named ?? (this.isDraft ? 'identity' : (body.credential_configuration_id as string));
        if (this.isDraft) {
          if (body.format !== 'vc+sd-jwt') return reply({ error: 'unsupported_credential_format' }, 400);
          return reply({ ...(await this.#credentials(configuration, keys))[0], c_nonce: this.#nonce() });
        }
        if (!options.deferred || (this.deferredOnly ?? configuration) !== configuration)
          return reply({ credentials: await this.#credentials(configuration, keys), notification_id: `n-${++this.issued}` });
        const id = randomBytes(8).toString('hex');
        this.#waiting.set(id, [{ configuration, keys }]);
        return reply({ transaction_id: id, interval: this.interval }, 202);
      }
      case 'deferred': {
        const { until = 0 } = this.#tokens.get(headers.authorization?.split(' ')[1] ?? '') ?? {};
        if (this.endsTokens && until <= this.now()) return reply({ error: 'invalid_token' }, 401);
        const [waiting] = (this.#waiting.get(body.transaction_id) ?? []) as { configuration: string; keys: object[] }[];
        if (!waiting) return reply({ error: 'invalid_transaction_id' }, 400);
        if (!this.ready) return reply({ transaction_id: body.transaction_id, interval: this.interval }, 202);
        this.#waiting.delete(body.transaction_id);
        return reply({
          credentials: await this.#credentials(waiting.configuration, waiting.keys),
          notification_id: `n-${++this.issued}`,
        });
      }
      case 'notification':
        this.notifications.push(body);
        return { status: 204, headers: {}, body: undefined };
      default:
        return reply({ error: 'not_found' }, 404);
    }
  }

  #nonce(): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#nonces.add(nonce);
    return nonce;
  }

  #dpop(path: string, headers: IncomingMessage['headers'], token?: string) {
    const proof = headers.dpop as string | undefined;
    return checkDpop(proof, { method: 'POST', url: this.url + path, nonce: this.dpopNonce, token });
  }

  #nonceHeaders(error?: string): Record<string, string> {
    return {
      'Content-Type': 'application/json',
      ...(this.dpopNonce ? { 'DPoP-Nonce': this.dpopNonce } : {}),
      ...(error ? { 'WWW-Authenticate': `DPoP error="${error}"` } : {}),
    };
  }

  /** Undefined if a nonce is not one of ours. */
  async #provenKeys(body: any): Promise<object[] | undefined> {
    const keys: object[] = [];
    const nonces = new Set<string>();
    for (const jwt of body.proofs?.jwt ?? (body.proof ? [body.proof.jwt] : [])) {
      const header = decodeProtectedHeader(jwt);
      const did = header.kid?.split('#')[0] ?? '';
      const jwk: any =
        header.jwk ?? this.#didKeys.get(did) ?? JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString());
      const { payload } = await jwtVerify(jwt, await importJWK(jwk, header.alg), {
        audience: this.id,
        typ: 'openid4vci-proof+jwt',
        currentDate: new Date(this.now()),
      });
      if (!this.#nonces.has(payload.nonce as string)) return undefined;
      nonces.add(payload.nonce as string);
      keys.push(header.jwk ? { jwk } : { kid: header.kid });
    }
    for (const nonce of nonces) this.#nonces.delete(nonce);
    return keys;
  }

  async #credentials(configuration: string, keys: readonly object[]): Promise<{ credential: unknown }[]> {
    const known = this.#metadata().credential_configurations_supported as Readonly<
      Record<string, { readonly vct?: string; readonly format: string }>
    >;
    const { vct } = known[Object.hasOwn(this.names, configuration) ? this.names[configuration]! : configuration]!;
    return Promise.all((keys.length > 0 ? keys : [undefined]).map(async (cnf) => ({ credential: await this.#sign(vct!, cnf) })));
  }

  async #sign(vct: string, cnf: object | undefined): Promise<unknown> {
    const now = Math.floor(this.now() / 1000);
    const draft: CredentialDraft = {
      header: { alg: 'ES256', typ: 'dc+sd-jwt', kid: 'one' },
      payload: { iss: this.url, iat: now, exp: now + 86_400, vct, ...(cnf ? { cnf } : {}) },
      disclosures: { given_name: 'Ada', family_name: 'Lovelace', email: 'ada@example.org', birthdate: '1815-12-10' },
      key: this.key.privateKey,
    };
    this.twist.credential?.(draft);
    const text = await signDraft(draft);
    return this.twist.text ? this.twist.text(text) : text;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const endpoint = pathname.startsWith('/offers/') ? 'offer' : (endpointsOf(this.path)[pathname] ?? 'none');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const body =
      endpoint === 'offer'
        ? { id: pathname.slice(8) }
        : isForm
          ? Object.fromEntries(new URLSearchParams(text))
          : text
            ? request.headers['content-type'] === 'application/jwt'
              ? await this.encryption.open(text)
              : JSON.parse(text)
            : Object.fromEntries(searchParams);
    this.seen.push({ endpoint, body, headers: request.headers });
    if (this.twist.raw?.(endpoint, request, response)) return;
    const reply = await this.#answer(endpoint, body, request.headers).catch(
      (error: Error): IssuerReply => ({ status: 500, headers: {}, body: { error: error.message } }),
    );
    await this.twist.reply?.(endpoint, reply, { body, headers: request.headers });
    const asked = this.encrypts ? body.credential_response_encryption : undefined;
    if (asked && reply.status < 300) {
      reply.body = await this.encryption.close(reply.body, asked);
      reply.headers = { 'Content-Type': 'application/jwt' };
    }
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body === undefined ? undefined : typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  }
}
