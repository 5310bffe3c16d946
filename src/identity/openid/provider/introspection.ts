// POST /openid/introspect (RFC 7662), our own: the library's costs ten times what the answer is worth, and proxies ask all day.
import { timingSafeEqual } from 'node:crypto';
import type { AttemptOrigin, Gate } from '../../../platform/limits/index.ts';
import { tagOf } from '../../access/index.ts';
import { appTagOf } from '../../app-roles/index.ts';
import type { Consumers } from '../../consumers/index.ts';
import type { Database } from '../../database.ts';
import { fail } from '../../faults.ts';
import type { AccessTokens, GoodToken } from './access-tokens.ts';

/** A client that proved who it is. */
interface Client {
  readonly id: string;
  readonly isPublic: boolean;
}

export interface Credentials {
  readonly id: string;
  /** Undefined for a public client, which has none. */
  readonly secret: string | undefined;
}

/** HTTP Basic, where both parts are form-encoded (RFC 6749, 2.3.1). */
export function fromHeader(authorization: string): Credentials | undefined {
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

function fromBody({ client_id: id, client_secret: secret }: Readonly<Record<string, unknown>>): Credentials | undefined {
  return typeof id === 'string' ? { id, secret: typeof secret === 'string' ? secret : undefined } : undefined;
}

const isBasic = (authorization: string): boolean => /^Basic\b/i.test(authorization);

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const JSON_INACTIVE = '{"active":false}';

export function createIntrospection(deps: {
  db: Database;
  consumers: Consumers;
  accessTokens: AccessTokens;
  gate: Gate;
  issuer(): string;
}) {
  const { db, consumers, accessTokens, gate } = deps;
  /** By the Basic header, which is all that was checked of them: reading it anew costs as much as everything else here. */
  const clients = db.cached<Client>({
    name: 'introspection_clients',
    limit: 1000,
    tags: ({ id }) => [appTagOf.application(id), tagOf.everything],
  });
  const texts = new WeakMap<GoodToken, string>();

  async function read(credentials: Credentials | undefined): Promise<Client | undefined> {
    const consumer = credentials && (await consumers.findWithSecret(credentials.id));
    if (!consumer) return undefined;
    const { secret } = credentials;
    const isPublic = consumer.client_type === 'public';
    const good = isPublic ? secret === undefined : secret !== undefined && isSame(secret, consumer.plainSecret);
    return good ? { id: consumer.id, isPublic } : undefined;
  }

  /** A guess at its secret, which counts like any other: for everybody who makes it, whoever reads. */
  async function guess(
    by: AttemptOrigin,
    credentials: Credentials | undefined,
    check: () => Promise<Client | undefined>,
  ): Promise<Client | undefined> {
    const owner = credentials && `application ${credentials.id}`;
    gate.checkSecret(by, owner);
    const client = await check();
    if (!client) gate.wrongSecret(by, owner);
    return client;
  }

  async function clientOf(
    by: AttemptOrigin,
    authorization: string | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Client | undefined> {
    // A header of another scheme proves nothing, and nothing is cached by it.
    if (authorization === undefined || !isBasic(authorization)) {
      const credentials = fromBody(body);
      return guess(by, credentials, () => read(credentials));
    }
    const cached = clients.get(authorization);
    if (cached) return cached;
    const credentials = fromHeader(authorization);
    return guess(by, credentials, () => clients.load(authorization, () => read(credentials)));
  }

  /** For the application it was given to: to all others it says nothing. */
  async function refreshToken(token: string, client: Client): Promise<string> {
    const found = await accessTokens.verifyRefresh(token);
    return found?.clientId === client.id ? describe(found) : JSON_INACTIVE;
  }

  /** `type`: how it is shown to who guards something; a refresh token is not. */
  function describe(token: GoodToken, type?: 'Bearer' | 'DPoP'): string {
    const text = JSON.stringify({
      active: true,
      client_id: token.clientId,
      ...(token.scope === '' ? {} : { scope: token.scope }),
      ...(token.user ? { sub: token.user.id, username: token.user.name } : {}),
      iss: deps.issuer(),
      iat: token.issuedAt,
      exp: token.expiresAt,
      ...(type === undefined ? {} : { token_type: type }),
      ...(token.thumbprint === undefined ? {} : { cnf: { jkt: token.thumbprint } }),
    });
    texts.set(token, text);
    return text;
  }

  /** The answer, as JSON. */
  return async (
    by: AttemptOrigin,
    token: string,
    authorization: string | undefined,
    body: Readonly<Record<string, unknown>>,
  ): Promise<string> => {
    const client = await clientOf(by, authorization, body);
    if (!client) fail('oauth.invalid_client', undefined, { headers: { 'WWW-Authenticate': 'Basic realm="openid"' } });
    const found = await accessTokens.verify(token);
    // Public clients cannot prove who they are: they are told of their own tokens only.
    if (!found) return refreshToken(token, client);
    if (client.isPublic && found.clientId !== client.id) return JSON_INACTIVE;
    return texts.get(found) ?? describe(found, found.thumbprint === undefined ? 'Bearer' : 'DPoP');
  };
}

export type Introspect = ReturnType<typeof createIntrospection>;
