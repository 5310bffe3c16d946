// GET /openid/userinfo as nearly all applications send it: answered as the library would, from memory. What is unusual in a request, a token, its
// grant or its application, and every refusal, is left to the library; user-information.security.test.ts sends both the same requests.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import { type MemoryAnswer, type MemoryPath, outageOf } from '../../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { type Access, tagOf } from '../../access/context/index.ts';
import { appTagOf, type UserPermissionsReader } from '../../applications/app-roles/index.ts';
import { findConsumer, isStrangers } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { LIBRARY_HEADERS } from '../../ground/look/index.ts';
import { ROOT, USER_INFORMATION } from '../paths/index.ts';
import { type RecordPayload, type Records, tagOfGrant, tagOfRecord } from '../records/index.ts';
import { isOfNow } from './access-tokens.ts';
import { type Accounts, CLAIMS, tellsRoles } from './accounts.ts';
import { grantedScopes, sessionOf } from './token-grant.ts';
import { readTokenUser } from './token-user.ts';

/** About a kilobyte each. */
const LIMIT = 20_000;
const MODEL = 'AccessToken';
/** As the library makes them. Others are JWTs, or somebody's guesses. */
const TOKEN = /^Bearer ([\w-]{1,255})$/i;

interface UserInformation {
  readonly text: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** In seconds. Then it must be read again. */
  readonly validUntil: number;
  readonly tags: readonly string[];
}

export interface UserInformationDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly records: Records;
  readonly access: Access;
  readonly accounts: Accounts;
  readonly userPermissions: UserPermissionsReader;
  readonly walletProviders: Pick<WalletProviders, 'isKnown'>;
}

/** Neither bound to a key or a certificate, nor for another resource, nor for claims that were asked for one by one. */
const isUsualToken = ({ jkt, 'x5t#S256': certificate, aud, claims }: RecordPayload): boolean =>
  [jkt, certificate, aud, claims].every((one) => one === undefined);

const claimsOf = (scopes: readonly string[]): Set<string> =>
  new Set(scopes.flatMap((scope) => (CLAIMS as Readonly<Record<string, readonly string[]>>)[scope] ?? []));

export function createUserInformation(deps: UserInformationDeps): MemoryPath {
  const { db, clock, records, accounts, userPermissions, walletProviders } = deps;
  const cache = db.cached<UserInformation>({
    name: 'user_information',
    limit: LIMIT,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => validUntil * 1000 },
  });

  async function load(token: string): Promise<UserInformation | undefined> {
    const found = await records.findTokenWithGrant(MODEL, token);
    if (!found || !isUsualToken(found.token.payload)) return undefined;
    const { payload } = found.token;
    const { clientId = '', accountId = '', grantId = '', exp = 0, iat } = payload;
    const scopes = grantedScopes(payload, found.grant);
    const consumer = await findConsumer(db.read, clientId);
    if (!scopes.includes('openid') || !consumer || isStrangers(consumer)) return undefined;
    const [session, person] = [await sessionOf(records, payload), await readTokenUser(deps, found.token)];
    if (!session || !person) return undefined;
    const asked = new Set(scopes);
    const permissions = tellsRoles(asked) ? await userPermissions.of(accountId, clientId) : undefined;
    const known: Readonly<Record<string, unknown>> = { ...(await accounts.claims(person.user, clientId, asked)), sub: accountId };
    const ends = [exp, session.until, found.grant.exp, person.authContext.validUntil, permissions?.validUntil];
    return {
      text: JSON.stringify(Object.fromEntries([...claimsOf(scopes)].map((name) => [name, known[name]]))),
      issuedAt: Number(iat),
      expiresAt: exp,
      validUntil: Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY)),
      tags: [
        tagOf.everything,
        appTagOf.application(clientId),
        tagOfRecord(MODEL, token),
        tagOfRecord('Grant', grantId),
        tagOfGrant(grantId),
        ...session.tags,
        ...person.authContext.tags,
        ...(permissions?.tags ?? []),
      ],
    };
  }

  const headers = (): Record<string, string> => ({
    ...LIBRARY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    Vary: 'Origin',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': walletProviders.isKnown ? 'DPoP-Nonce,WWW-Authenticate' : 'WWW-Authenticate',
  });

  /** As the library's answer, if that is not a page. */
  function answerOutage(error: unknown, { headers: { accept } }: IncomingMessage): MemoryAnswer | undefined {
    const outage = outageOf(error);
    if (!outage) throw error;
    if (accept?.includes('html')) return undefined;
    const text = JSON.stringify({ error: 'temporarily_unavailable', error_description: outage.message });
    return { status: outage.status, headers: { ...headers(), ...outage.headers }, text };
  }

  function answer(request: IncomingMessage): MaybePromise<MemoryAnswer | undefined> {
    const { authorization, origin, dpop } = request.headers;
    const token = TOKEN.exec(authorization ?? '')?.[1];
    // The library asks the application which origins may read the answer.
    if (token === undefined || origin !== undefined || dpop !== undefined) return undefined;
    const found = andThen(
      cache.getOrLoad(token, () => load(token)),
      (one): MemoryAnswer | undefined =>
        one && isOfNow(one, clock.now() / 1000) ? { status: 200, headers: headers(), text: one.text } : undefined,
    );
    return found instanceof Promise ? found.catch((error: unknown) => answerOutage(error, request)) : found;
  }

  return { path: USER_INFORMATION, mount: `${ROOT}/*`, answer };
}
