// Base roles: names that grants refer to. A domain role belongs to one domain and counts only by what it implies.
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { findProject, tagOf } from '../access/index.ts';
import { extraOf, mergeExtra, mergeOptions } from '../attributes.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved, unlessTaken } from '../conflicts.ts';
import type { RoleRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { refuseImmutable } from '../immutable.ts';
import { criteriaOf, type Filters, pageOf, single } from '../lists.ts';
import { permit } from '../policy.ts';
import { type CreateRole, roleFields, type UpdateRole } from './roles.schema.ts';
import { deleteRole, findRole, insertRole, listRoles, lockRole, updateRole } from './roles.store.ts';

type NewRole = Static<typeof CreateRole>['role'];
type RoleChanges = Static<typeof UpdateRole>['role'];

const filters: Filters = { name: { column: 'roles.name', kind: 'text' } };

export function createRoles({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  /** The policy has a rule for roles and one for domain roles; a role nobody found is asked about as a plain one. */
  async function roleFor(caller: Caller, action: 'get' | 'update' | 'delete', id: string): Promise<RoleRow> {
    const role = await findRole(db.read, id);
    permit(
      caller,
      role?.domain_id ? `identity:${action}_domain_role` : `identity:${action}_role`,
      role ? { roleName: role.name } : {},
    );
    return role ?? fail('role.not_found', { id });
  }

  async function list(caller: Caller, query: Query) {
    const domainId = single(query, 'domain_id');
    permit(caller, domainId ? 'identity:list_domain_roles' : 'identity:list_roles');
    const page = await listRoles(db, pageOf(query), criteriaOf(query, filters), domainId);
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function create(caller: Caller, body: NewRole): Promise<RoleRow> {
    const domainId = body.domain_id ?? null;
    permit(caller, domainId ? 'identity:create_domain_role' : 'identity:create_role');
    if (domainId && !(await findProject(db.read, domainId))?.is_domain) fail('domain.not_found', { id: domainId });
    const row: RoleRow = {
      id: newId(),
      name: body.name.trim(),
      domain_id: domainId,
      description: body.description ?? null,
      options: mergeOptions('{}', body.options),
      extra: JSON.stringify(extraOf(body, roleFields)),
      created_at: seconds(clock),
    };
    await change(caller, async ({ tx, audit, touch }) => {
      await unlessMoved(
        () => fail('domain.not_found', { id: domainId ?? '' }),
        () => unlessTaken('role', row.name, () => insertRole(tx, row)),
      );
      touch(tagOf.everything);
      audit('role.created', { kind: 'role', id: row.id });
    });
    return row;
  }

  async function update(caller: Caller, id: string, body: RoleChanges): Promise<RoleRow> {
    const role = await roleFor(caller, 'update', id);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'role' });
    if (body.domain_id !== undefined && body.domain_id !== role.domain_id) fail('resource.domain_fixed');
    refuseImmutable('role', role, 'update', body);
    return change(caller, async ({ tx, audit, touch }) => {
      const held = (await lockRole(db, tx, id)) ?? fail('role.not_found', { id });
      const values = {
        name: body.name?.trim() ?? held.name,
        description: body.description === undefined ? held.description : body.description,
        options: mergeOptions(held.options, body.options),
        extra: mergeExtra(held.extra, extraOf(body, roleFields)),
      };
      await unlessTaken('role', values.name, () => updateRole(tx, id, values));
      touch(tagOf.everything);
      audit('role.updated', { kind: 'role', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function remove(caller: Caller, id: string): Promise<void> {
    refuseImmutable('role', await roleFor(caller, 'delete', id), 'delete');
    await change(caller, async ({ tx, audit, touch }) => {
      if (!(await deleteRole(tx, id))) fail('role.not_found', { id });
      touch(tagOf.everything);
      audit('role.deleted', { kind: 'role', id });
    });
  }

  return { get: (caller: Caller, id: string) => roleFor(caller, 'get', id), list, create, update, remove };
}

export type Roles = ReturnType<typeof createRoles>;
