// The paths of the OpenID provider and the methods each takes: the library answers others in words of its own.
import type { IncomingMessage } from 'node:http';
import { fail } from '../../faults.ts';
import { STYLE_PATH } from '../pages/style.ts';

export const ROOT = '/openid';
export const DISCOVERY = '/.well-known/openid-configuration';
export const ACCOUNT = '/account';
/** The same as the discovery document, where clients of OAuth2 without OpenID look for it (RFC 8414). */
export const METADATA = '/.well-known/oauth-authorization-server';
/** The token endpoint of Keyrock's back-end. */
export const KEYROCK_TOKEN = '/v3/OS-OAUTH2/access_token';

const READ = ['GET', 'HEAD'];
const OPEN = ['GET', 'HEAD', 'OPTIONS'];
const CALLED = ['OPTIONS', 'POST'];
const PAGE = ['GET', 'HEAD', 'POST'];

/** OPTIONS where scripts of other sites may call. */
const METHODS: readonly (readonly [path: string | RegExp, methods: readonly string[]])[] = [
  [DISCOVERY, OPEN],
  [METADATA, OPEN],
  [`${ROOT}/jwks`, OPEN],
  [`${ROOT}/authorize`, PAGE],
  [/^\/openid\/authorize\/[^/]+$/, READ],
  [/^\/openid\/interaction\/[^/]+$/, PAGE],
  [`${ROOT}/token`, CALLED],
  [KEYROCK_TOKEN, CALLED],
  [`${ROOT}/userinfo`, ['GET', 'HEAD', 'OPTIONS', 'POST']],
  [`${ROOT}/introspect`, CALLED],
  [`${ROOT}/revoke`, CALLED],
  [`${ROOT}/par`, CALLED],
  [`${ROOT}/device`, PAGE],
  [`${ROOT}/device/authorize`, CALLED],
  [/^\/openid\/device\/[^/]+$/, READ],
  [`${ROOT}/logout`, PAGE],
  [`${ROOT}/logout/confirm`, ['POST']],
  [`${ROOT}/logout/success`, READ],
  [STYLE_PATH, READ],
  [ACCOUNT, PAGE],
];

/** The methods of the path, where this is one of them; else refuses in the way of all other routes. */
export function checkMethod(path: string, method: string): readonly string[] {
  const found = METHODS.find(([known]) => (typeof known === 'string' ? known === path : known.test(path)));
  const [, methods] = found ?? fail('route.not_found');
  if (!methods.includes(method)) fail('route.method_not_allowed', undefined, { headers: { Allow: methods.join(', ') } });
  return methods;
}

/** The library takes a code that is given twice for a list, and fails where it needs a text. */
export function refuseRepeatedCode(url: string): void {
  const codes = new URLSearchParams(url.split('?', 2)[1]).getAll('user_code');
  if (codes.length > 1) fail('request.malformed_url', { why: 'user_code is given more than once' });
}

/** Asked by a browser before a script's request to another site. The library answers no other OPTIONS. */
export const isPreflight = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** One slash more at the end means the same, as everywhere. */
export const withoutSlash = (url: string): string => url.replace(/^([^?]*[^/?])\/(?=$|\?)/, '$1');
