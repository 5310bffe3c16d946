// Pages on a raw HTTP exchange: reads forms, sends HTML and redirects, handles cookies, and protects against forged forms.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawExchange, readBody } from '../../../platform/http/index.ts';
import { languageFor } from '../../../platform/languages/index.ts';
import { fail } from '../faults.ts';
import { hasScript, PAGE_HEADERS, SCRIPT_PAGE_POLICY } from './layout.ts';
import { type Brand, cookieIn, LANGUAGE_COOKIE, lookOf, type PageLook } from './look.ts';
import type { PageRefusal } from './messages.ts';

const MAX_FORM = 16 * 1024;
const YEAR = 365 * 86_400;

export interface BrowserRequest {
  readonly exchange: RawExchange;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
  readonly look: PageLook;
}

export function browserRequestOf(exchange: RawExchange, issuer: string, brand: Brand): BrowserRequest {
  const { url = '/', method = 'GET' } = exchange.request;
  const look = lookOf(exchange.request, brand);
  return { exchange, method, path: url.split('?', 1)[0]!, secure: issuer.startsWith('https:'), look };
}

/** The same request, answered by pages with another brand. */
export const withBrand = (browser: BrowserRequest, brand: Brand): BrowserRequest => ({
  ...browser,
  look: browser.look.in(brand),
});

/** Refuses forms of other sites: browsers send the origin of a form. */
export function refuseCrossSite({ exchange, secure }: BrowserRequest): void {
  const { origin, host, 'sec-fetch-site': site } = exchange.request.headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  const foreignOrigin = origin !== undefined && origin !== `${secure ? 'https' : 'http'}://${host}`;
  if (foreignSite || foreignOrigin) fail('auth.forbidden', { action: 'form' }, { reason: 'form of another site' });
}

/** Reads a form of any site. Such a form must not change anything. */
export async function readCrossSiteForm({ exchange: { request } }: BrowserRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) fail('request.media_type');
  const form = new URLSearchParams((await readBody(request, MAX_FORM)).toString('utf8'));
  // PostgreSQL refuses NUL in texts; that would be an error of ours instead of the sender's.
  if ([...form.values()].some((value) => value.includes('\0')))
    fail('request.malformed_json', { why: 'a value contains a NUL character' });
  return form;
}

export function readForm(browser: BrowserRequest): Promise<URLSearchParams> {
  refuseCrossSite(browser);
  return readCrossSiteForm(browser);
}

/** The fields and files of a form that was sent as `multipart/form-data`. */
export interface UploadForm {
  readonly fields: URLSearchParams;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads a form with files, of at most `maxBytes` in all. */
export async function readUpload(browser: BrowserRequest, maxBytes: number): Promise<UploadForm> {
  refuseCrossSite(browser);
  const { request } = browser.exchange;
  const body = await readBody(request, maxBytes);
  const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
  const sent = await new Response(new Uint8Array(body), { headers })
    .formData()
    .catch(() => fail('request.malformed_json', { why: 'it is not a form' }));
  const [fields, files] = [new URLSearchParams(), new Map<string, Buffer>()];
  for (const [name, value] of sent) {
    if (typeof value !== 'string') files.set(name, Buffer.from(await value.arrayBuffer()));
    else if (!value.includes('\0')) fields.append(name, value);
  }
  return { fields, files };
}

export const isUpload = ({ exchange: { request } }: BrowserRequest): boolean =>
  /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');

/** A CSRF token, bound to the subject of the form. */
export const formToken = (key: string, about: string): string =>
  createHmac('sha256', key).update(`form ${about}`).digest('base64url');

export function checkFormToken(form: URLSearchParams, keys: readonly string[], about: string): void {
  const actual = Buffer.from(form.get('form_token') ?? '');
  const good = keys.some((key) => {
    const expected = Buffer.from(formToken(key, about));
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  });
  if (!good) fail('auth.forbidden', { action: 'form' }, { reason: 'form token wrong' });
}

/** What a passkey signs in one interaction or session, one for each key. It needs no row, and is of no use elsewhere. */
export const passkeyChallenges = (keys: readonly string[], about: string): string[] =>
  keys.map((key) => createHmac('sha256', key).update(`passkey ${about}`).digest('base64url'));

export function sendPage(
  { exchange: { response } }: BrowserRequest,
  text: string,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): void {
  const policy = hasScript(text) ? SCRIPT_PAGE_POLICY : PAGE_HEADERS['Content-Security-Policy'];
  const headers = { ...PAGE_HEADERS, 'Content-Security-Policy': policy, ...more };
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** A page that says what was wrong, if something was. */
export const sendAnswer = (browser: BrowserRequest, text: string, refused: PageRefusal | undefined): void =>
  sendPage(browser, text, refused?.status, refused?.headers);

/** A text for the person to keep. `name` is fixed: it is part of a header. */
export function sendFile({ exchange: { response } }: BrowserRequest, name: string, text: string): void {
  response.writeHead(200, {
    ...PAGE_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function redirect({ exchange: { response } }: BrowserRequest, location: string): void {
  response.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 });
  response.end();
}

export const readCookie = ({ exchange: { request } }: BrowserRequest, name: string): string | undefined =>
  cookieIn(request.headers.cookie, name);

/** Valid for a year unless told, only for our pages, not readable by scripts or other sites. */
export function setCookie(
  { exchange: { response }, secure }: BrowserRequest,
  name: string,
  value: string,
  path = '/openid',
  maxAge = YEAR,
): void {
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ];
  response.appendHeader('Set-Cookie', parts.join('; '));
}

/** Remembers the language that the person chose, and goes back to the page they came from. */
export async function chooseLanguage(browser: BrowserRequest): Promise<void> {
  const language = languageFor([(await readForm(browser)).get('language') ?? '']);
  if (language) setCookie(browser, LANGUAGE_COOKIE, language, '/');
  const { referer, host } = browser.exchange.request.headers;
  const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined;
  // With two slashes at the beginning it would be the address of another site.
  redirect(browser, from && from.host === host ? `${from.pathname.replace(/^\/+/, '/')}${from.search}` : '/account');
}
