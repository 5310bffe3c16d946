// The answer to a verifier: sent to its response_uri, encrypted where it asks for that. Errors go there too, and say no more than their word.
import type { JWK } from 'jose';
import type { Outbound } from '../../platform/outbound/index.ts';
import { fail } from '../faults.ts';
import { thumbprintOf } from '../jose/index.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import { readPublicJwk } from '../resolver/index.ts';
import type { VerifierRequest } from './request.ts';

const CURVES = ['P-256', 'P-384', 'P-521', 'X25519'];
const ALGORITHMS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'];
const ENCODINGS = ['A256GCM', 'A128GCM', 'A192GCM', 'A128CBC-HS256', 'A256CBC-HS512'];

/** How the answer is encrypted. */
export interface AnswerKey {
  readonly jwk: JWK;
  readonly alg: string;
  readonly enc: string;
  /** Part of what an mdoc signs. */
  readonly thumbprint: Buffer;
}

interface EncryptionMetadata {
  readonly jwks?: { readonly keys?: readonly JWK[] };
  readonly encrypted_response_enc_values_supported?: readonly string[];
  readonly authorization_encrypted_response_alg?: string;
  readonly authorization_encrypted_response_enc?: string;
}

/** Undefined for answers in the clear. What it gives has encrypted something: no key fails later, when a copy is used up. */
export async function answerKeyOf({ clientMetadata, responseMode }: VerifierRequest): Promise<AnswerKey | undefined> {
  if (responseMode !== 'direct_post.jwt') return undefined;
  const metadata = clientMetadata as EncryptionMetadata;
  // Drafts named the algorithm beside the keys, the final text within them.
  const algOf = ({ alg }: JWK): string => alg ?? metadata.authorization_encrypted_response_alg ?? 'ECDH-ES';
  const found = metadata.jwks?.keys?.find(
    (key) => CURVES.includes(key.crv ?? '') && (key.use ?? 'enc') === 'enc' && ALGORITHMS.includes(algOf(key)),
  );
  if (!found) return fail('invalid-presentation-request', { why: 'it wants an encrypted answer and gives no key for it' });
  const { kid, use: _use, alg: _alg, key_ops: _ops, ...bare } = found;
  const jwk = publicKeyOf(bare);
  const accepted = metadata.encrypted_response_enc_values_supported ?? [
    metadata.authorization_encrypted_response_enc ?? 'A128GCM',
  ];
  const enc =
    ENCODINGS.find((one) => accepted.includes(one)) ??
    fail('invalid-presentation-request', { why: 'it wants an encryption that is not supported' });
  const key: AnswerKey = {
    jwk: { ...jwk, ...(kid ? { kid } : {}) } as JWK,
    alg: algOf(found),
    enc,
    thumbprint: Buffer.from(thumbprintOf(jwk), 'base64url'),
  };
  try {
    await encrypted({}, key);
  } catch {
    // A point of low order on X25519, for one: whatever secret is agreed with it, everybody knows it.
    fail('invalid-presentation-request', { why: 'nothing can be encrypted with the key for its answer' });
  }
  return key;
}

function publicKeyOf(jwk: object): ReturnType<typeof readPublicJwk> {
  try {
    return readPublicJwk(jwk);
  } catch {
    return fail('invalid-presentation-request', { why: 'the key for its answer is not a public key' });
  }
}

async function encrypted(payload: object, { jwk, alg, enc }: AnswerKey): Promise<string> {
  const { CompactEncrypt, importJWK } = await import('jose');
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg, enc, typ: 'JWT', ...(jwk.kid ? { kid: jwk.kid } : {}) })
    .encrypt(await importJWK(jwk, alg));
}

const formOf = (form: Readonly<Record<string, string>>): string => new URLSearchParams(form).toString();

const post = (outbound: Outbound, url: string, body: string | (() => Promise<string>)) =>
  outbound({
    method: 'POST',
    url,
    kind: 'response',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body,
  });

/** Where the person's browser is to go next, if the verifier says so. */
function redirectOf(body: Buffer): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  const { redirect_uri: to } = (value ?? {}) as { redirect_uri?: unknown };
  return typeof to === 'string' && to.length <= 4000 && /^https?:$/.test(URL.parse(to)?.protocol ?? '') ? to : undefined;
}

/** The answer as it is posted. */
export async function encodeAnswer({ state }: VerifierRequest, vpToken: object, key: AnswerKey | undefined): Promise<string> {
  const own = state === undefined ? {} : { state };
  return key
    ? formOf({ response: await encrypted({ vp_token: vpToken, ...own }, key) })
    : formOf({ vp_token: JSON.stringify(vpToken), ...own });
}

/** `ready` gives the form when the verifier is connected to: from then on it counts as seen. What it throws is not the verifier's fault. */
export async function sendAnswer(
  outbound: Outbound,
  { responseUri }: VerifierRequest,
  prepareForm: () => Promise<string>,
): Promise<string | undefined> {
  let formError: { readonly error: unknown } | undefined;
  const body = (): Promise<string> =>
    prepareForm().catch((error: unknown) => {
      formError = { error };
      throw error;
    });
  const { status, body: reply } = await withUpstreamFaults('verifier', 'response_uri', () =>
    post(outbound, responseUri, body),
  ).catch((error: unknown) => {
    throw formError ? formError.error : error;
  });
  if (status < 200 || status > 299) fail('verifier-refused', { status });
  return redirectOf(reply);
}

/** That nothing is sent, and why in one word. Whether it arrives changes nothing here. */
export async function sendRefusal(
  outbound: Outbound,
  { responseUri, state }: Pick<VerifierRequest, 'responseUri' | 'state'>,
  error: string,
): Promise<string | undefined> {
  try {
    return redirectOf((await post(outbound, responseUri, formOf({ error, ...(state === undefined ? {} : { state }) }))).body);
  } catch {
    return undefined;
  }
}
