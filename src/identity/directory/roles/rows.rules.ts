// Rows of roles, written with their event: for roles that exist in another system.
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, RoleRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { ADMIN, refuseKnownAndCycle } from './implied.rules.ts';
import { findRole, insertImplication, insertRole, lockRole, moveRole, updateRole } from './roles.store.ts';

/** Whoever calls has checked the names. */
export async function insertRoleRow({ tx, audit, invalidate }: Change, row: RoleRow): Promise<void> {
  await insertRole(tx, row);
  invalidate(tagOf.everything);
  audit('role.created', { kind: 'role', id: row.id });
}

/** With another id, all that refers to the role does so by that one from now on. False when there is no such role. */
export async function replaceRoleRow(
  db: Database,
  { tx, audit, invalidate }: Change,
  id: string,
  values: Partial<Pick<RoleRow, 'id' | 'name' | 'description' | 'options' | 'extra'>>,
): Promise<boolean> {
  const row = await lockRole(db, tx, id);
  if (!row) return false;
  const { id: newId = id, ...others } = values;
  if (newId !== id) {
    // Nobody gets the role meanwhile.
    await takeAdvisoryLock(db, tx, 'implied roles');
    await moveRole(tx, row, newId);
  }
  await updateRole(tx, newId, others);
  invalidate(tagOf.everything);
  audit('role.updated', { kind: 'role', id: newId }, { fields: Object.keys(values), ...(newId === id ? {} : { former_id: id }) });
  return true;
}

/** One that is there already stays. */
export async function implyRole(db: Database, transaction: Change, priorId: string, impliedId: string): Promise<void> {
  const { tx, audit, invalidate } = transaction;
  const [prior, implied] = [await findRole(tx, priorId), await findRole(tx, impliedId)];
  if (!prior || !implied) fail('role.not_found', { id: prior ? impliedId : priorId });
  if (implied.name === ADMIN) fail('role.implied_admin', { id: impliedId });
  if (prior.domain_id === null && implied.domain_id !== null) fail('role.implied_by_global_role', { id: impliedId });
  await refuseKnownAndCycle(db, tx, priorId, impliedId, () => undefined);
  await insertImplication(tx, { prior_role_id: priorId, implied_role_id: impliedId });
  invalidate(tagOf.everything);
  audit('role.implication_created', { kind: 'role', id: priorId }, { implied_role_id: impliedId });
}
