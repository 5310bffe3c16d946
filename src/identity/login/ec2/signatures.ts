// Signatures of requests to EC2, in versions 0, 1, 2 and 4 of AWS, as python-keystoneclient computes them for the services of OpenStack.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A request that a program signed, as a service describes it. */
export interface SignedRequest {
  readonly verb: string;
  readonly host: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyHash: string;
}

/** What a right signature would be, and the times that it covers. */
interface Expectation {
  /** More than one, because some programs sign the host without its port. */
  readonly signatures: readonly string[];
  readonly signedAt?: string | undefined;
  readonly expires?: string | undefined;
  /** Whether nobody but the signer can leave out the time: it cannot become a part of something else. */
  readonly isTimeSeparate?: boolean;
}

const base64Hmac = (algorithm: 'sha1' | 'sha256', secret: string, text: string): string =>
  createHmac(algorithm, secret).update(text).digest('base64');
const hmac256 = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
/** All but letters, digits and `-_.~` (RFC 3986). */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (params: Readonly<Record<string, string>>): string =>
  Object.keys(params)
    .toSorted(byBytes)
    .map((name) => `${encode(name)}=${encode(params[name]!)}`)
    .join('&');

const version0 = ({ params: { Action, Timestamp } }: SignedRequest, secret: string): Expectation | undefined =>
  Action === undefined || Timestamp === undefined
    ? undefined
    : { signatures: [base64Hmac('sha1', secret, Action + Timestamp)], signedAt: Timestamp };

function version1({ params }: SignedRequest, secret: string): Expectation {
  const names = Object.keys(params).toSorted((one, other) => byBytes(one.toLowerCase(), other.toLowerCase()));
  const text = names.map((name) => name + params[name]!).join('');
  return { signatures: [base64Hmac('sha1', secret, text)], signedAt: params.Timestamp, expires: params.Expires };
}

/** Without port, and in lower case. */
const hostName = (host: string): string =>
  (/^\[(.*)\]/.exec(host)?.[1] ?? host.replace(/^.*@/, '').replace(/:.*$/, '')).toLowerCase();

function version2({ verb, host, path, params }: SignedRequest, secret: string): Expectation {
  const query = canonicalQuery({ ...params, SignatureMethod: 'HmacSHA256' });
  const sign = (name: string): string => base64Hmac('sha256', secret, `${verb}\n${name}\n${path}\n${query}`);
  const signatures = host.includes(':') ? [sign(host), sign(hostName(host))] : [sign(host)];
  return { signatures, signedAt: params.Timestamp, expires: params.Expires, isTimeSeparate: true };
}

const ALGORITHM_4 = 'AWS4-HMAC-SHA256';

/** A part of the header `Authorization`, or a parameter of the query. */
function authorizationPart({ headers, params }: SignedRequest, name: string): string | undefined {
  const { Authorization: text } = headers;
  if (text === undefined) return params[`X-Amz-${name}`];
  const at = text.indexOf(`${name}=`);
  return at < 0 ? '' : text.slice(at + name.length + 1).split(',', 1)[0];
}

const isVersion4 = ({ headers, params }: SignedRequest): boolean =>
  headers.Authorization === undefined ? params['X-Amz-Algorithm'] === ALGORITHM_4 : headers.Authorization.startsWith(ALGORITHM_4);

function canonicalHeaders(headers: SignedRequest['headers'], signed: string): string {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase().trim(), value.trim()]));
  const lines = signed.split(';').flatMap((name) => (values.has(name) ? [`${name}:${values.get(name)}`] : []));
  return `${lines.join('\n')}\n`;
}

/** The key of version 4 for one day, region and service. */
export const signingKey4 = (secret: string, day: string, region: string, service: string): Buffer =>
  hmac256(hmac256(hmac256(hmac256(`AWS4${secret}`, day), region), service), 'aws4_request');

function version4(request: SignedRequest, secret: string): Expectation | undefined {
  const { verb, path, params, headers, bodyHash } = request;
  const [signed, credential] = [authorizationPart(request, 'SignedHeaders'), authorizationPart(request, 'Credential')];
  const time = headers['X-Amz-Date'] ?? params['X-Amz-Date'];
  const [, day, region, service] = credential?.split('/') ?? [];
  if (signed === undefined || !credential || !day || region === undefined || service === undefined) return undefined;
  if (!time?.startsWith(day)) return undefined;
  // The parameters of a POST are in its body.
  const query = verb.toUpperCase() === 'POST' ? '' : canonicalQuery(params);
  const canonical = [verb.toUpperCase(), path, query, canonicalHeaders(headers, signed), signed, bodyHash].join('\n');
  const scope = credential.slice(credential.indexOf('/') + 1);
  const text = [ALGORITHM_4, time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  return { signatures: [hmac256(signingKey4(secret, day, region, service), text).toString('hex')], signedAt: time };
}

/** Undefined when the request is not one that a version describes. */
function expectation(request: SignedRequest, secret: string): Expectation | undefined {
  const { SignatureVersion: version } = request.params;
  if (version === '0') return version0(request, secret);
  if (version === '1') return version1(request, secret);
  if (version === '2') return version2(request, secret);
  return isVersion4(request) ? version4(request, secret) : undefined;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
export const isSame = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

const TIME = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/i;

/** Milliseconds. Both forms of ISO 8601; without a zone it is UTC. */
function readTime(text: string): number | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, zone = 'Z'] = parts;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

export interface SignatureTimes {
  readonly now: number;
  /** How far the time of the request may be from now. */
  readonly leewayMs: number;
  /** Whether a request that was signed without a time is accepted. */
  readonly allowTimeless: boolean;
}

/**
 * Only times that the signature covers count: others can be added to a request that was seen before. In version 1, names and values are signed
 * without anything in between, so that a time that was signed can be hidden in the value before it.
 */
function isInTime({ signedAt, expires, isTimeSeparate = false }: Expectation, times: SignatureTimes): boolean {
  const { now, leewayMs, allowTimeless } = times;
  if (signedAt === undefined && expires === undefined) return allowTimeless && isTimeSeparate;
  const time = signedAt === undefined ? undefined : readTime(signedAt);
  const end = expires === undefined ? undefined : readTime(expires);
  if (signedAt !== undefined) return time !== undefined && Math.abs(now - time) <= leewayMs;
  return end !== undefined && now <= end;
}

export type SignatureCheck = 'good' | 'wrong' | 'not in time';

export function checkSignature(request: SignedRequest, signature: string, secret: string, times: SignatureTimes): SignatureCheck {
  const expected = expectation(request, secret);
  if (!expected?.signatures.some((right) => isSame(right, signature))) return 'wrong';
  return isInTime(expected, times) ? 'good' : 'not in time';
}
