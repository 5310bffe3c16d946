// POST /openid/introspect (RFC 7662). Our own implementation: proxies call it often, and that of the library is ten times slower.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { AttemptOrigin, Gate } from '../../../platform/limits/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { appTagOf } from '../../applications/app-roles/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AccessTokens, VerifiedAccessToken } from './access-tokens.ts';
import type { ApiTokens } from './api-tokens.ts';

/** A client that is authenticated. */
interface AuthenticatedClient {
  readonly id: string;
  readonly isPublic: boolean;
  /** Time in seconds when its secret ends; undefined for the current secret. */
  readonly until?: number;
}

export interface ClientCredentials {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
}

/** HTTP Basic, where both parts are form-encoded (RFC 6749, 2.3.1). */
export function credentialsFromHeader(authorization: string): ClientCredentials | undefined {
  const basic = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  const text = Buffer.from(basic ?? '', 'base64').toString();
  const at = text.indexOf(':');
  try {
    const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
    return at < 0 ? undefined : { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
  } catch {
    return undefined;
  }
}

function credentialsFromBody({
  client_id: id,
  client_secret: secret,
}: Readonly<Record<string, unknown>>): ClientCredentials | undefined {
  return typeof id === 'string' ? { id, secret: typeof secret === 'string' ? secret : undefined } : undefined;
}

const isBasic = (authorization: string): boolean => /^Basic\b/i.test(authorization);

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const JSON_INACTIVE = '{"active":false}';

export function createIntrospection(deps: {
  db: Database;
  clock: Clock;
  consumers: Consumers;
  accessTokens: AccessTokens;
  apiTokens: ApiTokens;
  gate: Gate;
  issuer(): string;
}) {
  const { db, consumers, accessTokens, apiTokens, gate } = deps;
  /** Keyed by the Basic header: parsing and checking it again costs as much as the rest. */
  const clients = db.cached<AuthenticatedClient>({
    name: 'introspection_clients',
    limit: 1000,
    tags: ({ id }) => [appTagOf.application(id), tagOf.everything],
    expiry: { clock: deps.clock, at: ({ until }) => (until ?? Number.POSITIVE_INFINITY) * 1000 },
  });
  const replyCache = new WeakMap<VerifiedAccessToken, string>();

  async function read(credentials: ClientCredentials | undefined): Promise<AuthenticatedClient | undefined> {
    const consumer = credentials && (await consumers.findWithSecret(credentials.id));
    if (!consumer) return undefined;
    const { secret } = credentials;
    const isPublic = consumer.client_type === 'public';
    const { id, plainSecret, plainPreviousSecret: previous, previous_secret_until: until } = consumer;
    if (isPublic || secret === undefined) return isPublic && secret === undefined ? { id, isPublic } : undefined;
    const [isCurrent, isPrevious] = [isSame(secret, plainSecret), previous !== undefined && isSame(secret, previous)];
    if (isCurrent) return { id, isPublic };
    return isPrevious && until !== null ? { id, isPublic, until } : undefined;
  }

  /** Counts a wrong secret for every caller, also when concurrent callers share one check. */
  async function countGuess(
    attempt: AttemptOrigin,
    credentials: ClientCredentials | undefined,
    check: () => Promise<AuthenticatedClient | undefined>,
  ): Promise<AuthenticatedClient | undefined> {
    const owner = credentials && `application ${credentials.id}`;
    gate.checkSecret(attempt, owner);
    const client = await check();
    if (!client) gate.wrongSecret(attempt, owner);
    return client;
  }

  async function clientOf(
    attempt: AttemptOrigin,
    authorization: string | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<AuthenticatedClient | undefined> {
    // A header of another scheme does not authenticate, and must not be a cache key.
    if (authorization === undefined || !isBasic(authorization)) {
      const credentials = credentialsFromBody(body);
      return countGuess(attempt, credentials, () => read(credentials));
    }
    const cached = clients.get(authorization);
    if (cached) return cached;
    const credentials = credentialsFromHeader(authorization);
    return countGuess(attempt, credentials, () => clients.load(authorization, () => read(credentials)));
  }

  /** A refresh token is only active for the application it was issued to. */
  async function introspectRefreshToken(token: string, client: AuthenticatedClient): Promise<string> {
    const found = await accessTokens.verifyRefresh(token);
    return found?.clientId === client.id ? renderToken(found) : JSON_INACTIVE;
  }

  /** `type`: how the token is presented to a resource server. A refresh token has none. */
  function renderToken(token: VerifiedAccessToken, type?: 'Bearer' | 'DPoP'): string {
    const text = JSON.stringify({
      active: true,
      client_id: token.clientId,
      ...(token.scope === '' ? {} : { scope: token.scope }),
      ...(token.user ? { sub: token.user.id } : {}),
      ...(token.username === undefined ? {} : { username: token.username }),
      iss: deps.issuer(),
      iat: token.issuedAt,
      exp: token.expiresAt,
      ...(type === undefined ? {} : { token_type: type }),
      ...(token.thumbprint === undefined ? {} : { cnf: { jkt: token.thumbprint } }),
    });
    replyCache.set(token, text);
    return text;
  }

  /** A token for an API is active for the application of that API only. A public one could be anybody. */
  async function introspectApiToken(token: string, client: AuthenticatedClient): Promise<string | undefined> {
    const found = client.isPublic ? undefined : await apiTokens.verify(token);
    if (found?.api.applicationId !== client.id) return undefined;
    const { clientId, userId, scopes, issuedAt, expiresAt, confirmation, actor } = found;
    return JSON.stringify({
      active: true,
      client_id: clientId,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      sub: userId ?? clientId,
      aud: found.api.identifier,
      iss: deps.issuer(),
      iat: issuedAt,
      exp: expiresAt,
      token_type: confirmation?.jkt === undefined ? 'Bearer' : 'DPoP',
      ...(confirmation === undefined ? {} : { cnf: confirmation }),
      ...(actor === undefined ? {} : { act: actor }),
    });
  }

  /** Returns the reply as JSON. */
  return async (
    attempt: AttemptOrigin,
    token: string,
    authorization: string | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<string> => {
    const client = await clientOf(attempt, authorization, body);
    if (!client) fail('oauth.invalid_client', undefined, { headers: { 'WWW-Authenticate': 'Basic realm="openid"' } });
    const found = await accessTokens.verify(token);
    // Public clients are not authenticated: they can only introspect their own tokens.
    if (!found) return (await introspectApiToken(token, client)) ?? introspectRefreshToken(token, client);
    if (client.isPublic && found.clientId !== client.id) return JSON_INACTIVE;
    return replyCache.get(found) ?? renderToken(found, found.thumbprint === undefined ? 'Bearer' : 'DPoP');
  };
}

export type Introspect = ReturnType<typeof createIntrospection>;
