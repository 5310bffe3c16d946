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

/** The narrower of both; null has no limit. */
const least = (here: number | null, there: number | null): number | null =>
  here === null || there === null ? (here ?? there) : Math.min(here, there);

/** Nothing else of one changes, and it is never widened: uses that were taken here are not known there. False when it is not here any more. */
export async function replaceTrustEnds(
  { tx, audit, invalidate }: Change,
  id: string,
  ends: Pick<TrustRow, 'expires_at' | 'remaining_uses'>,
): Promise<boolean> {
  const found = await findTrust(tx, id);
  if (!found) return false;
  const { row } = found;
  await updateEnds(tx, id, {
    expires_at: least(row.expires_at, ends.expires_at),
    remaining_uses: least(row.remaining_uses, ends.remaining_uses),
  });
  invalidate(tagOf.delegation({ kind: 'trust', id }));
  audit('trust.used', { kind: 'trust', id }, { user_id: row.trustor_user_id });
  return true;
}
