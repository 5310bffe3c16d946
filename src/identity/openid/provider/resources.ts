// Resource indicators (RFC 8707): access tokens for registered APIs (applications/apis). The person must allow each API, and each of its scopes.
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Api, Apis } from '../../applications/apis/index.ts';
import { isDocumentAddress, isUnregistered } from '../first-party-clients/index.ts';
import { SCOPES } from './accounts.ts';
import { ATTESTED } from './attested-wallets.ts';
import { asksForCredentials, isCredentialScope } from './credential-requests.ts';
import type { OidcGrant, OidcProviderLibrary } from './library.ts';

type OidcContext = KoaContextWithOIDC['oidc'];

export interface ApiRequestDeps {
  readonly issuer: string;
  readonly apis: Apis;
  isFirstParty(clientId: string): boolean;
}

/** Of a JWT: it cannot be revoked, so it is short-lived. */
const JWT_SECONDS = 600;
const LONGEST_PATH = 60;
/** Marks in a grant that the person allowed the resource. Stored as a scope of the resource; tokens never contain it. */
const ALLOWED_ISSUER = 'gatehouse:named';
const ALLOWED_API = 'gatehouse:api:';

/** The APIs that a request has read, by resource and by audience: what was checked is what the token is for. */
const apisRead = new WeakMap<OidcContext, Map<string, Api>>();

export const apiOf = (oidc: OidcContext, resource: string): Api | undefined => apisRead.get(oidc)?.get(resource);

export function rememberApi(oidc: OidcContext, resource: string, api: Api): void {
  const all = apisRead.get(oidc) ?? new Map<string, Api>();
  apisRead.set(oidc, all.set(resource, api).set(api.identifier, api));
}

/** Another one when something was taken away from the API: then people are asked again. */
export const markOf = (api: Api | undefined): string => (api ? `${ALLOWED_API}${api.version}` : ALLOWED_ISSUER);

const isAllowed = (grant: OidcGrant, resource: string, mark: string): boolean =>
  grant.getResourceScope(resource).split(' ').includes(mark);

const isNoApplication = (clientId: string): boolean => isUnregistered(clientId) && !isDocumentAddress(clientId);

/** Whether the application may ask for tokens for it. Wallets and our own pages are no applications. */
export const mayAskFor = ({ applications }: Api, clientId: string): boolean =>
  !isNoApplication(clientId) && (applications?.includes(clientId) ?? true);

/** Undefined: the application itself. Null: nobody is signed in yet. */
function personOf({ route, entities, session }: OidcContext): string | null | undefined {
  if (route === 'token') return (entities.Account as { accountId?: string } | undefined)?.accountId;
  return session?.accountId ?? null;
}

/** What a person allowed before may have been another API, or one with more scopes. */
const isConsentOver = ({ isFirstParty }: ApiRequestDeps, { route, entities, client }: OidcContext, resource: string, api: Api) =>
  route === 'token' &&
  entities.Grant !== undefined &&
  !isFirstParty(client!.clientId) &&
  !isAllowed(entities.Grant, resource, markOf(api));

/** What the library has to know of an API. */
export function apiServerOf(api: Api, scopes: readonly string[]) {
  const life = api.tokenLifetime ?? (api.tokenFormat === 'jwt' ? JWT_SECONDS : undefined);
  return {
    scope: scopes.join(' '),
    audience: api.identifier,
    accessTokenFormat: api.tokenFormat,
    ...(life === undefined ? {} : { accessTokenTTL: life }),
    jwt: { sign: { alg: 'ES256' as const } },
  };
}

/** The API of a `resource`, as the library asks for it with every request that names it. */
export async function apiServer(
  { errors }: OidcProviderLibrary,
  deps: ApiRequestDeps,
  { oidc }: KoaContextWithOIDC,
  resource: string,
) {
  const { clientId, clientAuthMethod } = oidc.client!;
  const api = await deps.apis.find(resource);
  // The same for both: what exists is not for applications that may not ask.
  if (!api || clientAuthMethod === ATTESTED || !mayAskFor(api, clientId))
    throw new errors.InvalidTarget('the resource is not known, or the application may not ask for it');
  if (isConsentOver(deps, oidc, resource, api)) throw new errors.InvalidTarget('the person has not allowed the resource');
  rememberApi(oidc, resource, api);
  const scopes = await deps.apis.scopesFor(api, personOf(oidc));
  return apiServerOf(
    api,
    scopes.map(({ name }) => name),
  );
}

