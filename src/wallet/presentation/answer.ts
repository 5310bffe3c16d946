// Sends the answer to a verifier's response_uri, encrypted if requested. Errors are sent there too, with only an error code.
import type { JWK } from 'jose';
import type { Outbound } from '../../platform/outbound/index.ts';
import { thumbprintOf } from '../../verifiable/jose/index.ts';
import { readPublicJwk } from '../../verifiable/resolver/index.ts';
import { fail } from '../ground/faults.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { VerifierRequest } from './request.ts';

const CURVES = ['P-256', 'P-384', 'P-521', 'X25519'];
const ALGORITHMS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'];
const ENCODINGS = ['A256GCM', 'A128GCM', 'A192GCM', 'A128CBC-HS256', 'A256CBC-HS512'];

/** The verifier's key and algorithms for an encrypted answer. */
export interface AnswerKey {
  readonly jwk: JWK;
  readonly alg: string;
  readonly enc: string;
  /** Included in the session transcript of an mdoc. */
  readonly thumbprint: Buffer;
}

interface EncryptionMetadata {
  readonly jwks?: { readonly keys?: readonly JWK[] };
  readonly encrypted_response_enc_values_supported?: readonly string[];
  readonly authorization_encrypted_response_alg?: string;
  readonly authorization_encrypted_response_enc?: string;
}

/** Undefined if the answer is not encrypted. Tries the key, so that encryption cannot fail later, after a copy was consumed. */
export async function answerKeyOf({ clientMetadata, responseMode }: VerifierRequest): Promise<AnswerKey | undefined> {
  if (responseMode !== 'direct_post.jwt') return undefined;
  const metadata = clientMetadata as EncryptionMetadata;
  // Drafts have the algorithm beside the keys, the final version in the keys.
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
    // For example a low-order point on X25519, which gives a predictable secret.
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

/** The address for the user's browser, if the verifier sends one. */
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

/** Encodes the answer as a form. */
export async function encodeAnswer({ state }: VerifierRequest, vpToken: object, key: AnswerKey | undefined): Promise<string> {
  const own = state === undefined ? {} : { state };
  return key
    ? formOf({ response: await encrypted({ vp_token: vpToken, ...own }, key) })
    : formOf({ vp_token: JSON.stringify(vpToken), ...own });
}

/** `prepareForm` is called after the connection is open: from then on the answer counts as sent. Its errors are rethrown unchanged. */
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

/** Sends an error code instead of an answer. Failures are ignored. */
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
