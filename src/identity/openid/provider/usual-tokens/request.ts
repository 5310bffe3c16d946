// What is usual in a request to the token endpoint. Everything else is left to the library, which also refuses.
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'node:querystring';

/** The endpoint's own limit is the library's; requests as these are short. */
export const MAX_LENGTH = 16 * 1024;
const FORM = /^application\/x-www-form-urlencoded(?:\s*;\s*charset=utf-8)?$/i;
/** They bind tokens, prove a wallet, or ask whose pages may read the answer. */
const UNUSUAL_HEADERS = ['dpop', 'origin', 'oauth-client-attestation', 'oauth-client-attestation-pop', 'content-encoding'];
const BASIC = /^Basic ((?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?)$/i;
const PRINTABLE = /^[\x20-\x7e]+$/;

const PARAMETERS = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
] as const;
export type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** Without its body. */
export const isUsual = ({ 'content-type': type = '', 'content-length': length = '', ...headers }: IncomingHttpHeaders): boolean =>
  FORM.test(type) &&
  /^\d+$/.test(length) &&
  Number(length) <= MAX_LENGTH &&
  UNUSUAL_HEADERS.every((name) => headers[name] === undefined);

/** Undefined if there are others, or one of them twice. An empty one is as good as none. */
export function parametersOf(text: string): Parameters | undefined {
  const sent = Object.entries(parse(text));
  const isKnown = sent.every(([name, value]) => (PARAMETERS as readonly string[]).includes(name) && typeof value === 'string');
  return isKnown ? (Object.fromEntries(sent.filter(([, value]) => value !== '')) as Parameters) : undefined;
}

export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part.replaceAll('+', '%20'));
    return PRINTABLE.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** HTTP Basic, where both parts are form-encoded (RFC 6749, 2.3.1). */
function fromHeader(authorization: string): Credentials | undefined {
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const basic = Buffer.from(encoded, 'base64').toString();
  const at = basic.indexOf(':');
  const [id, secret] = at < 0 ? [] : [decoded(basic.slice(0, at)), decoded(basic.slice(at + 1))];
  return id && secret ? { id, secret } : undefined;
}

/** An id and a secret, in one place only. */
export function credentialsIn(authorization: string | undefined, sent: Parameters): Credentials | undefined {
  const { client_id: id, client_secret: secret } = sent;
  if (authorization === undefined) return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  const found = secret === undefined ? fromHeader(authorization) : undefined;
  return found && (id === undefined || id === found.id) ? found : undefined;
}
