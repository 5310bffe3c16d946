// One machine has several names: localhost, 127.0.0.1 and ::1. Cookies, passkeys and the protection of forms belong to one of them, so that
// a page that is opened at another is redirected.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface PageAddress {
  /** The address of the service. */
  url(): string;
  /** Whether a browser opens a page, and not a program an API. */
  isPage(url: string, headers: IncomingHttpHeaders): boolean;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
export const isOfThisMachine = (url: string): boolean => LOOPBACK.has(new URL(url).hostname);
/** Behind a proxy `Host` may be where the proxy connects to. The browser is elsewhere. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'];

/** Where the browser is to open the page instead; undefined if it is at the right address, or not on this machine. */
export function otherNameRedirect({ method, url = '/', headers }: IncomingMessage, pages: PageAddress): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !pages.isPage(url, headers)) return undefined;
  return otherNameOf(pages.url(), headers) === undefined ? undefined : new URL(pages.url()).origin + url;
}

/** The address at which the service was asked, if that is another name of this machine. */
export function otherNameOf(url: string, headers: IncomingHttpHeaders): string | undefined {
  const own = new URL(url);
  const { host = '' } = headers;
  if (host === own.host || !LOOPBACK.has(own.hostname) || OF_PROXIES.some((name) => headers[name] !== undefined))
    return undefined;
  const asked = URL.parse(`${own.protocol}//${host}`);
  // Another port is another service, or one that was forwarded here: nobody may be listening on ours.
  if (asked?.host !== host.toLowerCase() || asked.host === own.host || asked.port !== own.port || !LOOPBACK.has(asked.hostname))
    return undefined;
  return asked.origin;
}

/**
 * The other names of a service of this machine. Not of one that listens on an IP address, `host`, and is known by it: another program may
 * listen on the others, and would get what is sent there.
 */
export function otherNamesOf(url: string, host: string): string[] {
  const { hostname } = new URL(url);
  if (hostname !== 'localhost' && !(host === 'localhost' && LOOPBACK.has(hostname))) return [];
  return [...LOOPBACK].filter((name) => name !== hostname).map((name) => Object.assign(new URL(url), { hostname: name }).origin);
}
