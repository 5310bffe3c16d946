// Resource indicators (RFC 8707). Any resource is accepted, because a token for one is valid nowhere else; but the person must allow
// each of them, by its address.
import { SCOPES } from './accounts.ts';
import type { OidcGrant, OidcProviderLibrary } from './library.ts';

const TOKEN_SECONDS = 600;
const LONGEST_PATH = 60;
/** Marks in a grant that the person allowed the resource. Stored as a scope of the resource; tokens never contain it. */
const ALLOWED_SCOPE = 'gatehouse:named';

export function resourceServer(resource: string, { errors }: OidcProviderLibrary) {
  const url = URL.parse(resource);
  const secure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname));
  // Text before an @ could be mistaken for the host.
  if (url?.hash !== '' || !secure || url.username !== '' || url.password !== '') throw new errors.InvalidTarget();
  return {
    scope: SCOPES.filter((scope) => scope !== 'openid' && scope !== 'offline_access').join(' '),
    audience: resource,
    accessTokenFormat: 'jwt' as const,
    // It cannot be revoked, so it is short-lived.
    accessTokenTTL: TOKEN_SECONDS,
    jwt: { sign: { alg: 'ES256' as const } },
  };
}

const isAllowed = (grant: OidcGrant, resource: string): boolean =>
  grant.getResourceScope(resource).split(' ').includes(ALLOWED_SCOPE);

export const resourcesNotAllowed = (grant: OidcGrant, resources: readonly string[]): string[] =>
  resources.filter((resource) => !isAllowed(grant, resource));

export function allowResources(grant: OidcGrant, resources: readonly string[]): void {
  for (const resource of resources) grant.addResourceScope(resource, ALLOWED_SCOPE);
}

/** The resources of a request: none, one, or several. */
export const resourcesOf = (parameter: unknown): string[] =>
  [parameter].flat().filter((one): one is string => typeof one === 'string' && one !== '');

/** For display. Never shortens the host, which identifies the owner. */
export function shortenAddress(resource: string): string {
  const { origin, href } = new URL(resource);
  const path = href.slice(origin.length);
  if (path === '/') return origin;
  return path.length <= LONGEST_PATH ? origin + path : `${origin}${path.slice(0, LONGEST_PATH)}…`;
}
