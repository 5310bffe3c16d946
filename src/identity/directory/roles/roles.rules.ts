// Base roles, which grants refer to. A domain role belongs to one domain and has effect only through the roles it implies.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { findProject, tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { RoleRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  failOnBrokenReference,
  failOnDuplicateName,
  foundPage,
  mergeExtra,
  mergeOptions,
  NAME_AND_CREATION,
  pageOf,
  refuseImmutable,
  searchOf,
  single,
} from '../../ground/resource/index.ts';
import { refuseAlike } from './alike.ts';
import { type CreateRole, roleFields, type UpdateRole } from './roles.schema.ts';
import { deleteRole, findRole, insertRole, isGranted, listRoles, lockRole, lockRoleNames, updateRole } from './roles.store.ts';

type NewRole = Static<typeof CreateRole>['role'];
type RoleChanges = Static<typeof UpdateRole>['role'];

const filters: Filters = { name: { column: 'roles.name', kind: 'text' } };
export const roleSorts = { name: NAME_AND_CREATION.name };

export function createRoles({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  const target = async (id: string): Promise<IdentityTarget<RoleRow>> =>
    targetOf(
      await findRole(db.read, id),
      ({ name, domain_id }) => ({ roleName: name, roleDomainId: domain_id }),
      () => fail('role.not_found', { id }),
    );

  async function list(query: Query) {
    return foundPage(
      query,
      await listRoles(
        db,
        pageOf(query),
        { ...searchOf(query, roleSorts), criteria: criteriaOf(query, filters) },
        single(query, 'domain_id'),
      ),
    );
  }

  async function create(caller: Caller, body: NewRole): Promise<RoleRow> {
    const domainId = body.domain_id ?? null;
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
    await change(caller, async ({ tx, audit, invalidate }) => {
      refuseAlike(row, await lockRoleNames(db, tx, domainId));
      await failOnBrokenReference(
        () => fail('domain.not_found', { id: domainId ?? '' }),
        () => failOnDuplicateName('role', row.name, () => insertRole(tx, row)),
      );
      invalidate(tagOf.everything);
      audit('role.created', { kind: 'role', id: row.id });
    });
    return row;
  }

  async function update(caller: Caller, role: RoleRow, body: RoleChanges): Promise<RoleRow> {
    const { id } = role;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'role' });
    if (body.domain_id !== undefined && body.domain_id !== role.domain_id) fail('resource.domain_fixed');
    refuseImmutable('role', role, 'update', body);
    return change(caller, async ({ tx, audit, invalidate }) => {
      const current = (await lockRole(db, tx, id)) ?? fail('role.not_found', { id });
      const values = {
        name: body.name?.trim() ?? current.name,
        description: body.description === undefined ? current.description : body.description,
        options: mergeOptions(current.options, body.options),
        extra: mergeExtra(current.extra, extraOf(body, roleFields)),
      };
      if (values.name !== current.name) refuseAlike({ id, ...values }, await lockRoleNames(db, tx, current.domain_id));
      await failOnDuplicateName('role', values.name, () => updateRole(tx, id, values));
      invalidate(tagOf.everything);
      audit('role.updated', { kind: 'role', id }, { fields: Object.keys(body) });
      return { ...current, ...values };
    });
  }

  async function remove(caller: Caller, role: RoleRow): Promise<void> {
    const { id } = role;
    refuseImmutable('role', role, 'delete');
    await change(caller, async ({ tx, audit, invalidate }) => {
      if (!(await lockRole(db, tx, id))) fail('role.not_found', { id });
      // Locked: nobody gets it any more.
      const detail = { granted: await isGranted(tx, id), ...(role.domain_id === null ? {} : { domain_id: role.domain_id }) };
      await deleteRole(tx, id);
      invalidate(tagOf.everything);
      audit('role.deleted', { kind: 'role', id }, detail);
    });
  }

  return { target, list, create, update, remove };
}

export type Roles = ReturnType<typeof createRoles>;
