// Where an application may send its users back to: absolute addresses without a fragment (RFC 6749 section 3.1.2).
import { fail } from '../faults.ts';

const MAX_URIS = 100;
const MAX_LENGTH = 2048;
/** Schemes that run code, read files or carry their own content; any other may be an application's private one (RFC 8252 section 7.1). */
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
  // Browsers drop control characters and blanks, and would then see another address than we checked.
  if (/[\s\p{Cc}\\]/u.test(uri)) return 'it contains blanks, control characters or a backslash';
  if (uri.includes('#')) return 'it has a fragment';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(uri)) return 'it is not an absolute URL';
  if (REFUSED.has(scheme)) return `the scheme ${scheme} is not allowed`;
  const { hostname, username, password } = new URL(uri);
  if ((scheme === 'http' || scheme === 'https') && (!/^https?:\/\/[^/]/i.test(uri) || hostname === '')) return 'it has no host';
  if (username || password) return 'it holds credentials';
  return undefined;
}

export function checkRedirectUris(uris: readonly string[]): void {
  if (uris.length > MAX_URIS) fail('request.bad_value', { field: 'redirect_uris', why: `there are more than ${MAX_URIS}` });
  for (const [index, uri] of uris.entries()) {
    const why = problem(uri);
    if (why) fail('request.bad_value', { field: `redirect_uris.${index}`, why });
  }
}
