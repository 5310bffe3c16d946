// A small correct wallet (OID4VP 1.0: SD-JWT VC, jwt_vc_json and mdoc) that can be made malicious in exactly one way.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { CompactEncrypt, calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose';
import { deviceResponse, doctypeOf, type MdocTwist } from './mdoc-holder.ts';

export interface HolderTwist {
  /** What the key binding says, or the presentation of a W3C credential, before it is signed. */
  binding?(payload: Record<string, any>, header: Record<string, any>): void;
  /** The credential with its disclosures, before the key binding is made over it; and with it, before it is sent. */
  disclosed?(text: string): string;
  presentation?(text: string): string;
  /** Of a mobile document. */
  mdoc?: MdocTwist;
  /** Another key signs. */
  key?: KeyObject;
  /** The answer before it is encrypted. */
  answer?(payload: Record<string, any>): void;
  /** The header of the encryption. */
  encryption?(header: Record<string, any>): void;
  /** The form that is posted. */
  form?(form: URLSearchParams, plain: Record<string, any>): void;
  /** Where it is posted to. */
  to?: string;
}

export interface ReadRequest {
  readonly link: URL;
  readonly jwt: string;
  readonly header: Record<string, any>;
  readonly payload: Record<string, any>;
}

export interface HolderAnswer {
  readonly status: number;
  readonly body: any;
  /** The form as it was posted, to be sent again. */
  readonly form: string;
  readonly presentation: string;
}

/** The audience of a verifier that does not know the wallet (OID4VP 1.0, 5.8). */
const ANY_WALLET = 'https://self-issued.me/v2';

/** Reads a request as wallets do: it must be signed by the certificate that the client id names. Not every verifier names the audience. */
export async function readWalletRequest(link: string, audience: string | undefined = ANY_WALLET): Promise<ReadRequest> {
  const url = new URL(link);
  const [clientId, requestUri] = [url.searchParams.get('client_id'), url.searchParams.get('request_uri')];
  const response = await fetch(requestUri!);
  assert.equal(response.status, 200, await response.clone().text());
  assert.match(response.headers.get('content-type')!, /^application\/oauth-authz-req\+jwt(?:;|$)/);
  const jwt = await response.text();
  const header = decodeProtectedHeader(jwt) as Record<string, any>;
  assert.equal(header.typ, 'oauth-authz-req+jwt');
  const leaf = Buffer.from(header.x5c[0], 'base64');
  const certificate = new X509Certificate(leaf);
  const host = /^x509_san_dns:(.*)$/.exec(clientId!)?.[1];
  if (host === undefined) assert.equal(clientId, `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`);
  else assert.equal(certificate.checkHost(host, { subject: 'never' }), host);
  const { payload } = await jwtVerify(jwt, certificate.publicKey, { audience });
  assert.equal(payload.client_id, clientId);
  return { link: url, jwt, header, payload };
}

export class Holder {
  readonly key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #now: () => number;
  /** As it was issued. */
  raw = '';

  /** `now`: the time in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  get jwk(): Record<string, unknown> {
    return this.key.publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  }

  /** A proof of the key for an issuer (OID4VCI 1.0, 8.2.1.1). */
  proof(issuer: string, nonce: string): Promise<string> {
    return new SignJWT({ aud: issuer, nonce, iat: this.#seconds })
      .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: this.jwk as never })
      .sign(this.key.privateKey);
  }

