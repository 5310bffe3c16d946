// Granting roles. A grant has three parts; whoever may not see one of them learns nothing of the others.
import { findProject, tagOf } from '../access/index.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved } from '../conflicts.ts';
import type { ProjectRow, RoleRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { findGroup } from '../groups/index.ts';
import { permit } from '../policy.ts';
import { findRole, readRoles } from '../roles/index.ts';
import { findUser } from '../users/index.ts';
import { deleteGrant, type Grant, grantedRoleIds, hasGrant, insertGrant } from './grants.store.ts';

type Verb = 'check' | 'list' | 'create' | 'revoke';
/** Where a grant stands, by the words of its path. */
export type TargetKind = 'project' | 'domain' | 'system';

export interface GrantPlace {
  readonly actor: Grant['actor'];
  readonly target: { readonly kind: TargetKind; readonly id: string | null };
  readonly inherited: boolean;
}

export function createGrants({ db, change }: Pick<Deps, 'db' | 'change'>) {
  async function findTarget({ kind, id }: GrantPlace['target']): Promise<ProjectRow | undefined> {
    const row = id === null ? undefined : await findProject(db.read, id);
    return kind === 'domain' && row?.is_domain !== 1 ? undefined : row;
  }

  async function checkParts(caller: Caller, verb: Verb, place: GrantPlace, roleId?: string): Promise<RoleRow | undefined> {
    const { actor, target } = place;
    const [holder, targetRow, role] = await Promise.all([
      actor.kind === 'user' ? findUser(db.read, actor.id) : findGroup(db.read, actor.id),
      findTarget(target),
      roleId === undefined ? undefined : findRole(db.read, roleId),
    ]);
    if (target.kind === 'system')
      permit(caller, verb === 'list' ? 'identity:list_system_grants' : `identity:${verb}_system_grant`);
    else {
      const complete = holder && targetRow && (roleId === undefined || role);
      const domains = complete ? [holder.domain_id, targetRow.domain_id ?? targetRow.id] : [];
      const aboutRole = role ? { roleName: role.name, roleDomainId: role.domain_id } : {};
      permit(caller, verb === 'list' ? 'identity:list_grants' : `identity:${verb}_grant`, { domains, ...aboutRole });
    }
    if (!holder) fail(`${actor.kind}.not_found`, { id: actor.id });
    if (target.kind !== 'system' && !targetRow) fail(`${target.kind}.not_found`, { id: target.id ?? '' });
    if (roleId !== undefined && !role) fail('role.not_found', { id: roleId });
    if (verb === 'create' && role) checkRoleDomain(role, targetRow);
    return role;
  }

  function checkRoleDomain(role: RoleRow, target: ProjectRow | undefined): void {
    if (role.domain_id === null) return;
    if (!target) fail('role.domain_role_on_system', { role: role.id });
    if (role.domain_id !== (target.domain_id ?? target.id)) fail('role.wrong_domain', { role: role.id, domain: role.domain_id });
  }

  const grantOf = ({ actor, target, inherited }: GrantPlace, roleId: string): Grant => ({
    actor,
    targetId: target.id,
    roleId,
    inherited,
  });
  const detailOf = ({ actor, target, inherited }: GrantPlace) => ({
    [`${actor.kind}_id`]: actor.id,
    target: target.kind,
    target_id: target.id,
    inherited,
  });
  const tagFor = ({ actor }: GrantPlace): string => tagOf[actor.kind](actor.id);

  return {
    async list(caller: Caller, place: GrantPlace): Promise<RoleRow[]> {
      await checkParts(caller, 'list', place);
      return readRoles(
        db.read,
        await grantedRoleIds(db.read, { actor: place.actor, targetId: place.target.id, inherited: place.inherited }),
      );
    },

    async check(caller: Caller, place: GrantPlace, roleId: string): Promise<void> {
      await checkParts(caller, 'check', place, roleId);
      if (!(await hasGrant(db.read, grantOf(place, roleId)))) fail('grant.not_found', { role: roleId });
    },

    async create(caller: Caller, place: GrantPlace, roleId: string): Promise<void> {
      await checkParts(caller, 'create', place, roleId);
      await change(caller, async ({ tx, audit, touch }) => {
        await unlessMoved(
          () => fail('grant.not_found', { role: roleId }),
          () => insertGrant(tx, grantOf(place, roleId)),
        );
        touch(tagFor(place));
        audit('grant.created', { kind: 'role', id: roleId }, detailOf(place));
      });
    },

    async revoke(caller: Caller, place: GrantPlace, roleId: string): Promise<void> {
      await checkParts(caller, 'revoke', place, roleId);
      await change(caller, async ({ tx, audit, touch }) => {
        if (!(await deleteGrant(tx, grantOf(place, roleId)))) fail('grant.not_found', { role: roleId });
        touch(tagFor(place));
        audit('grant.revoked', { kind: 'role', id: roleId }, detailOf(place));
      });
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;
