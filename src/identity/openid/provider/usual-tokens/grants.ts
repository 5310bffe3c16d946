// The tokens of a usual request, as the library makes them: what is stored of them, and the answer.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Access } from '../../../access/context/index.ts';
import type { RecordPayload, Records, TokensToIssue } from '../../records/index.ts';
import { type Accounts, CLAIMS } from '../accounts.ts';
import { FEDERATED } from '../acr.ts';
import { hasAccount } from '../configuration/claims.ts';
import { ttlOf } from '../configuration/lifetimes.ts';
import { isCredentialScope } from '../credential-requests.ts';
import { grantedScopes, sessionOf } from '../token-grant.ts';
import type { Client } from './clients.ts';
import type { Parameters } from './request.ts';

export interface GrantDeps {
  readonly records: Records;
  readonly access: Access;
  readonly accounts: Pick<Accounts, 'hasLeft'>;
}

type Claims = Readonly<Record<string, unknown>>;

/** Tokens that may be issued. */
export interface Prepared {
  readonly tokens: TokensToIssue;
  readonly answer: Readonly<Record<string, unknown>>;
  /** Of the ID token, if there is one. */
  readonly claims?: Claims;
}

type Saved = TokensToIssue['saved'][number];

/** By the clock of the library, in seconds. */
export const epoch = (): number => Math.floor(Date.now() / 1000);
/** As many letters as the library has in its own, of the same kind. */
const newToken = (): string => randomBytes(32).toString('base64url');

/** What says how long it lasts is asked as the library asks it. */
function newRecord(
  deps: GrantDeps,
  client: Client,
  model: 'AccessToken' | 'ClientCredentials' | 'RefreshToken',
  about: RecordPayload,
): Saved {
  const lifetime = ttlOf(deps.records)[model]({} as never, about as never, client);
  const [id, now] = [newToken(), epoch()];
  return {
    model,
    id,
    lifetime,
    payload: { iat: now, exp: now + lifetime, ...about, kind: model, jti: id, clientId: client.clientId },
  };
}

/** For the application itself. */
export async function byClientCredentials(deps: GrantDeps, client: Client): Promise<Prepared> {
  const token = newRecord(deps, client, 'ClientCredentials', {});
  const answer = { access_token: token.id, expires_in: token.lifetime, token_type: 'Bearer' };
  return { tokens: { uses: undefined, saved: [token] }, answer };
}

/** What codes and refresh tokens usually say. Others are bound to a key, for a resource, or for claims that were asked for one by one. */
const SOURCE = [
  ...['iat', 'exp', 'jti', 'kind', 'clientId', 'accountId', 'grantId', 'scope', 'expiresWithSession', 'sessionUid', 'sid'],
  ...['nonce', 'acr', 'amr', 'authTime'],
];
const USUAL: Readonly<Record<'AuthorizationCode' | 'RefreshToken', ReadonlySet<string>>> = {
  AuthorizationCode: new Set([...SOURCE, 'redirectUri', 'codeChallenge', 'codeChallengeMethod']),
  RefreshToken: new Set([...SOURCE, 'gty', 'rotations', 'iiat']),
};
export type Source = keyof typeof USUAL;

interface Authorized {
  readonly payload: RecordPayload & { readonly accountId: string; readonly grantId: string; readonly scope: string };
  /** Those that the person still allows. */
  readonly scopes: readonly string[];
}

const isAlive = ({ exp }: RecordPayload): boolean => typeof exp === 'number' && exp > epoch();

/** What was found under the code or the refresh token, if it is good for this application, and nothing about it is unusual. */
async function authorized(
  deps: GrantDeps,
  model: Source,
  client: Client,
  payload: RecordPayload | undefined,
): Promise<Authorized | undefined> {
  if (!payload || payload.kind !== model || payload.clientId !== client.clientId || !isAlive(payload)) return undefined;
  // One that was used has one more, and the library has to end what it gave.
  if (Object.keys(payload).some((name) => !USUAL[model].has(name))) return undefined;
  const { accountId, grantId, scope } = payload;
  if (accountId === undefined || grantId === undefined || typeof scope !== 'string') return undefined;
  if (scope.split(' ').some(isCredentialScope)) return undefined;
  const grant = await deps.records.find('Grant', grantId);
  if (!grant || !isAlive(grant)) return undefined;
  const scopes = grantedScopes(payload, grant);
  if (!scopes.includes('openid') || !(await sessionOf(deps.records, payload))) return undefined;
  if (!(await hasAccount(deps, accountId))) return undefined;
  return { payload: payload as Authorized['payload'], scopes };
}

