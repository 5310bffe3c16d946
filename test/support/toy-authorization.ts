// The parts of a toy issuer beside credentials: an authorization server that approves every request, DPoP, and encryption.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactDecrypt,
  decodeProtectedHeader,
  EmbeddedJWK,
  exportJWK,
  importJWK,
  jwtVerify,
} from 'jose';

const random = (): string => randomBytes(16).toString('base64url');
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The code flow: pushed or plain requests, with PKCE. */
export class ToyAuthorization {
  readonly #pushed = new Map<string, Record<string, string>>();
  readonly #codes = new Map<string, Record<string, string>>();
  /** The parameters of authorization requests. */
  readonly asked: Record<string, string>[] = [];

  push(request: Record<string, string>): { request_uri: string; expires_in: number } {
    const uri = `urn:ietf:params:oauth:request_uri:${random()}`;
    this.#pushed.set(uri, request);
    return { request_uri: uri, expires_in: 60 };
  }

  /** The redirect URL. `answer` replaces parameters of the regular answer. */
  agree(query: Record<string, string>, issuer: string, answer: Record<string, string | undefined> = {}): string {
    const request = query.request_uri ? this.#pushed.get(query.request_uri) : query;
    if (!request || request.client_id !== query.client_id) throw new Error('an unknown request');
    this.asked.push(request);
    const code = random();
    this.#codes.set(code, request);
    const back = new URL(request.redirect_uri!);
    const values = { code, state: request.state, iss: issuer, ...answer };
    for (const [name, value] of Object.entries(values)) if (value !== undefined) back.searchParams.set(name, value);
    return back.href;
  }

  /** Undefined unless everything matches the request. */
  redeem({ code = '', code_verifier: verifier = '', redirect_uri: redirect, client_id: client }: Record<string, string>) {
    const request = this.#codes.get(code);
    this.#codes.delete(code);
    if (!request || request.redirect_uri !== redirect || request.client_id !== client) return undefined;
    return request.code_challenge_method === 'S256' && request.code_challenge === sha256(verifier) ? request : undefined;
  }
}

/** The authorization_details of a token response. */
export const detailsOf = ({ configurations = ['identity'] }: { readonly configurations?: readonly string[] }): object[] =>
  configurations.map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    credential_identifiers: [`the ${id} of Ada`],
  }));

/** Returns the thumbprint of the key, or an error of RFC 9449. */
export async function checkDpop(
  proof: string | undefined,
  { method, url, nonce, token }: { method: string; url: string; nonce?: string | undefined; token?: string | undefined },
): Promise<{ error: string } | { thumbprint: string }> {
  if (!proof) return { error: 'invalid_dpop_proof' };
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' });
  if (payload.htm !== method || payload.htu !== url) return { error: 'invalid_dpop_proof' };
  if (token !== undefined && payload.ath !== sha256(token)) return { error: 'invalid_dpop_proof' };
  if (nonce !== undefined && payload.nonce !== nonce) return { error: 'use_dpop_nonce' };
  return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk!) };
}

/** Decrypts requests with its key, and encrypts answers to the key in the request. */
export class ToyEncryption {
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** The decrypted requests. */
  opened = 0;

  async metadata(): Promise<object> {
    const jwk = { ...(await exportJWK(this.#key.publicKey)), kid: 'requests', use: 'enc', alg: 'ECDH-ES' };
    const supported = { enc_values_supported: ['A256GCM', 'A128GCM'], encryption_required: true };
    return {
      credential_request_encryption: { jwks: { keys: [jwk] }, ...supported },
      credential_response_encryption: { alg_values_supported: ['ECDH-ES'], ...supported },
    };
  }

  async open(jwe: string): Promise<any> {
    if (decodeProtectedHeader(jwe).kid !== 'requests') throw new Error('for another key');
    const { plaintext } = await compactDecrypt(jwe, this.#key.privateKey);
    this.opened++;
    return JSON.parse(Buffer.from(plaintext).toString());
  }

  async close(value: unknown, { jwk, enc }: { jwk: any; enc: string }): Promise<string> {
    return new CompactEncrypt(Buffer.from(JSON.stringify(value)))
      .setProtectedHeader({ alg: jwk.alg, enc, kid: jwk.kid })
      .encrypt(await importJWK(jwk, jwk.alg));
  }
}

/** By path. `of`: the path of the issuer's identifier, which is part of where its metadata are. */
export const endpointsOf = (of: string): Readonly<Record<string, string>> => ({
  [`/.well-known/openid-credential-issuer${of}`]: 'metadata',
  [`/.well-known/oauth-authorization-server${of.replace(/\/$/, '')}`]: 'server',
  '/.well-known/jwt-vc-issuer': 'keys',
  '/par': 'par',
  '/authorize': 'authorize',
  '/token': 'token',
  '/nonce': 'nonce',
  '/credential': 'credential',
  '/deferred': 'deferred',
  '/notification': 'notification',
});
