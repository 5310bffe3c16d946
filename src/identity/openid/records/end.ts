// Ends records of a user: all, the sessions, or those of a consent. Applications are notified in the same transaction, and the tokens of
// our own pages and of dashboards end with their session. After `endEverything` they are of an old generation.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { lockRows } from '../../../platform/database/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { hashOf, hashOfSession } from '../../ground/resource/index.ts';
import { APPROVAL_MODEL, type Approval, approvalsOf } from './approvals.ts';
import { type FindDeps, listOfUserIn } from './find.ts';
import { openRecords, type RecordPayload } from './record.ts';
import {
  consumersOfUser,
  deleteConsents,
  deleteGrants,
  deleteRecordsOfUser,
  deleteSessions,
  findRecord,
  findSession,
  type RecordSelection,
  sessionHashes,
  usableRecords,
} from './records.store.ts';
import { endSessionTokens, type SessionTokenDeps } from './session-tokens.ts';

/** The records of a user that end. */
export interface EndedRecords {
  /** Applications that have records of the user. */
  readonly clientIds: readonly string[];
  readonly sessions: readonly RecordPayload[];
  /** The usable refresh tokens of these applications. Expensive: only for applications that need session ids. */
  refreshTokensOf(clientIds: readonly string[]): Promise<RecordPayload[]>;
}

export interface EndDeps extends SessionTokenDeps {
  readonly clock: Clock;
  readonly seal: Seal;
  /** Called in the transaction, before the records are deleted. */
  onEnd(change: Change, userId: string, ended: EndedRecords): Promise<void>;
}

/** Models with the session ids of applications. Access tokens have them too, but there may be many, and they expire soon. */
const SESSION_MODELS = ['Session'];
const REFRESH_TOKEN_MODELS = ['RefreshToken'];
/** In the `amr` of a sign-in with a passkey (RFC 8176), or with a wallet. */
export type SignInMeans = 'pop' | 'wallet';
/** Limits the time of the transaction. The newest records have the relevant sessions. */
const MAX_OPENED = 500;

async function readNewest(
  { clock, seal }: EndDeps,
  { tx }: Change,
  userId: string,
  models: readonly string[],
  which: RecordSelection = {},
): Promise<RecordPayload[]> {
  return openRecords(seal, await usableRecords(tx, userId, models, { ...which, now: seconds(clock), limit: MAX_OPENED }));
}

const notifyEnd = (
  deps: EndDeps,
  transaction: Change,
  userId: string,
  what: { readonly clientIds: readonly string[]; readonly sessions: readonly RecordPayload[] },
): Promise<void> =>
  deps.onEnd(transaction, userId, {
    ...what,
    refreshTokensOf: (consumerIds) => readNewest(deps, transaction, userId, REFRESH_TOKEN_MODELS, { consumerIds }),
  });

/** Ends all records of a user. The caller invalidates caches of the user. */
export async function endEverything(deps: EndDeps, transaction: Change, userId: string): Promise<void> {
  const clientIds = await consumersOfUser(transaction.tx, userId);
  await notifyEnd(deps, transaction, userId, {
    clientIds,
    sessions: await readNewest(deps, transaction, userId, [...SESSION_MODELS, APPROVAL_MODEL]),
  });
  await deleteRecordsOfUser(transaction.tx, userId);
}

interface Authorization {
  readonly grantId?: unknown;
  /** The application may go on without the person (`offline_access`). */
  readonly persistsLogout?: unknown;
}

/** Of a session, by application; of a token, its own. */
const authorizationsOf = ({ grantId, authorizations }: RecordPayload): Authorization[] => [
  { grantId },
  ...Object.values((authorizations ?? {}) as Record<string, Authorization>),
];

const grantsOf = (authorizations: readonly Authorization[]): string[] =>
  authorizations.flatMap(({ grantId }) => (typeof grantId === 'string' ? [hashOf('Grant', grantId)] : []));

/** What ends together. */
interface Ending {
  /** Of the uids of the sessions that are deleted. */
  readonly hashes: readonly string[];
  /** These sessions, and tokens that are of them. */
  readonly records: readonly RecordPayload[];
  /** What the person allowed elsewhere: in the sessions, unless it is said otherwise. */
  isOf?(approval: Approval): boolean;
  /** The person signs out: what they let go on without them goes on. */
  readonly isSignOut?: boolean;
}

/**
 * Applications are told once, also those that go on: of the sessions, and of what the person allowed elsewhere in them. They lose the tokens that they got.
 */
async function endTogether(deps: EndDeps, transaction: Change, userId: string, ending: Ending): Promise<void> {
  const { hashes, records, isOf = ({ session }) => hashes.includes(session), isSignOut = false } = ending;
  await deleteSessions(transaction.tx, hashes);
  const given = await approvalsOf(deps, transaction, userId, isOf);
  await deps.onEnd(transaction, userId, { clientIds: [], sessions: [...records, ...given], refreshTokensOf: async () => [] });
  const ended = [
    ...records.flatMap(authorizationsOf).filter(({ persistsLogout }) => !isSignOut || persistsLogout !== true),
    ...given.filter(({ approval }) => !isSignOut || !approval.outlivesSignOut),
  ];
  await deleteGrants(transaction.tx, userId, grantsOf(ended));
  await endSessionTokens(deps, transaction, hashes);
  for (const hash of hashes) transaction.invalidate(`openid_session:${hash}`);
  transaction.invalidate(tagOf.user(userId));
}