/** The code is bound to the one who asked for it, if they said so (PKCE, RFC 7636). */
function isProved({ codeChallenge, codeChallengeMethod }: RecordPayload, verifier: string | undefined): boolean {
  if (codeChallenge === undefined && verifier === undefined) return true;
  if (typeof codeChallenge !== 'string' || codeChallengeMethod !== 'S256' || !/^[\w.~-]{43,128}$/.test(verifier ?? ''))
    return false;
  const [expected, actual] = [Buffer.from(codeChallenge), Buffer.from(hash('sha256', verifier!, 'base64url'))];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The application goes on without the person, or asks for them again later. */
const isForLater = (client: Client, scope: string): boolean =>
  client.grantTypeAllowed('refresh_token') && scope.split(' ').some((one) => ['offline_access', 'all_info'].includes(one));

function withIdToken(
  client: Client,
  { payload, scopes }: Authorized,
  uses: TokensToIssue['uses'],
  token: Saved,
  refreshToken: Saved | undefined,
): Prepared {
  const { accountId, acr, amr, nonce, sid } = payload;
  // What the ID token says of a sign-in, whatever else is allowed, is that of the scope openid.
  const known: Claims = { sub: accountId, acr, amr };
  const said = Object.fromEntries(CLAIMS.openid.map((name) => [name, known[name]]));
  return {
    tokens: { uses, saved: refreshToken ? [token, refreshToken] : [token] },
    claims: { ...said, nonce, sid, aud: client.clientId },
    answer: {
      access_token: token.id,
      expires_in: token.lifetime,
      id_token: undefined,
      refresh_token: refreshToken?.id,
      scope: scopes.join(' '),
      token_type: 'Bearer',
    },
  };
}

/** What an access token says of the authorization that it is from. */
function ofAuthorization({ payload, scopes }: Authorized, gty: string): RecordPayload {
  const { accountId, expiresWithSession, grantId, sessionUid, sid } = payload;
  return { accountId, expiresWithSession, grantId, gty, sessionUid, sid, scope: scopes.join(' ') } as RecordPayload;
}

export async function byCode(
  deps: GrantDeps,
  client: Client,
  { redirect_uri: uri, code_verifier: verifier }: Parameters,
  found: RecordPayload | undefined,
): Promise<Prepared | undefined> {
  if (!found || uri === undefined || found.redirectUri !== uri || !isProved(found, verifier)) return undefined;
  const source = await authorized(deps, 'AuthorizationCode', client, found);
  if (!source) return undefined;
  const gty = 'authorization_code';
  const { redirectUri: _, codeChallenge: __, codeChallengeMethod: ___, iat: ____, exp: _____, ...kept } = source.payload;
  const token = newRecord(deps, client, 'AccessToken', ofAuthorization(source, gty));
  const more = { ...kept, gty, rotations: 0, iiat: epoch() } as RecordPayload;
  const refreshToken = isForLater(client, source.payload.scope) ? newRecord(deps, client, 'RefreshToken', more) : undefined;
  const uses = { model: 'AuthorizationCode', id: String(found.jti) };
  return withIdToken(client, source, uses, token, refreshToken);
}

export async function byRefreshToken(
  deps: GrantDeps,
  client: Client,
  found: RecordPayload | undefined,
): Promise<Prepared | undefined> {
  const { accountId, amr, gty: before } = found ?? {};
  // The provider through which the session began, and the directory of the person, are asked by the library.
  if (accountId === undefined || typeof before !== 'string' || (Array.isArray(amr) && amr.includes(FEDERATED))) return undefined;
  const source = await authorized(deps, 'RefreshToken', client, found);
  if (!source || (await deps.accounts.hasLeft(accountId))) return undefined;
  const { iat: _, exp: __, ...kept } = source.payload;
  const gty = before.endsWith('refresh_token') ? before : `${before} refresh_token`;
  const rotations = typeof kept.rotations === 'number' ? kept.rotations + 1 : 1;
  const refreshToken = newRecord(deps, client, 'RefreshToken', { ...kept, gty, rotations });
  const token = newRecord(deps, client, 'AccessToken', ofAuthorization(source, gty));
  return withIdToken(client, source, { model: 'RefreshToken', id: String(found!.jti) }, token, refreshToken);
}
