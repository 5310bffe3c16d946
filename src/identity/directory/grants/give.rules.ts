// Giving a role and taking it back, in a transaction: the grant, its event, and what caches drop. Whoever calls has asked the policy.
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { deleteGrant, type Grant, insertGrant, lendGrant, takeGrants } from './grants.store.ts';

/** Databases limit the number of parameters in a statement. */
const CHUNK = 500;

/** A role of a user in a project, not one that it inherits. */
export const roleInProject = (userId: string, projectId: string, roleId: string): Grant => ({
  actor: { kind: 'user', id: userId },
  target: { kind: 'project', id: projectId },
  roleId,
  inherited: false,
});

function tell({ audit, invalidate }: Change, verb: 'created' | 'revoked', { actor, target, roleId, inherited }: Grant): void {
  invalidate(tagOf[actor.kind](actor.id));
  const detail = { [`${actor.kind}_id`]: actor.id, target: target.kind, target_id: target.id, inherited };
  audit(`grant.${verb}`, { kind: 'role', id: roleId }, detail);
}

export async function giveRole(transaction: Change, grant: Grant): Promise<void> {
  await insertGrant(transaction.tx, grant);
  tell(transaction, 'created', grant);
}

/** False when nobody gave it. */
export async function takeRole(transaction: Change, grant: Grant): Promise<boolean> {
  const isTaken = await deleteGrant(transaction.tx, grant);
  if (isTaken) tell(transaction, 'revoked', grant);
  return isTaken;
}

/** For a provider, which takes it back unless somebody else gives it, too. */
export async function lendRole(transaction: Change, grant: Grant): Promise<void> {
  await lendGrant(transaction.tx, grant);
  tell(transaction, 'created', grant);
}

/** What providers gave. Those that somebody else gave, too, stay. */
export async function takeLentRoles(transaction: Change, grants: readonly Grant[]): Promise<void> {
  for (let at = 0; at < grants.length; at += CHUNK)
    for (const grant of await takeGrants(transaction.tx, grants.slice(at, at + CHUNK))) tell(transaction, 'revoked', grant);
}