/**
 * Before a refresh token is used up: an application that asks for an API which it may not have any more would lose what it has of others, because the
 * library refuses it afterwards.
 */
export async function checkRefreshedApi(
  library: OidcProviderLibrary,
  deps: ApiRequestDeps,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const { params, entities } = ctx.oidc;
  const granted = resourcesOf((entities.RefreshToken as { resource?: unknown } | undefined)?.resource);
  const asked = resourcesOf(params?.resource);
  const resources = asked.length > 0 ? asked : granted;
  const [resource] = resources;
  if (resource === undefined || resource === deps.issuer) return;
  if (resources.length > 1 || !granted.includes(resource)) throw new library.errors.InvalidTarget();
  await apiServer(library, deps, ctx, resource);
}

const isOfService = (scope: string): boolean => SCOPES.includes(scope) || isCredentialScope(scope);

/** The API that has the scopes which the service does not have; several cannot be told apart. */
async function apiOfScopes(
  { errors }: OidcProviderLibrary,
  { apis }: ApiRequestDeps,
  clientId: string,
  scopes: readonly string[],
) {
  if (scopes.length === 0 || isNoApplication(clientId)) return undefined;
  const found = await apis.withScopes(scopes, clientId);
  if (found.length > 1) throw new errors.InvalidTarget('several APIs have these scopes: name one by resource');
  return found[0];
}

/** The resource of a request that names none. Requests for credentials are for their issuer, others for the API whose scopes they name. */
export async function defaultResource(
  library: OidcProviderLibrary,
  deps: ApiRequestDeps,
  { oidc }: KoaContextWithOIDC,
  granted: readonly string[] | undefined,
): Promise<string | readonly string[]> {
  const { grant_type: grantType, scope } = (oidc.params ?? {}) as { grant_type?: string; scope?: string };
  if (asksForCredentials(oidc.params)) return deps.issuer;
  if (granted !== undefined) return granted;
  const others = (scope ?? '').split(' ').filter((one) => one !== '' && !isOfService(one));
  const api = await apiOfScopes(library, deps, oidc.client!.clientId, others);
  const unknown = others.find((one) => !api?.scopes.some(({ name }) => name === one));
  if (grantType === 'client_credentials' && unknown !== undefined)
    throw new library.errors.InvalidScope('requested scope is not known', unknown);
  return api?.identifier ?? [];
}

/** Resources that the person has not allowed, with the marks that say that they do. */
export const resourcesNotAllowed = (oidc: OidcContext, grant: OidcGrant): Record<string, string> =>
  Object.fromEntries(
    Object.keys(oidc.resourceServers ?? {})
      .map((resource) => [resource, markOf(apiOf(oidc, resource))] as const)
      .filter(([resource, mark]) => !isAllowed(grant, resource, mark)),
  );

export function allowResources(grant: OidcGrant, marks: Readonly<Record<string, string>>): void {
  for (const [resource, mark] of Object.entries(marks)) grant.addResourceScope(resource, mark);
}

/** For an application whose people are not asked. Whether its grant says more than before. */
export function allowApis(oidc: OidcContext, grant: OidcGrant, isCovered: (api: Api) => boolean): boolean {
  let isMore = false;
  for (const [resource, { scopes }] of Object.entries(oidc.resourceServers ?? {})) {
    const api = apiOf(oidc, resource);
    if (!api || !isCovered(api)) continue;
    const allowed = grant.getResourceScope(resource).split(' ');
    const wanted = [markOf(api), ...[...oidc.requestParamScopes].filter((scope) => scopes.has(scope))];
    const missing = wanted.filter((scope) => !allowed.includes(scope));
    if (missing.length === 0) continue;
    grant.addResourceScope(resource, missing.join(' '));
    isMore = true;
  }
  return isMore;
}

/** The resources of a request: none, one, or several. */
export const resourcesOf = (parameter: unknown): string[] =>
  [parameter].flat().filter((one): one is string => typeof one === 'string' && one !== '');

/** For display. Never shortens the host, which identifies the owner. */
export function shortenAddress(resource: string): string {
  const { origin, href } = new URL(resource);
  // A urn has no origin.
  if (origin === 'null') return href.length <= LONGEST_PATH ? href : `${href.slice(0, LONGEST_PATH)}…`;
  const path = href.slice(origin.length);
  if (path === '/') return origin;
  return path.length <= LONGEST_PATH ? origin + path : `${origin}${path.slice(0, LONGEST_PATH)}…`;
}
