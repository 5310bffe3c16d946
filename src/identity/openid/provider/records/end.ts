// What a user has here ends: all of it, the sessions, or what came of a consent. Applications hear of it within the same change.
import { type Clock, seconds } from '../../../../platform/clock.ts';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { Change } from '../../../audit/index.ts';
import type { OpenidRecordRow } from '../../../database.ts';
import { hashOf, openRecord, type Payload } from './record.ts';
import { consumersOfUser, deleteConsents, deleteRecordsOfUser, usableRecords, type Which } from './records.store.ts';

/** What of a user ends. */
export interface Ended {
  /** Applications that had anything of theirs. */
  readonly clientIds: readonly string[];
  readonly sessions: readonly Payload[];
  /** What these applications got and may still use. Costly: only for those that want to know. */
  given(clientIds: readonly string[]): Promise<Payload[]>;
}

export interface EndDeps {
  readonly clock: Clock;
  readonly seal: Seal;
  /** Within the change: what these records of a user stood for ends for applications, too. */
  ended(change: Change, userId: string, ended: Ended): Promise<void>;
}

/** Records that name a session an application knows. Access tokens do, too, but there may be any number, and they are over soon. */
const SESSION = ['Session'];
const GIVEN_FOR_LONGER = ['RefreshToken'];
/** Within a change nobody waits for more than this to be opened: the newest tell of the sessions that still matter. */
const OPENED_AT_MOST = 500;

/** Those that can be opened: one that cannot is worth nothing to anybody, and keeps no account open. */
const openable = (seal: Seal, rows: readonly OpenidRecordRow[]): Payload[] =>
  rows.flatMap((row) => {
    try {
      return [openRecord(seal, row)];
    } catch {
      return [];
    }
  });

async function newest(
  { clock, seal }: EndDeps,
  { tx }: Change,
  userId: string,
  models: readonly string[],
  which: Which = {},
): Promise<Payload[]> {
  return openable(seal, await usableRecords(tx, userId, models, { ...which, now: seconds(clock), limit: OPENED_AT_MOST }));
}

const tell = (
  deps: EndDeps,
  transaction: Change,
  userId: string,
  what: { readonly clientIds: readonly string[]; readonly sessions: readonly Payload[] },
): Promise<void> =>
  deps.ended(transaction, userId, {
    ...what,
    given: (consumerIds) => newest(deps, transaction, userId, GIVEN_FOR_LONGER, { consumerIds }),
  });

/** Everything a user has here ends with the change; what is cached of a user is dropped by whoever changes the user. */
export async function endEverything(deps: EndDeps, transaction: Change, userId: string): Promise<void> {
  const clientIds = await consumersOfUser(transaction.tx, userId);
  await tell(deps, transaction, userId, { clientIds, sessions: await newest(deps, transaction, userId, SESSION) });
  await deleteRecordsOfUser(transaction.tx, userId);
}

/** Ends the sessions of a user but one. */
export async function endSessions(deps: EndDeps, transaction: Change, userId: string, keep?: string): Promise<void> {
  const kept = keep === undefined ? undefined : hashOf('Session', keep);
  const sessions = await newest(deps, transaction, userId, SESSION, { exceptId: kept });
  // Tokens stay, and those of the session that is kept name it.
  await deps.ended(transaction, userId, { clientIds: [], sessions, given: async () => [] });
  await deleteRecordsOfUser(transaction.tx, userId, 'Session', kept);
}

/** What a user let an application do, and every token that came of it. */
export async function endConsents(deps: EndDeps, transaction: Change, userId: string, consumerId: string): Promise<void> {
  const clientIds = await consumersOfUser(transaction.tx, userId, consumerId);
  await tell(deps, transaction, userId, { clientIds, sessions: [] });
  await deleteConsents(transaction.tx, userId, consumerId);
}
