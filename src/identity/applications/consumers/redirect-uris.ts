// Redirect URIs of an application: absolute, without a fragment (RFC 6749 section 3.1.2).
import { fail } from '../../ground/faults.ts';

const MAX_URIS = 100;
const MAX_LENGTH = 2048;
/** Schemes that run code, read files or contain data. Any other may be a private scheme of an application (RFC 8252 section 7.1). */
const REFUSED = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'about',
  'blob',
  'filesystem',
  'view-source',
  'ws',
  'wss',
  'ftp',
  'mailto',
  'tel',
]);

function problem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  // Browsers drop control characters and blanks, and would open another address than the one we checked.
  if (/[\s\p{Cc}\\]/u.test(uri)) return 'it contains blanks, control characters or a backslash';
  if (uri.includes('#')) return 'it has a fragment';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(uri)) return 'it is not an absolute URL';
  if (REFUSED.has(scheme)) return `the scheme ${scheme} is not allowed`;
  const { hostname, username, password } = new URL(uri);
  if ((scheme === 'http' || scheme === 'https') && (!/^https?:\/\/[^/]/i.test(uri) || hostname === '')) return 'it has no host';
  if (username || password) return 'it contains credentials';
  return undefined;
}

export function checkRedirectUris(uris: readonly string[], field = 'redirect_uris'): void {
  if (uris.length > MAX_URIS) fail('request.bad_value', { field, why: `there are more than ${MAX_URIS}` });
  for (const [index, uri] of uris.entries()) {
    const why = problem(uri);
    if (why) fail('request.bad_value', { field: `${field}.${index}`, why });
  }
}

/** Also of links that open a wallet: nothing that a browser runs or shows by itself. */
export const isRedirectUri = (uri: string): boolean => problem(uri) === undefined;
export const isWebUri = (uri: string): boolean => /^https?:/i.test(uri) && isRedirectUri(uri);

/** A URI with a private scheme belongs to a native application. */
export const isNative = (uris: readonly string[]): boolean => uris.some((uri) => !/^https?:/i.test(uri));

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A program on the machine of the person (RFC 8252, 7.3). */
export const isLoopback = (uri: string): boolean => /^http:/i.test(uri) && LOOPBACK.has(URL.parse(uri)?.hostname ?? '');

/** Why a URI does not fit the others: the redirect URIs of a client are either those of a native application or of a web one (RFC 8252). */
export function redirectUriConflict(uri: string, native: boolean): string | undefined {
  const { protocol, hostname } = new URL(uri);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  if (!native) return isWeb ? undefined : 'private schemes are allowed only when the redirect_uris have one';
  if (!isWeb) return undefined;
  const fits = LOOPBACK.has(hostname) ? protocol === 'http:' : protocol === 'https:';
  return fits
    ? undefined
    : 'an application with private-scheme redirect_uris may use http only for localhost and https only for other hosts';
}

/** Whether an address is on one of the sites that the application is sent people to. */
export function isOnOwnSite(uri: string, redirectUris: readonly string[]): boolean {
  const siteOf = (one: string): string | undefined => (isWebUri(one) ? new URL(one).origin : undefined);
  const site = siteOf(uri);
  return site !== undefined && redirectUris.some((one) => siteOf(one) === site);
}

/** An address that our page opens in a frame is of the application itself (OpenID Connect Front-Channel Logout 1.0, 2). */
export function checkFrontChannelUri(redirectUris: readonly string[], uri: string | undefined): void {
  if (uri !== undefined && !isOnOwnSite(uri, redirectUris))
    fail('request.bad_value', {
      field: 'frontchannel_logout_uri',
      why: 'its scheme, host and port must be those of one of the redirect_uris',
    });
}

/** Checks both lists as they will be stored. */
export function checkRedirectUriConflicts(redirectUris: readonly string[], afterLogout: readonly string[]): void {
  const native = isNative(redirectUris);
  for (const [name, uris] of Object.entries({ redirect_uris: redirectUris, post_logout_redirect_uris: afterLogout }))
    for (const [index, uri] of uris.entries()) {
      const why = redirectUriConflict(uri, native);
      if (why) fail('request.bad_value', { field: `${name}.${index}`, why });
    }
}
