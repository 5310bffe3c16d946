// Pages over a raw exchange: forms in, HTML and redirects out, cookies, and protection against forged forms.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawExchange, readBody } from '../../../platform/http/index.ts';
import { fail } from '../../faults.ts';
import { PAGE_HEADERS } from './layout.ts';

const MAX_FORM = 16 * 1024;
const YEAR = 365 * 86_400;

export interface Browser {
  readonly exchange: RawExchange;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
}

export function browserOf(exchange: RawExchange, issuer: string): Browser {
  const { url = '/', method = 'GET' } = exchange.request;
  return { exchange, method, path: url.split('?', 1)[0]!, secure: issuer.startsWith('https:') };
}

/** A form of another site never gets here: browsers say where a form comes from. */
function refuseForeign({ exchange, secure }: Browser): void {
  const { origin, host, 'sec-fetch-site': site } = exchange.request.headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  const foreignOrigin = origin !== undefined && origin !== `${secure ? 'https' : 'http'}://${host}`;
  if (foreignSite || foreignOrigin) fail('auth.forbidden', { action: 'form' }, { reason: 'form of another site' });
}

/** A form from anywhere: it may ask, but nothing happens by it. */
export async function readForeignForm({ exchange: { request } }: Browser): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) fail('request.media_type');
  return new URLSearchParams((await readBody(request, MAX_FORM)).toString('utf8'));
}

export function readForm(browser: Browser): Promise<URLSearchParams> {
  refuseForeign(browser);
  return readForeignForm(browser);
}

/** A word of the form that only our own page could have put there: bound to what the form is about. */
export const formToken = (key: string, about: string): string =>
  createHmac('sha256', key).update(`form ${about}`).digest('base64url');

export function checkFormToken(form: URLSearchParams, keys: readonly string[], about: string): void {
  const given = Buffer.from(form.get('form_token') ?? '');
  const good = keys.some((key) => {
    const expected = Buffer.from(formToken(key, about));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!good) fail('auth.forbidden', { action: 'form' }, { reason: 'form token wrong' });
}

export function sendPage({ exchange: { response } }: Browser, text: string, status = 200): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

export function redirect({ exchange: { response } }: Browser, location: string): void {
  response.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 });
  response.end();
}

export function readCookie({ exchange: { request } }: Browser, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** For a year, for our pages only, out of reach of scripts and of other sites. */
export function setCookie({ exchange: { response }, secure }: Browser, name: string, value: string): void {
  const parts = [
    `${name}=${value}`,
    'Path=/openid',
    `Max-Age=${YEAR}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ];
  response.appendHeader('Set-Cookie', parts.join('; '));
}
