// Whether an access token is good, and what it stands for: what proxies ask with every request of theirs, answered from memory.
import type { Clock } from '../../../platform/clock.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { type Access, tagOf } from '../../access/index.ts';
import { appTagOf, type UserPermissionsReader } from '../../app-roles/index.ts';
import { findConsumer } from '../../consumers/index.ts';
import type { Database } from '../../database.ts';
import type { UserWithExpiry } from '../../users/index.ts';
import type { Accounts } from './accounts.ts';
import type { Found } from './records/find.ts';
import { type Payload, tagOfGrant, tagOfRecord, tagOfSession } from './records/record.ts';
import type { Records } from './records/records.ts';

/** About two kilobytes each. */
const LIMIT = 20_000;

export interface GoodToken {
  readonly clientId: string;
  readonly scope: string;
  /** Undefined for a token an application has for itself. */
  readonly user: UserWithExpiry | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Of a key it is bound to (RFC 9449). */
  readonly thumbprint: string | undefined;
  /** What Keyrock's back-end told of the user, as JSON. */
  readonly information: string;
}

interface CachedToken extends GoodToken {
  /** Seconds; then it has to be looked at again. */
  readonly validUntil: number;
  readonly tags: readonly string[];
}

export interface AccessTokens {
  verify(token: string): MaybePromise<GoodToken | undefined>;
  /** A refresh token that was not used yet. Asked rarely, so it is not cached. */
  verifyRefresh(token: string): Promise<GoodToken | undefined>;
}

export function createAccessTokens(deps: {
  db: Database;
  clock: Clock;
  records: Records;
  access: Access;
  accounts: Accounts;
  userPermissions: UserPermissionsReader;
}): AccessTokens {
  const { db, clock, records, access, accounts, userPermissions } = deps;
  const cache = db.cached<CachedToken>({
    name: 'access_tokens',
    limit: LIMIT,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => validUntil * 1000 },
  });

  /** A token that was not given for longer than the session ends with it. */
  async function sessionEnd(payload: Payload): Promise<number | undefined> {
    if (payload.expiresWithSession !== true) return Number.POSITIVE_INFINITY;
    const session = await records.findByUid(String(payload.sessionUid));
    return session?.accountId === payload.accountId ? session?.exp : undefined;
  }

  /** As they were when the token was found to be good: whoever makes something of it binds that to this state. */
  async function readUser({
    payload,
    generation,
  }: Found): Promise<{ user: UserWithExpiry; tags: readonly string[] } | undefined> {
    const { accountId = '', clientId = '' } = payload;
    const authContext = await access.read(accountId, { kind: 'unscoped' });
    const user = authContext?.generation === generation ? await accounts.find(accountId) : undefined;
    if (!authContext || user?.epoch !== authContext.userEpoch) return undefined;
    const held = await userPermissions.of(accountId, clientId);
    return { user, tags: [...authContext.tags, ...(held?.tags ?? [])] };
  }

  async function read(token: string): Promise<CachedToken | undefined> {
    return readOf((await records.look('AccessToken', token)) ?? (await records.look('ClientCredentials', token)), token);
  }

  async function readOf(record: Found | undefined, token: string): Promise<CachedToken | undefined> {
    const { clientId, exp, iat, grantId, accountId } = record?.payload ?? {};
    if (!record || clientId === undefined || exp === undefined || !(await findConsumer(db.read, clientId))) return undefined;
    const { payload } = record;
    const sessionEnds = await sessionEnd(payload);
    const found = accountId === undefined ? undefined : await readUser(record);
    if (sessionEnds === undefined || (accountId !== undefined && !found)) return undefined;
    return {
      clientId,
      scope: String(payload.scope ?? ''),
      user: found?.user,
      issuedAt: Number(iat),
      expiresAt: exp,
      thumbprint: payload.jkt as string | undefined,
      information: found ? JSON.stringify(await accounts.keyrockInformation(found.user, clientId)) : '',
      validUntil: Math.min(exp, sessionEnds),
      tags: [
        tagOf.everything,
        appTagOf.application(clientId),
        tagOfRecord(String(payload.kind), token),
        ...(grantId === undefined ? [] : [tagOfGrant(grantId)]),
        ...(payload.sessionUid === undefined ? [] : [tagOfSession(String(payload.sessionUid))]),
        ...(found?.tags ?? []),
      ],
    };
  }

  return {
    verify(token) {
      const now = clock.now() / 1000;
      return andThen(
        cache.getOrLoad(token, () => read(token)),
        (found) => (found && now < found.expiresAt ? found : undefined),
      );
    },
    async verifyRefresh(token) {
      const record = await records.look('RefreshToken', token);
      return record?.payload.consumed === undefined ? readOf(record, token) : undefined;
    },
  };
}
