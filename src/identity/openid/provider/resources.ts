// Resources (RFC 8707): what an application wants to use in a person's name. A token for one is good nowhere else, so any will
// do; but a person allows each of them, by its address.
import type { Provider } from 'oidc-provider';
import { SCOPES } from './accounts.ts';

type Library = typeof import('oidc-provider');
type Grant = InstanceType<Provider['Grant']>;

const TOKEN_SECONDS = 600;
const LONGEST_PATH = 60;
/** Kept with a grant, as a scope of the resource that no token ever has: the person saw its address. */
const NAMED = 'gatehouse:named';

export function resourceServer(resource: string, { errors }: Library) {
  const url = URL.parse(resource);
  const secure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname));
  // What stands before an @ looks like a host.
  if (url?.hash !== '' || !secure || url.username !== '' || url.password !== '') throw new errors.InvalidTarget();
  return {
    scope: SCOPES.filter((scope) => scope !== 'openid' && scope !== 'offline_access').join(' '),
    audience: resource,
    accessTokenFormat: 'jwt' as const,
    // It cannot be taken back, so it does not last.
    accessTokenTTL: TOKEN_SECONDS,
    jwt: { sign: { alg: 'ES256' as const } },
  };
}

const isAllowed = (grant: Grant, resource: string): boolean => grant.getResourceScope(resource).split(' ').includes(NAMED);

export const notAllowed = (grant: Grant, resources: readonly string[]): string[] =>
  resources.filter((resource) => !isAllowed(grant, resource));

export function allow(grant: Grant, resources: readonly string[]): void {
  for (const resource of resources) grant.addResourceScope(resource, NAMED);
}

/** Those of a request: none, one, or several. */
export const resourcesOf = (parameter: unknown): string[] =>
  [parameter].flat().filter((one): one is string => typeof one === 'string' && one !== '');

/** For people: the host always whole, since it says whose it is. */
export function shownAddress(resource: string): string {
  const { origin, href } = new URL(resource);
  const path = href.slice(origin.length);
  if (path === '/') return origin;
  return path.length <= LONGEST_PATH ? origin + path : `${origin}${path.slice(0, LONGEST_PATH)}…`;
}
