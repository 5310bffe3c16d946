// What was issued to whom, for administrators, managers of applications, and the person themselves.
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Query } from '../../../platform/http/index.ts';
import { actorAsVerified, type Caller, factsOnly, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Managers } from '../../applications/app-roles/index.ts';
import type { Change, RunChange } from '../../ground/audit/index.ts';
import type { Database, IssuedCredentialRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { foundPage, pageOf, readFlag, type SortColumns, searchOf, single, whereEquals } from '../../ground/resource/index.ts';
import { issuingLock } from './holders.store.ts';
import { type IssuedCredentialView, isState } from './issued-credentials.schema.ts';
import { findIssued, lastOfSeries, listIssued, rolesOfBatches } from './issued-credentials.store.ts';
import { resume, revoke, type StateChange, suspend } from './states.rules.ts';

const SORTS = { issued_at: { by: 'issued_at' } } as const satisfies SortColumns<'issued_at'>;

export interface IssuedListDeps {
  readonly db: Database;
  readonly change: RunChange;
  readonly managers: Pick<Managers, 'hasPermission'>;
  /** Somebody has taken a credential from its holder: it may be lost. Sessions that began with it end. `by`: the person themselves, or not. */
  onWithdrawn(change: Change, taken: IssuedCredentialRow, by: 'holder' | 'administrator'): Promise<void>;
}

/** Whether an act is about everything that the same wallet got of the type. */
export const isForWalletIn = (query: Query): boolean => readFlag(query, 'same_wallet') ?? false;

export function createIssuedList({ db, change, managers, onWithdrawn }: IssuedListDeps) {
  const manages = (caller: Caller, applicationId: string | undefined): Promise<boolean> =>
    managers.hasPermission(caller, applicationId, 'manage-application');

  async function shown(rows: readonly IssuedCredentialRow[]): Promise<IssuedCredentialView[]> {
    const said = Map.groupBy(
      await rolesOfBatches(
        db.lists,
        rows.map((row) => row.batch_id),
      ),
      ({ batch_id }) => batch_id,
    );
    const lasts = await lastOfSeries(
      db.lists,
      rows.flatMap(({ series_id }) => series_id ?? []),
    );
    return rows.map((row) => {
      const last = lasts.get(row.series_id ?? '') ?? row.issued_at;
      const refreshedAt = last > (row.first_issued_at ?? row.issued_at) ? last : undefined;
      return { row, said: said.get(row.batch_id) ?? [], refreshedAt };
    });
  }

  const apply = (
    caller: Caller,
    row: IssuedCredentialRow,
    isForWallet: boolean,
    work: (change: Change, id: string, why: StateChange) => Promise<IssuedCredentialRow>,
  ): Promise<IssuedCredentialRow> =>
    change(actorAsVerified(caller, row.user_id), async (transaction) => {
      await takeAdvisoryLock(db, transaction.tx, issuingLock(row.user_id));
      const reason = caller.userId === row.user_id ? 'holder' : 'administrator';
      const changed = await work(transaction, row.id, { reason, isForWallet });
      if (changed.state !== 'valid') await onWithdrawn(transaction, changed, reason);
      return changed;
    });

  return {
    async target(caller: Caller, id: string): Promise<IdentityTarget<IssuedCredentialRow>> {
      const row = await findIssued(db.read, id);
      const managesApplication = await manages(caller, row?.application_id);
      return targetOf(
        row,
        ({ user_id: userId, application_id: applicationId }) => ({ userId, applicationId, managesApplication }),
        () => fail('issued_credential.not_found', { id }),
      );
    },

    /** Facts of a list: for the person or the application that it is limited to. */
    async listTarget(caller: Caller, query: Query): Promise<IdentityTarget<undefined>> {
      const [userId, applicationId] = [single(query, 'user_id'), single(query, 'application_id')];
      return factsOnly({ userId, applicationId, managesApplication: await manages(caller, applicationId) });
    },

    async list(query: Query) {
      const state = single(query, 'state');
      if (state !== undefined && !isState(state))
        fail('request.bad_value', { field: 'state', why: 'it must be valid, suspended or revoked' });
      const equal = (name: string) => whereEquals(`issued_credentials.${name}`, single(query, name));
      const page = foundPage(
        query,
        await listIssued(db, pageOf(query), {
          limits: ['user_id', 'application_id'].flatMap(equal),
          criteria: ['type_id', 'state'].flatMap(equal),
          isNewest: readFlag(query, 'newest') ?? false,
          sort: searchOf({ sort: single(query, 'sort') }, SORTS).sort,
        }),
      );
      return { ...page, items: await shown(page.items) };
    },

    show: async (row: IssuedCredentialRow): Promise<IssuedCredentialView> => (await shown([row]))[0]!,

    async update(
      caller: Caller,
      row: IssuedCredentialRow,
      state: 'valid' | 'suspended',
      isForWallet: boolean,
    ): Promise<IssuedCredentialView> {
      const isDone = row.state === state && !isForWallet;
      const changed = isDone ? row : await apply(caller, row, isForWallet, state === 'valid' ? resume : suspend);
      return (await shown([changed]))[0]!;
    },

    async revoke(caller: Caller, row: IssuedCredentialRow, isForWallet: boolean): Promise<void> {
      if (row.state !== 'revoked' || isForWallet) await apply(caller, row, isForWallet, revoke);
    },
  };
}

export type IssuedList = ReturnType<typeof createIssuedList>;
