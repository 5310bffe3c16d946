// Rows of users, written with their event: by those who manage users here, and for a directory.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { insertUser, type NewUserRow, updateUser } from './users.store.ts';

type Details = Readonly<Record<string, unknown>>;
type NewValues = Omit<NewUserRow, 'epoch' | 'last_active_at' | 'created_at' | 'version' | 'updated_at'>;

export async function insertUserRow(transaction: Change, clock: Clock, values: NewValues, details: Details = {}): Promise<void> {
  const now = clock.now();
  const made = { epoch: now, last_active_at: null, created_at: seconds(clock), version: 1, updated_at: now };
  await insertUser(transaction.tx, { ...values, ...made });
  transaction.invalidate(tagOf.census('users'));
  transaction.audit('user.created', { kind: 'user', id: values.id }, { domain_id: values.domain_id, ...details });
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
