// Signatures of OAuth 1.0 (RFC 5849): the parameters of the header Authorization, and what is signed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '../../ground/faults.ts';
import type { SignedRequest } from '../../ground/resource/index.ts';

export interface OAuthParameters {
  readonly consumerKey: string;
  readonly token: string | undefined;
  readonly verifier: string | undefined;
  readonly timestamp: number;
  readonly nonce: string;
  readonly method: string;
  readonly signature: string;
  /** All but the signature and the realm, as they are signed. */
  readonly signed: readonly (readonly [name: string, value: string])[];
}

/** PLAINTEXT is not among them: whoever sees such a request has the secrets, and RSA needs keys that consumers here do not have. */
const DIGESTS: Readonly<Record<string, string>> = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256', 'HMAC-SHA512': 'sha512' };

const MAX_HEADER = 4096;
/** Seconds, before and after: as oauthlib has it. */
export const MAX_SKEW = 600;

const refuse = (why: string): never => fail('oauth1.bad_request', { why });

/** Section 3.6. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    return refuse('a parameter is not encoded as it should be');
  }
  // No database stores it.
  return decoded.includes('\0') ? refuse('a parameter has the character NUL') : decoded;
}

/** Section 3.5.1. A parameter that comes twice is refused: it is not clear which one counts. */
export function readAuthorization(header: string | undefined, now: number): OAuthParameters {
  const [, text = ''] =
    /^OAuth +(.*)$/is.exec(header ?? '') ?? refuse('the header Authorization with OAuth parameters is missing');
  if (text.length > MAX_HEADER) refuse('the header Authorization is too long');
  const found = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, name = '', quoted, bare] =
      /^\s*([\w.~%-]+)="([^"]*)"\s*$|^\s*([\w.~%-]+=[^"\s]*)\s*$/.exec(part) ?? refuse('a parameter cannot be read');
    const [key, value] = quoted === undefined ? [bare!.split('=', 1)[0]!, bare!.slice(bare!.indexOf('=') + 1)] : [name, quoted];
    if (found.has(decode(key))) refuse(`${decode(key)} is given more than once`);
    found.set(decode(key), decode(value));
  }
  const need = (name: string): string => found.get(name) || refuse(`${name} is missing`);
  const [method, timestamp, nonce] = [need('oauth_signature_method'), need('oauth_timestamp'), need('oauth_nonce')];
  if (!Object.hasOwn(DIGESTS, method)) refuse(`the signature method must be one of ${Object.keys(DIGESTS).join(', ')}`);
  if ((found.get('oauth_version') ?? '1.0') !== '1.0') refuse('the version must be 1.0');
  if (!/^\d{10}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > MAX_SKEW)
    refuse(`the time of the request differs by more than ${MAX_SKEW} seconds`);
  return {
    consumerKey: need('oauth_consumer_key'),
    token: found.get('oauth_token') || undefined,
    verifier: found.get('oauth_verifier') || undefined,
    timestamp: Number(timestamp),
    nonce,
    method,
    signature: need('oauth_signature'),
    signed: [...found].filter(([name]) => name !== 'oauth_signature' && name !== 'realm'),
  };
}

/** Section 3.4.1. The bodies of this API are JSON, which is not signed: nothing in them widens what the token gives. */
function baseString({ method, url }: SignedRequest, parameters: OAuthParameters): string {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const pairs = [...parameters.signed, ...searchParams].map(([name, value]) => [encode(name), encode(value)] as const);
  const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
  pairs.sort(([name, value], [otherName, otherValue]) => order(name, otherName) || order(value, otherValue));
  const normalized = pairs.map(([name, value]) => `${name}=${value}`).join('&');
  return [method.toUpperCase(), `${protocol}//${host}${pathname}`, normalized].map(encode).join('&');
}

export function isSignedBy(
  request: SignedRequest,
  parameters: OAuthParameters,
  secrets: { readonly consumer: string; readonly token: string },
): boolean {
  const key = `${encode(secrets.consumer)}&${encode(secrets.token)}`;
  const right = createHmac(DIGESTS[parameters.method]!, key).update(baseString(request, parameters)).digest('base64');
  const { signature } = parameters;
  return Buffer.byteLength(signature) === right.length && timingSafeEqual(Buffer.from(signature), Buffer.from(right));
}