/** Ends one session of a user, by the hash of its uid. */
export async function endSession(deps: EndDeps, transaction: Change, userId: string, uid: string): Promise<boolean> {
  const row = await findSession(transaction.tx, userId, uid);
  if (!row) return false;
  await endTogether(deps, transaction, userId, { hashes: [uid], records: openRecords(deps.seal, [row]) });
  return true;
}

/**
 * The person signs out of one session, given by the hash of its uid; the library may have ended it already. As on the page of the provider:
 * applications are told, and lose their tokens, but for those that the person let go on without them.
 */
export async function signOut(deps: EndDeps, transaction: Change, userId: string, uid: string): Promise<void> {
  const row = await findSession(transaction.tx, userId, uid);
  const records = row ? openRecords(deps.seal, [row]) : [];
  await endTogether(deps, transaction, userId, { hashes: [uid], records, isSignOut: true });
}

/** Ends all sessions of a user except `keep`. What the person allowed elsewhere ends also if its session is over. */
export async function endSessions(deps: EndDeps, transaction: Change, userId: string, keep?: string): Promise<void> {
  const keptId = keep === undefined ? undefined : hashOf('Session', keep);
  const records = await readNewest(deps, transaction, userId, SESSION_MODELS, { exceptId: keptId });
  const kept = keptId === undefined ? undefined : await findRecord(transaction.tx, 'id', keptId);
  const hashes = await sessionHashes(transaction.tx, userId, keptId);
  await endTogether(deps, transaction, userId, { hashes, records, isOf: ({ session }) => session !== kept?.uid });
}

/**
 * Ends the sessions of a user that began by such means, and the refresh tokens that applications got in them. Which passkey or credential it was
 * is not stored. `kept`: a session that goes on.
 */
export async function endSessionsBy(
  means: SignInMeans,
  deps: EndDeps,
  transaction: Change,
  userId: string,
  kept?: { readonly jti: string; readonly uid: string },
): Promise<void> {
  const isBy = ({ amr }: RecordPayload): boolean => Array.isArray(amr) && amr.includes(means);
  const sessions = (await readNewest(deps, transaction, userId, SESSION_MODELS)).filter(
    (session) => isBy(session) && session.jti !== kept?.jti,
  );
  const tokens = (await readNewest(deps, transaction, userId, REFRESH_TOKEN_MODELS)).filter(
    (token) => isBy(token) && (kept === undefined || token.sessionUid !== kept.uid),
  );
  const hashes = sessions.flatMap(({ uid }) => (uid === undefined ? [] : [hashOfSession(uid)]));
  const goesOn = kept && hashOfSession(kept.uid);
  await endTogether(deps, transaction, userId, {
    hashes,
    records: [...sessions, ...tokens],
    isOf: ({ session, amr }) => hashes.includes(session) || (amr.includes(means) && session !== goesOn),
  });
}

/** Nobody copies meanwhile what they allowed (`saveRecord`). */
const lockPerson = ({ db }: Pick<FindDeps, 'db'>, { tx }: Change, userId: string): Promise<void> =>
  lockRows(db, tx, 'users', [userId]);

/** Ends the consent of a user for an application, and all its tokens. */
export async function endConsents(
  deps: EndDeps & Pick<FindDeps, 'db'>,
  transaction: Change,
  userId: string,
  consumerId: string,
): Promise<void> {
  await lockPerson(deps, transaction, userId);
  const clientIds = await consumersOfUser(transaction.tx, userId, consumerId);
  await notifyEnd(deps, transaction, userId, { clientIds, sessions: [] });
  await deleteConsents(transaction.tx, userId, consumerId);
}

/** Consents, and the grants on which tokens depend. */
const WALLET_MODELS = ['Consent', 'Grant'];

/** Ends what a wallet has of a user. Wallets are no consumers, so their records have to be opened to be found. */
export async function endWallet(deps: EndDeps & FindDeps, transaction: Change, userId: string, clientId: string): Promise<void> {
  await lockPerson(deps, transaction, userId);
  for (const model of WALLET_MODELS) {
    const all = await listOfUserIn(deps, transaction.tx, userId, model);
    const own = all.filter(({ payload }) => payload.clientId === clientId).map(({ id }) => id);
    await deleteGrants(transaction.tx, userId, own);
  }
  transaction.invalidate(tagOf.user(userId));
}

/** Ends single sessions, by the hashes of their uids, and all tokens that were issued in them, also if the sessions are over. */
export async function endSessionsByHash(
  deps: EndDeps,
  transaction: Change,
  userId: string,
  hashes: readonly string[],
): Promise<void> {
  const isOf = (uid: unknown): boolean => typeof uid === 'string' && hashes.includes(hashOf('uid', uid));
  const sessions = (await readNewest(deps, transaction, userId, SESSION_MODELS)).filter(({ uid }) => isOf(uid));
  const tokens = (await readNewest(deps, transaction, userId, REFRESH_TOKEN_MODELS)).filter((one) => isOf(one.sessionUid));
  await endTogether(deps, transaction, userId, { hashes, records: [...sessions, ...tokens] });
}
