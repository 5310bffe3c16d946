// The paths of the OpenID provider and their methods. Other methods are refused here, because the library has another error format.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { logoPath } from '../../applications/consumers/index.ts';
import { fail } from '../../ground/faults.ts';
import { domainPicturePath, FAVICON, LANGUAGE_PATH } from '../../ground/look/index.ts';

export const ROOT = '/openid';
export const INTROSPECTION = `${ROOT}/introspect`;
export const USER_INFORMATION = `${ROOT}/userinfo`;
/** Challenges for attested wallets. */
export const CHALLENGE = `${ROOT}/challenge`;
/** The grant of credential offers (OID4VCI, 6.1). */
export { PRE_AUTHORIZED } from '../../applications/consumers/index.ts';
export const DISCOVERY = '/.well-known/openid-configuration';
export const ACCOUNT = '/account';
/** The pages of an account, in the order of their menu. */
export const ACCOUNT_PAGES = {
  overview: ACCOUNT,
  profile: `${ACCOUNT}/profile`,
  security: `${ACCOUNT}/security`,
  sessions: `${ACCOUNT}/sessions`,
  applications: `${ACCOUNT}/applications`,
  access: `${ACCOUNT}/access`,
  activity: `${ACCOUNT}/activity`,
  data: `${ACCOUNT}/data`,
} as const;
export type AccountPageName = keyof typeof ACCOUNT_PAGES;
/** The pages for administrators and owners of applications. All of them are one document; its script shows the rest. */
export const CONSOLE = '/console';
/** Gives the page its token. */
export const CONSOLE_SESSION = `${CONSOLE}/session`;
/** Where a sign-in for the console returns to. */
export const CONSOLE_SIGNED_IN = `${CONSOLE}/signed-in`;
const ATTEMPTS = `${CONSOLE}/try/`;
/** Where the provider returns to when somebody tries the sign-in of an application from the console. */
export const attemptUri = (issuer: string, id: string): string => `${issuer}${ATTEMPTS}${id}`;
/** The id of the attempt in such an address. */
export const attemptIdIn = (issuer: string, uri: string): string | undefined =>
  uri.startsWith(issuer + ATTEMPTS) ? uri.slice((issuer + ATTEMPTS).length) : undefined;
/** Where an administrator returns to who tries the sign-in at another provider. */
export const CONSOLE_TRIED_PROVIDER = `${CONSOLE}/tried-provider`;
export const CONSOLE_FILES = `${CONSOLE}/files/`;
export const isConsole = (path: string): boolean => path === CONSOLE || path.startsWith(`${CONSOLE}/`);
export const INVITATION = `${ROOT}/invitation`;
/** For people without a session. */
export const FORGOTTEN_PASSWORD_PAGE = `${ROOT}/forgotten-password`;
export const NEW_PASSWORD_PAGE = `${ROOT}/new-password`;
export const REGISTER_PAGE = `${ROOT}/register`;
export const CONFIRM_EMAIL_PAGE = `${ROOT}/confirm-email`;
export const NEW_EMAIL_PAGE = `${ROOT}/new-email`;
/** Web single sign-on of OpenStack's dashboard, as Keystone serves it: with any sign-in of ours, or through one provider. */
export const WEBSSO = '/v3/auth/OS-FEDERATION/websso';
export const WEBSSO_OF_PROVIDERS = '/v3/auth/OS-FEDERATION/identity_providers';
const WEBSSO_ANY = /^\/v3\/auth\/OS-FEDERATION\/websso\/([\w.~-]{1,64})$/;
const WEBSSO_ONE = /^\/v3\/auth\/OS-FEDERATION\/identity_providers\/([\w.~-]{1,64})\/protocols\/([\w.~-]{1,64})\/websso$/;
/** Where a sign-in for it returns to. */
export const WEBSSO_SIGNED_IN = `${WEBSSO}/openid`;
/** What the address of a single sign-on names. */
export interface WebssoTarget {
  readonly providerId?: string;
  readonly protocolId: string;
}
export function webssoIn(path: string): WebssoTarget | undefined {
  const [, anyProtocol] = WEBSSO_ANY.exec(path) ?? [];
  if (anyProtocol !== undefined) return { protocolId: anyProtocol };
  const [, providerId, protocolId] = WEBSSO_ONE.exec(path) ?? [];
  return providerId === undefined || protocolId === undefined ? undefined : { providerId, protocolId };
}
/** The same document for OAuth2 clients (RFC 8414). */
export const METADATA = '/.well-known/oauth-authorization-server';
/** Where password managers send people (https://www.w3.org/TR/change-password-url/). */
export const CHANGE_PASSWORD = '/.well-known/change-password';
/** The token endpoint of Keyrock's back-end. */
export const KEYROCK_TOKEN = '/v3/OS-OAUTH2/access_token';