  #sign(payload: Record<string, any>, header: Record<string, any>, twist: HolderTwist): Promise<string> {
    twist.binding?.(payload, header);
    return new SignJWT(payload).setProtectedHeader(header as never).sign(twist.key ?? this.key.privateKey);
  }

  async #sdJwt(request: ReadRequest, twist: HolderTwist): Promise<string> {
    const { payload } = request;
    const { credentials } = payload.dcql_query as { credentials: { id: string; claims?: unknown }[] };
    const isAsked = credentials.find(({ id }) => id === this.queryIn(request))?.claims !== undefined;
    // Nothing that can be held back is shown, unless it is asked for.
    const shown = twist.disclosed?.(this.raw) ?? (isAsked ? this.raw : `${this.raw.split('~', 1)[0]}~`);
    const binding = {
      iat: this.#seconds,
      aud: payload.client_id,
      nonce: payload.nonce,
      sd_hash: createHash('sha256').update(shown).digest('base64url'),
    };
    return shown + (await this.#sign(binding, { alg: 'ES256', typ: 'kb+jwt' }, twist));
  }

  #jwtVc({ payload }: ReadRequest, twist: HolderTwist): Promise<string> {
    const claims = {
      aud: payload.client_id,
      nonce: payload.nonce,
      jti: `urn:uuid:${randomUUID()}`,
      iat: this.#seconds,
      exp: this.#seconds + 300,
      vp: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiablePresentation'],
        verifiableCredential: [this.raw],
      },
    };
    return this.#sign(claims, { alg: 'ES256', typ: 'JWT', jwk: this.jwk }, twist);
  }

  async #mdoc(request: ReadRequest, twist: HolderTwist): Promise<string> {
    const { client_id: clientId, nonce, response_uri: responseUri, client_metadata: about, dcql_query: query } = request.payload;
    const thumbprint = Buffer.from(await calculateJwkThumbprint(about.jwks.keys[0]), 'base64url');
    const { claims = [] } = query.credentials.find(({ id }: { id: string }) => id === this.queryIn(request));
    const isShown = (namespace: string, element: string): boolean =>
      claims.some(({ path }: { path: string[] }) => path[0] === namespace && path[1] === element);
    const session = { clientId, nonce, thumbprint, responseUri };
    return deviceResponse(this.raw, session, twist.key ?? this.key.privateKey, { isShown, ...twist.mdoc });
  }

  get #isMdoc(): boolean {
    return /^[\w-]+$/.test(this.raw);
  }

  get #isSdJwt(): boolean {
    return this.raw.includes('~');
  }

  /** The query that this credential answers. */
  queryIn({ payload }: ReadRequest): string {
    const { credentials } = payload.dcql_query as { credentials: { id: string; format: string; meta: Record<string, any> }[] };
    if (this.#isMdoc) {
      const doctype = doctypeOf(this.raw);
      const own = credentials.find(({ format, meta }) => format === 'mso_mdoc' && meta.doctype_value === doctype);
      return own?.id ?? credentials[0]!.id;
    }
    const claims = decodeJwt(this.raw.split('~', 1)[0]!) as Record<string, any>;
    const types = (claims.vc ?? claims).type as string[] | undefined;
    const found = credentials.find(({ format, meta }) =>
      this.#isSdJwt
        ? format === 'dc+sd-jwt' && meta.vct_values.includes(claims.vct)
        : format === 'jwt_vc_json' && meta.type_values.some((all: string[]) => all.every((one) => types?.includes(one))),
    );
    return found?.id ?? credentials[0]!.id;
  }

  /** Shows the credential to the verifier of a link, and returns its answer. */
  async answer(link: string, twist: HolderTwist = {}): Promise<HolderAnswer> {
    return this.answerRequest(await readWalletRequest(link), twist);
  }

  async answerRequest(request: ReadRequest, twist: HolderTwist = {}): Promise<HolderAnswer> {
    const { payload } = request;
    const made = this.#isMdoc
      ? await this.#mdoc(request, twist)
      : await (this.#isSdJwt ? this.#sdJwt(request, twist) : this.#jwtVc(request, twist));
    const presentation = twist.presentation?.(made) ?? made;
    const plain: Record<string, any> = { vp_token: { [this.queryIn(request)]: [presentation] }, state: payload.state };
    twist.answer?.(plain);
    const [key] = payload.client_metadata.jwks.keys as [Record<string, any>];
    const header: Record<string, any> = { alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid };
    twist.encryption?.(header);
    const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(plain)))
      .setProtectedHeader(header as never)
      .encrypt(await importJWK(key, 'ECDH-ES'));
    const form = new URLSearchParams({ response: jwe });
    twist.form?.(form, plain);
    return this.post(twist.to ?? payload.response_uri, form.toString(), presentation);
  }

  async post(to: string, form: string, presentation = ''): Promise<HolderAnswer> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await fetch(to, { method: 'POST', headers, body: form });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), form, presentation };
  }
}
