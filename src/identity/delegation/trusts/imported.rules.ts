// Trusts that exist in another system.
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { TrustRow } from '../../ground/database/index.ts';
import { findTrust, insertTrust, updateEnds } from './trusts.store.ts';

/** Whoever calls has looked for all that it refers to. */
export async function importTrust({ tx, audit }: Change, row: TrustRow, roleIds: readonly string[]): Promise<void> {
  await insertTrust(tx, row, [...new Set(roleIds)]);
  const { id, trustor_user_id: userId, trustee_user_id, project_id } = row;
  audit('trust.created', { kind: 'trust', id }, { user_id: userId, trustee_user_id, project_id });
}

/** Nothing else of one changes. False when it is not here any more. */
export async function replaceTrustEnds(
  { tx, audit, invalidate }: Change,
  id: string,
  ends: Pick<TrustRow, 'expires_at' | 'remaining_uses'>,
): Promise<boolean> {
  const found = await findTrust(tx, id);
  if (!found) return false;
  await updateEnds(tx, id, ends);
  invalidate(tagOf.delegation({ kind: 'trust', id }));
  audit('trust.used', { kind: 'trust', id }, { user_id: found.row.trustor_user_id });
  return true;
}
