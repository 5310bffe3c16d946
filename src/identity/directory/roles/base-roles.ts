// The roles that a fresh service has.
import { newId } from '../../../platform/ids.ts';
import type { Change } from '../../ground/audit/index.ts';
import { insertImplication, insertRole } from './roles.store.ts';

const ROLES = ['admin', 'manager', 'member', 'reader', 'owner', 'basic', 'trial', 'community', 'service'] as const;
type BaseRole = (typeof ROLES)[number];
/** Administrators are also members and readers. */
const IMPLIED: readonly (readonly [BaseRole, BaseRole])[] = [
  ['admin', 'member'],
  ['member', 'reader'],
];
/** The policy depends on these names. */
const PROTECTED: readonly BaseRole[] = ['admin', 'manager', 'member', 'reader'];

/** Returns their ids. */
export async function insertBaseRoles({ tx, now, audit }: Change): Promise<Readonly<Record<BaseRole, string>>> {
  const ids = Object.fromEntries(ROLES.map((name) => [name, newId()])) as Record<BaseRole, string>;
  for (const name of ROLES) {
    const options = PROTECTED.includes(name) ? '{"immutable":true}' : '{}';
    await insertRole(tx, { id: ids[name], name, domain_id: null, description: null, options, extra: '{}', created_at: now });
    audit('role.created', { kind: 'role', id: ids[name] });
  }
  for (const [prior, implied] of IMPLIED)
    await insertImplication(tx, { prior_role_id: ids[prior], implied_role_id: ids[implied] });
  return ids;
}