/** Style, script, icon and logo. */
const ASSET = /^\/openid\/assets\/[\w.-]+$/;
export const isAsset = (path: string): boolean => path === FAVICON || ASSET.test(path);

const PICTURES = `${ROOT}/pictures`;
/** Where everybody who knows its id can see a picture. */
export const picturePath = (id: string): string => `${PICTURES}/${id}`;
const PICTURE = /^\/openid\/pictures\/([\w-]{43})$/;
/** The id of the picture at a path. */
export const pictureIdIn = (path: string): string | undefined => PICTURE.exec(path)?.[1];

/** Logos of applications. */
const LOGO = new RegExp(`^${logoPath('([\\w-]{43})')}$`);
export const logoIdIn = (path: string): string | undefined => LOGO.exec(path)?.[1];

/** Logos and icons of domains. */
const DOMAIN_PICTURE = new RegExp(`^${domainPicturePath('([\\w-]{43})')}$`);
export const domainPictureIdIn = (path: string): string | undefined => DOMAIN_PICTURE.exec(path)?.[1];

const PREVIEWS = `${ROOT}/previews`;
const PREVIEW = /^\/openid\/previews\/([\w-]{43})(\/style\.css)?$/;
export const previewPath = (id: string): string => `${PREVIEWS}/${id}`;
/** The id of the preview at a path, and whether its style is asked for. */
export function previewIn(path: string): { readonly id: string; readonly isStyle: boolean } | undefined {
  const [, id, file] = PREVIEW.exec(path) ?? [];
  return id === undefined ? undefined : { id, isStyle: file !== undefined };
}

const READ = ['GET', 'HEAD'];
const PUBLIC = ['GET', 'HEAD', 'OPTIONS'];
const API = ['OPTIONS', 'POST'];
const PAGE = ['GET', 'HEAD', 'POST'];

/** OPTIONS where cross-origin requests are allowed. */
const METHODS: readonly (readonly [path: string | RegExp, methods: readonly string[]])[] = [
  [DISCOVERY, PUBLIC],
  [METADATA, PUBLIC],
  [`${ROOT}/jwks`, PUBLIC],
  [`${ROOT}/authorize`, PAGE],
  [/^\/openid\/authorize\/[^/]+$/, READ],
  [/^\/openid\/interaction\/[^/]+$/, PAGE],
  [/^\/openid\/providers\/[\w.~-]{1,64}\/callback$/, PAGE],
  [/^\/openid\/providers\/[\w.~-]{1,64}\/jwks$/, READ],
  [/^\/openid\/providers\/[\w.~-]{1,64}\/requests\/[\w-]{43}$/, READ],
  [/^\/openid\/providers\/[\w.~-]{1,64}\/login$/, PAGE],
  [/^\/openid\/providers\/[\w.~-]{1,64}\/logout$/, ['POST']],
  [/^\/openid\/wallet\/requests\/[\w-]{22}$/, PAGE],
  [/^\/openid\/wallet\/requests\/[\w-]{22}\/answer$/, ['POST']],
  [/^\/openid\/wallet\/answers\/[\w-]{43}$/, PAGE],
  [`${ROOT}/token`, API],
  [KEYROCK_TOKEN, API],
  [WEBSSO_ANY, [...PAGE, 'OPTIONS']],
  [WEBSSO_ONE, [...PAGE, 'OPTIONS']],
  [USER_INFORMATION, ['GET', 'HEAD', 'OPTIONS', 'POST']],
  [INTROSPECTION, API],
  [`${ROOT}/revoke`, API],
  [`${ROOT}/par`, API],
  [CHALLENGE, API],
  [`${ROOT}/backchannel`, API],
  [`${ROOT}/device`, PAGE],
  [`${ROOT}/device/authorize`, API],
  [/^\/openid\/device\/[^/]+$/, READ],
  [`${ROOT}/logout`, PAGE],
  [`${ROOT}/logout/confirm`, ['POST']],
  [`${ROOT}/logout/success`, READ],
  [ASSET, READ],
  [FAVICON, READ],
  [PICTURE, READ],
  [LOGO, READ],
  [DOMAIN_PICTURE, READ],
  [PREVIEW, READ],
  [CHANGE_PASSWORD, READ],
  [LANGUAGE_PATH, ['POST']],
  ...Object.values(ACCOUNT_PAGES).map((path) => [path, PAGE] as const),
  [CONSOLE_SESSION, ['POST', 'DELETE']],
  [/^\/console(?:\/.*)?$/, READ],
  [FORGOTTEN_PASSWORD_PAGE, PAGE],
  [NEW_PASSWORD_PAGE, PAGE],
  [REGISTER_PAGE, PAGE],
  [CONFIRM_EMAIL_PAGE, PAGE],
  [NEW_EMAIL_PAGE, PAGE],
  [INVITATION, PAGE],
];

