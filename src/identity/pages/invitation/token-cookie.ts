// The token of a link, kept by the browser for the page that the link opens.
import type { BrowserRequest } from '../../ground/look/index.ts';

/** Long enough for a sign-in. */
const SECONDS = 3600;

/** `undefined` removes it. Sent to this page only; not readable by scripts, and not sent with forms of other sites. */
export function keepToken(browser: BrowserRequest, name: string, token: string | undefined): void {
  const { exchange, path, secure } = browser;
  const value = /^[\w-]*$/.test(token ?? '') ? (token ?? '') : '';
  const end = value === '' ? 'Expires=Thu, 01 Jan 1970 00:00:00 GMT' : `Max-Age=${SECONDS}`;
  const parts = [`${name}=${value}`, `Path=${path}`, end, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  exchange.response.appendHeader('Set-Cookie', parts.join('; '));
}
