// Granting roles. A grant has three parts; whoever may not see one of them learns nothing of the others.
import { type Caller, findProject, type IdentityTarget, tagOf } from '../access/index.ts';
import type { ProjectRow, RoleRow } from '../database.ts';
import { fail } from '../faults.ts';
import { findGroup } from '../groups/index.ts';
import { type Deps, unlessMoved } from '../resource/index.ts';
import { findRole, readRoles } from '../roles/index.ts';
import { findUser } from '../users/index.ts';
import { deleteGrant, type Grant, grantedRoleIds, hasGrant, insertGrant } from './grants.store.ts';

/** Where a grant stands, by the words of its path. */
export type TargetKind = 'project' | 'domain' | 'system';

export interface GrantPlace {
  readonly actor: Grant['actor'];
  readonly target: { readonly kind: TargetKind; readonly id: string | null };
  readonly inherited: boolean;
}

/** A grant, whether or not there is one: its place and its role, which are there. */
export interface GrantParts {
  readonly place: GrantPlace;
  /** Where it stands; undefined for the system. */
  readonly on: ProjectRow | undefined;
  readonly role: RoleRow;
}

export function createGrants({ db, change }: Pick<Deps, 'db' | 'change'>) {
  async function findTarget({ kind, id }: GrantPlace['target']): Promise<ProjectRow | undefined> {
    const row = id === null ? undefined : await findProject(db.read, id);
    return kind === 'domain' && row?.is_domain !== 1 ? undefined : row;
  }

  const findHolder = ({ kind, id }: GrantPlace['actor']) => (kind === 'user' ? findUser(db.read, id) : findGroup(db.read, id));

  /** The domains are known only when every part is there: one that is missing is as one elsewhere. */
  async function placeTarget(place: GrantPlace): Promise<IdentityTarget<GrantPlace> & { readonly on: ProjectRow | undefined }> {
    const { actor, target } = place;
    const [holder, on] = await Promise.all([findHolder(actor), findTarget(target)]);
    return {
      facts: { domains: holder && on ? [holder.domain_id, on.domain_id ?? on.id] : [] },
      on,
      get() {
        if (!holder) fail(`${actor.kind}.not_found`, { id: actor.id });
        if (target.kind !== 'system' && !on) fail(`${target.kind}.not_found`, { id: target.id ?? '' });
        return place;
      },
    };
  }

  async function target(place: GrantPlace, roleId: string): Promise<IdentityTarget<GrantParts>> {
    const [{ facts, on, get }, role] = await Promise.all([placeTarget(place), findRole(db.read, roleId)]);
    return {
      facts: role ? { ...facts, roleName: role.name, roleDomainId: role.domain_id } : { domains: [] },
      get: () => ({ place: get(), on, role: role ?? fail('role.not_found', { id: roleId }) }),
    };
  }

  function checkRoleDomain({ role, on }: GrantParts): void {
    if (role.domain_id === null) return;
    if (!on) fail('role.domain_role_on_system', { role: role.id });
    if (role.domain_id !== (on.domain_id ?? on.id)) fail('role.wrong_domain', { role: role.id, domain: role.domain_id });
  }

  const grantOf = ({ place: { actor, target, inherited }, role }: GrantParts): Grant => ({
    actor,
    targetId: target.id,
    roleId: role.id,
    inherited,
  });
  const detailOf = ({ place: { actor, target, inherited } }: GrantParts) => ({
    [`${actor.kind}_id`]: actor.id,
    target: target.kind,
    target_id: target.id,
    inherited,
  });
  const tagFor = ({ place: { actor } }: GrantParts): string => tagOf[actor.kind](actor.id);

  return {
    placeTarget,
    target,

    async list(place: GrantPlace): Promise<RoleRow[]> {
      return readRoles(
        db.read,
        await grantedRoleIds(db.read, { actor: place.actor, targetId: place.target.id, inherited: place.inherited }),
      );
    },

    async check(parts: GrantParts): Promise<void> {
      if (!(await hasGrant(db.read, grantOf(parts)))) fail('grant.not_found', { role: parts.role.id });
    },

    async create(caller: Caller, parts: GrantParts): Promise<void> {
      const roleId = parts.role.id;
      checkRoleDomain(parts);
      await change(caller, async ({ tx, audit, invalidate }) => {
        await unlessMoved(
          () => fail('grant.not_found', { role: roleId }),
          () => insertGrant(tx, grantOf(parts)),
        );
        invalidate(tagFor(parts));
        audit('grant.created', { kind: 'role', id: roleId }, detailOf(parts));
      });
    },

    async revoke(caller: Caller, parts: GrantParts): Promise<void> {
      const roleId = parts.role.id;
      await change(caller, async ({ tx, audit, invalidate }) => {
        if (!(await deleteGrant(tx, grantOf(parts)))) fail('grant.not_found', { role: roleId });
        invalidate(tagFor(parts));
        audit('grant.revoked', { kind: 'role', id: roleId }, detailOf(parts));
      });
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;
