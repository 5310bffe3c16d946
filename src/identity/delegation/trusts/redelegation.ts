// Whether a trust may be passed on, and how often: Keystone's rules. What is passed on never gives more than what it comes from.
import type { TrustRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Trust } from './trusts.store.ts';

/** What a request for a trust asks for. */
export interface AskedTrust {
  readonly roleIds: readonly string[];
  readonly projectId: string | null;
  readonly expiresAt: number | null;
  readonly remainingUses: number | null;
  readonly impersonation: boolean;
  readonly isRedelegable: boolean;
  readonly count: number | undefined;
}

const exceed = (field: string): never => fail('trust.more_than_given', { field });

/** `chain`: the trusts above, nearest first. Returns when the new one expires. */
function expiryWithin(asked: AskedTrust, { roles, row }: Trust, chain: readonly TrustRow[], limit: number): number | null {
  if (chain.some(({ redelegation_count: count }) => count < 1 || count > limit)) fail('trust.not_redelegable');
  if (asked.remainingUses !== null) exceed('remaining_uses');
  if (asked.projectId !== row.project_id) exceed('project_id');
  const roleIds = new Set(roles.map(({ id }) => id));
  if (!asked.roleIds.every((id) => roleIds.has(id))) exceed('roles');
  if (asked.impersonation && row.impersonation !== 1) exceed('impersonation');
  const ends = chain.flatMap(({ expires_at }) => expires_at ?? []);
  const end = ends.length > 0 ? Math.min(...ends) : null;
  if (asked.expiresAt === null) return end;
  return end !== null && asked.expiresAt > end ? exceed('expires_at') : asked.expiresAt;
}

/** The columns about it. `parent`: the trust that is passed on, with the `chain` from it to the first one. */
export function redelegationOf(
  asked: AskedTrust,
  parent: Trust | undefined,
  chain: readonly TrustRow[],
  limit: number,
): Pick<TrustRow, 'expires_at' | 'redelegated_trust_id' | 'redelegation_count'> {
  const { isRedelegable, count } = asked;
  if (isRedelegable && count !== undefined && count > limit) fail('trust.too_deep', { depth: count, limit });
  if (isRedelegable && asked.remainingUses !== null)
    fail('request.bad_value', { field: 'remaining_uses', why: 'it must not be set if redelegation is allowed' });
  if (!parent)
    return {
      expires_at: asked.expiresAt,
      redelegated_trust_id: null,
      redelegation_count: isRedelegable ? (count ?? limit) : 0,
    };
  const left = parent.row.redelegation_count - 1;
  const expires_at = expiryWithin(asked, parent, chain, limit);
  if (isRedelegable && count !== undefined && count !== left) exceed('redelegation_count');
  return { expires_at, redelegated_trust_id: parent.row.id, redelegation_count: isRedelegable ? left : 0 };
}
