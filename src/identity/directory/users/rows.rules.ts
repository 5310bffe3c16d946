// Rows of users, written with their event: by those who manage users here, and for a directory.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { insertUsers, type NewUserRow, updateUser } from './users.store.ts';

type Details = Readonly<Record<string, unknown>>;
export type NewValues = Omit<NewUserRow, 'epoch' | 'last_active_at' | 'created_at' | 'version' | 'updated_at'>;

/** In their order, in one statement. */
export async function insertUserRows(
  transaction: Change,
  clock: Clock,
  users: readonly NewValues[],
  details: Details = {},
  timesOf: (id: string) => Partial<Pick<UserRow, 'created_at' | 'last_active_at'>> = () => ({}),
): Promise<UserRow[]> {
  const now = clock.now();
  const made = { epoch: now, last_active_at: null, created_at: seconds(clock), version: 1, updated_at: now, words_version: 1 };
  const rows = users.map((values) => ({ ...values, ...made, ...timesOf(values.id) }));
  await insertUsers(transaction.tx, rows);
  transaction.invalidate(tagOf.census('users'));
  for (const { id, domain_id } of rows) transaction.audit('user.created', { kind: 'user', id }, { domain_id, ...details });
  return rows;
}

export async function insertUserRow(
  transaction: Change,
  clock: Clock,
  values: NewValues,
  details: Details = {},
): Promise<UserRow> {
  return (await insertUserRows(transaction, clock, [values], details))[0]!;
}

/** Without values, only the event is written. */
export async function updateUserRow(
  transaction: Change,
  clock: Clock,
  id: string,
  values: Partial<NewUserRow>,
  details: Details,
): Promise<void> {
  if (Object.keys(values).length > 0) await updateUser(transaction.tx, id, { ...values, updated_at: clock.now() });
  transaction.invalidate(tagOf.user(id));
  transaction.audit('user.updated', { kind: 'user', id }, details);
}
