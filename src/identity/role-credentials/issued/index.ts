// Credentials in the wallets of people: what was issued to whom, their state, and the lists that publish it.
// record.rules.ts stores it before it is signed, revocation.rules.ts revokes it in the transaction of the change that makes it untrue,
// lists.ts publishes /openid/status-lists.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { lockRow, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { CredentialState, Database, IssuedCredentialRow, Tx } from '../../ground/database/index.ts';
import { listIdIn, tagOfList } from './addresses.ts';
import { issuingLock, receiversOf } from './holders.store.ts';
import { createIssuedList, type IssuedListDeps } from './issued-credentials.rules.ts';
import { findByEntry, findIssued, issuedTo, rolesOfBatches, type SaidRole } from './issued-credentials.store.ts';
import { createLists, type ListDeps } from './lists.ts';
import { createRecord, type RecordDeps } from './record.rules.ts';
import { resume, revoke, type StateChange, suspend } from './states.rules.ts';
import { clearEntries, deleteEmptyLists, deleteExpired } from './sweep.store.ts';

export { issuingLock } from './holders.store.ts';
export { mountIssuedCredentials } from './issued-credentials.routes.ts';
export { mountStatusLists } from './lists.routes.ts';
export type { IssuanceRecord, IssuedRecord, NewCredentials } from './record.rules.ts';
export { createRevocation, type RevocationDeps } from './revocation.rules.ts';

export interface CredentialStateNow {
  readonly id: string;
  readonly userId: string;
  readonly typeId: string;
  readonly state: CredentialState;
  /** In seconds. */
  readonly expiresAt: number;
  /** Of the key that it is bound to. */
  readonly keyThumbprint: string;
  /** What received it; null if that is not known. */
  readonly clientId: string | null;
}

export interface IssuedCredentialDeps extends RecordDeps, IssuedListDeps, ListDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: RecordDeps['config'] & ListDeps['config'] & { readonly refreshTokenSeconds: number };
}

const DAY = 86_400;

export function createIssuedCredentials(deps: IssuedCredentialDeps) {
  const { db, clock, config, issuer } = deps;

  return {
    record: createRecord(deps),

    /** By its entry in a list of ours, at this moment. It stays so until the transaction ends. Undefined if there is none. */
    async stateOf(tx: Tx, list: string, index: number): Promise<CredentialStateNow | undefined> {
      const listId = listIdIn(issuer(), list);
      const found = listId === undefined || !Number.isSafeInteger(index) ? undefined : await findByEntry(tx, listId, index);
      const row = found && (await lockRow(db, tx, 'issued_credentials', found.id, 'share'));
      if (!row) return undefined;
      const { id, user_id: userId, type_id: typeId, state, expires_at: expiresAt } = row;
      return { id, userId, typeId, state, expiresAt, keyThumbprint: row.key_thumbprint, clientId: row.client_id };
    },

    find: (id: string): Promise<IssuedCredentialRow | undefined> => findIssued(db.read, id),
    /** Also those that were revoked, or have expired not long ago; the latest first. */
    ofUser: (userId: string): Promise<IssuedCredentialRow[]> => issuedTo(db.read, userId),
    /** What credentials of these batches say. */
    rolesOf: (batchIds: readonly string[]): Promise<SaidRole[]> => rolesOfBatches(db.read, batchIds),
    /** What received the credentials of a user that are valid now. */
    receiversOf: (userId: string): Promise<(string | null)[]> => receiversOf(db.read, userId, seconds(clock)),

    /** For good, by the word of the person. */
    async revoke(change: Change, id: string, why: StateChange): Promise<IssuedCredentialRow> {
      const found = await findIssued(change.tx, id);
      if (found) await takeAdvisoryLock(db, change.tx, issuingLock(found.user_id));
      return revoke(change, id, why);
    },
    suspend,
    resume,

    /** For the routes. */
    routeDeps: { issuedList: createIssuedList(deps), statusLists: createLists(deps) },

    /**
     * Two days after a credential has expired, and a day after its entry was cleared. Clocks of verifiers may be late. An authorization lasts as long as a
     * refresh token.
     */
    async sweep(): Promise<number> {
      const now = seconds(clock);
      await clearEntries(db, now - DAY, (id) => tagOfList({ id }));
      const count = await deleteExpired(db, now - 2 * DAY, now - config.refreshTokenSeconds);
      await deleteEmptyLists(db);
      return count;
    },
  };
}

export type IssuedCredentials = ReturnType<typeof createIssuedCredentials>;