/** Paths, and patterns of paths. */
export const KNOWN_PATHS: readonly string[] = METHODS.map(([path]) =>
  typeof path === 'string' ? path : path.source.replaceAll('\\/', '/'),
);

/** A segment `.` or `..`, also encoded. */
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Returns the methods of the path. Refuses an unknown path or method like all other routes. */
export function checkMethod(path: string, method: string): readonly string[] {
  // The library resolves them, and then finds itself at a path that it does not serve.
  if (DOTS.test(path)) fail('route.not_found');
  const found = METHODS.find(([known]) => (typeof known === 'string' ? known === path : known.test(path)));
  const [, methods] = found ?? fail('route.not_found');
  if (!methods.includes(method)) fail('route.method_not_allowed', undefined, { headers: { Allow: methods.join(', ') } });
  return methods;
}

/** The other APIs of the service, and its version document. */
const OTHER_APIS = /^\/(?:(?:v3|scim|\.well-known)(?:\/|$)|$)/;

/** Programs of other origins may ask the endpoints for programs, and no page. */
const isForPrograms = (path: string): boolean =>
  (OTHER_APIS.test(path) && !webssoIn(path)) || METHODS.some(([known, methods]) => known === path && methods.includes('OPTIONS'));

/**
 * Whether an error is answered by a page. Browsers name HTML when they open a page. Most programs do not (but Java's client does), and
 * neither do scripts (`fetch`). The APIs have their own formats even if a browser asks.
 */
export const wantsPage = (url: string, { accept }: IncomingHttpHeaders): boolean =>
  /\btext\/html\b/i.test(accept ?? '') && !isForPrograms(withoutSlash(url).split('?', 1)[0]!);

/** Whether a browser opens a page. At `/` programs get the versions of the API. What is sent to authorize is a browser, or acts as one. */
export const opensPage = (url: string, headers: IncomingHttpHeaders): boolean =>
  wantsPage(url, headers) ||
  /^\/openid\/authorize(?:\?|$)/.test(url) ||
  (/^\/(?:\?|$)/.test(url) && /\btext\/html\b/i.test(headers.accept ?? ''));

/** The library parses a repeated code as a list, and then fails. */
export function refuseRepeatedCode(url: string): void {
  const codes = new URLSearchParams(url.split('?', 2)[1]).getAll('user_code');
  if (codes.length > 1) fail('request.malformed_url', { why: 'user_code is given more than once' });
}

/** Whether it is a CORS preflight. The library answers no other OPTIONS. */
export const isPreflight = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** Removes a trailing slash, as on all routes. */
export const withoutSlash = (url: string): string => url.replace(/^([^?]*[^/?])\/(?=$|\?)/, '$1');
