// Rows of groups, written with their event: by those who manage groups here, and for a directory.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { GroupRow } from '../../ground/database/index.ts';
import { insertGroup, updateGroup } from './groups.store.ts';

type Details = Readonly<Record<string, unknown>>;
type NewValues = Omit<GroupRow, 'created_at' | 'version' | 'updated_at'>;

export async function insertGroupRow(
  transaction: Change,
  clock: Clock,
  values: NewValues,
  details: Details = {},
): Promise<GroupRow> {
  const row = { ...values, created_at: seconds(clock), version: 1, updated_at: clock.now() };
  await insertGroup(transaction.tx, row);
  transaction.invalidate(tagOf.census('groups'));
  transaction.audit('group.created', { kind: 'group', id: row.id }, { domain_id: row.domain_id, ...details });
  return row;
}

/** Without values, its members were changed. */
export async function updateGroupRow(
  transaction: Change,
  clock: Clock,
  id: string,
  values: Partial<GroupRow>,
  details: Details,
): Promise<void> {
  await updateGroup(transaction.tx, id, { ...values, updated_at: clock.now() });
  transaction.audit('group.updated', { kind: 'group', id }, details);
}
