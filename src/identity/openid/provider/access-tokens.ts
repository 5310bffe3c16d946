// Verifies access tokens. Proxies ask with each of their requests, so the answers are cached.
import type { Clock } from '../../../platform/clock.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { type Access, tagOf } from '../../access/context/index.ts';
import { appTagOf, type UserPermissionsReader } from '../../applications/app-roles/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import { findConsumer, isStrangers } from '../../applications/consumers/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { Records, ValidRecord } from '../records/index.ts';
import { type RecordPayload, tagOfGrant, tagOfRecord, tagOfSession } from '../records/index.ts';
import { type Accounts, mayTellOf } from './accounts.ts';
import { isShutOut } from './shut-out.ts';
import { readTokenUser } from './token-user.ts';

/** About two kilobytes each. */
const LIMIT = 20_000;

/** `cnf` (RFC 7800). */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string };

function confirmationOf({ jkt, 'x5t#S256': certificate }: RecordPayload): Confirmation | undefined {
  if (typeof jkt === 'string') return { jkt };
  return typeof certificate === 'string' ? { 'x5t#S256': certificate } : undefined;
}

export interface VerifiedAccessToken {
  readonly clientId: string;
  readonly scope: string;
  /** Undefined for a token of the application itself (client credentials). */
  readonly user: UserWithExpiry | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The key (RFC 9449) or the certificate (RFC 8705) that the token is bound to: without it, it is worth nothing. */
  readonly confirmation: Confirmation | undefined;
  /** The session in which the person authorized it. It may have ended. */
  readonly sessionUid: string | undefined;
  /** As far as the application may know it. */
  readonly username: string | undefined;
  /** The user information of Keyrock's back-end, as JSON. */
  readonly information: string;
}

interface CachedToken extends VerifiedAccessToken {
  /** In seconds. Then it must be verified again. */
  readonly validUntil: number;
  readonly tags: readonly string[];
}

export interface AccessTokens {
  verify(token: string): MaybePromise<VerifiedAccessToken | undefined>;
  /** Verifies a refresh token that was not used yet. Rarely called, so not cached. */
  verifyRefresh(token: string): Promise<VerifiedAccessToken | undefined>;
}

/** Neither expired, nor issued before the clock was set back: then it would be valid for as long as the clock was wrong. */
export const isOfNow = ({ issuedAt, expiresAt }: Pick<VerifiedAccessToken, 'issuedAt' | 'expiresAt'>, now: number): boolean =>
  now < expiresAt && issuedAt <= now + (expiresAt - issuedAt);

export function createAccessTokens(deps: {
  db: Database;
  clock: Clock;
  records: Records;
  access: Access;
  accounts: Accounts;
  userPermissions: UserPermissionsReader;
  clientRegistration: Pick<ClientRegistration, 'isLive' | 'refusal'>;
}): AccessTokens {
  const { db, clock, records, access, accounts, userPermissions, clientRegistration } = deps;
  const cache = db.cached<CachedToken>({
    name: 'access_tokens',
    limit: LIMIT,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => validUntil * 1000 },
  });

  /** When the session of a token ends. Infinite for a token that outlives the session. */
  async function sessionEnd(payload: RecordPayload): Promise<number | undefined> {
    if (payload.expiresWithSession !== true) return Number.POSITIVE_INFINITY;
    const session = await records.findByUid(String(payload.sessionUid));
    return session?.accountId === payload.accountId ? session?.exp : undefined;
  }

  async function readUser(
    record: ValidRecord,
  ): Promise<{ user: UserWithExpiry; validUntil: number; tags: readonly string[] } | undefined> {
    const { accountId = '', clientId = '' } = record.payload;
    const found = await readTokenUser({ access, accounts }, record);
    if (!found) return undefined;
    const { user, authContext } = found;
    const permissions = await userPermissions.of(accountId, clientId);
    // What is stored says which roles the user has in the application.
    const ends = [authContext.validUntil, permissions?.validUntil].map((end) => end ?? Number.POSITIVE_INFINITY);
    return { user, validUntil: Math.min(...ends), tags: [...authContext.tags, ...(permissions?.tags ?? [])] };
  }

  async function loadToken(token: string): Promise<CachedToken | undefined> {
    return verifyRecord(
      (await records.findValid('AccessToken', token)) ?? (await records.findValid('ClientCredentials', token)),
      token,
    );
  }

  async function verifyRecord(record: ValidRecord | undefined, token: string): Promise<CachedToken | undefined> {
    const { clientId, exp, iat, grantId, accountId } = record?.payload ?? {};
    if (!record || clientId === undefined || exp === undefined) return undefined;
    const consumer = await findConsumer(db.read, clientId);
    if (!consumer || !(await clientRegistration.isLive(consumer))) return undefined;
    const mayTell = mayTellOf(consumer);
    const { payload } = record;
    if (await isShutOut(clientRegistration, consumer, payload)) return undefined;
    // A token for credentials is good at the credential endpoint only, and one for an API there (api-tokens.ts).
    if (payload.aud !== undefined) return undefined;
    const sessionEnds = await sessionEnd(payload);
    const found = accountId === undefined ? undefined : await readUser(record);
    if (sessionEnds === undefined || (accountId !== undefined && !found)) return undefined;
    return {
      clientId,
      scope: String(payload.scope ?? ''),
      user: found?.user,
      issuedAt: Number(iat),
      expiresAt: exp,
      confirmation: confirmationOf(payload),
      sessionUid: payload.sessionUid as string | undefined,
      information: found ? JSON.stringify(await accounts.keyrockInformation(found.user, clientId, mayTell)) : '',
      username: found && mayTell('profile') ? found.user.name : undefined,
      // The policy that lets such an application in is asked each time.
      validUntil: isStrangers(consumer) ? 0 : Math.min(exp, sessionEnds, found?.validUntil ?? exp),
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
        cache.getOrLoad(token, () => loadToken(token)),
        (found) => (found && isOfNow(found, now) ? found : undefined),
      );
    },
    async verifyRefresh(token) {
      const record = await records.findValid('RefreshToken', token);
      return record?.payload.consumed === undefined ? verifyRecord(record, token) : undefined;
    },
  };
}
