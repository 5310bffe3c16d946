// Groups of users within a domain.
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Caller,
  type Facts,
  findProject,
  type IdentityTarget,
  type Shield,
  tagOf,
  targetOf,
  visibleDomain,
} from '../access/index.ts';
import type { GroupRow } from '../database.ts';
import { fail } from '../faults.ts';
import {
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  mergeExtra,
  only,
  pageOf,
  single,
  unlessMoved,
  unlessTaken,
  type Wanted,
} from '../resource/index.ts';
import { type CreateGroup, groupFields, type UpdateGroup } from './groups.schema.ts';
import { deleteGroup, findGroup, insertGroup, listGroups, lockGroup, updateGroup } from './groups.store.ts';
import { createMemberships } from './members.rules.ts';
import { changeMembers, type MemberChange } from './membership.ts';

type NewGroup = Static<typeof CreateGroup>['group'];
type GroupChanges = Static<typeof UpdateGroup>['group'];

/** A change of a group: of what the base API shows, and of what provisioning keeps with it. */
export interface GroupRevision {
  readonly body: GroupChanges;
  readonly externalId?: string | null;
  readonly members?: readonly MemberChange[];
}

const filters: Filters = {
  name: { column: 'groups.name', kind: 'text' },
  domain_id: { column: 'groups.domain_id', kind: 'text' },
};

/** What was asked for, within what the caller may see. */
const wantedGroups = (caller: Caller, query: Query): Wanted => ({
  criteria: criteriaOf(query, filters),
  visible: only('groups.domain_id', visibleDomain(caller)),
});

export const groupFacts = ({ domain_id }: GroupRow): Facts => ({ domainId: domain_id });

export function createGroups(deps: Pick<Deps, 'db' | 'clock' | 'change'> & { shield: Shield }) {
  const { db, clock, change, shield } = deps;

  const target = async (id: string): Promise<IdentityTarget<GroupRow>> =>
    targetOf(await findGroup(db.read, id), groupFacts, () => fail('group.not_found', { id }));

  /** Groups, or only those one user is a member of. */
  async function list(caller: Caller, query: Query, userId?: string) {
    const page = await listGroups(db, pageOf(query), wantedGroups(caller, query), userId);
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function create(
    caller: Caller,
    domainId: string,
    body: NewGroup,
    { externalId = null, members = [] }: Omit<GroupRevision, 'body'> = {},
  ): Promise<GroupRow> {
    if (!(await findProject(db.read, domainId))?.is_domain) fail('domain.not_found', { id: domainId });
    const row: GroupRow = {
      id: newId(),
      domain_id: domainId,
      name: body.name.trim(),
      description: body.description ?? '',
      extra: JSON.stringify(extraOf(body, groupFields)),
      created_at: seconds(clock),
      version: 1,
      updated_at: clock.now(),
      external_id: externalId,
    };
    await change(caller, async (transaction) => {
      await unlessMoved(
        () => fail('domain.not_found', { id: domainId }),
        () => unlessTaken('group', row.name, () => insertGroup(transaction.tx, row)),
      );
      transaction.invalidate(tagOf.census('groups'));
      transaction.audit('group.created', { kind: 'group', id: row.id }, { domain_id: domainId });
      // A new group holds nothing that its members could get.
      await changeMembers(transaction, row, members, async () => {});
    });
    return row;
  }

  const update = (caller: Caller, group: GroupRow, body: GroupChanges): Promise<GroupRow> =>
    revise(caller, group, () => ({ body }));

  /** Changes a group by what it is at that moment: asked once for the checks, and again with the row held. */
  async function revise(caller: Caller, group: GroupRow, revisionOf: (group: GroupRow) => GroupRevision): Promise<GroupRow> {
    const { id } = group;
    await shield(db.read, caller, 'identity:update_group', { groupId: id });
    const { body } = revisionOf(group);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'group' });
    if (body.domain_id !== undefined && body.domain_id !== group.domain_id) fail('resource.domain_fixed');
    return change(caller, async (transaction) => {
      const held = (await lockGroup(db, transaction.tx, id)) ?? fail('group.not_found', { id });
      await shield(transaction.tx, caller, 'identity:update_group', { groupId: id });
      const { body: fields, externalId, members = [] } = revisionOf(held);
      const values = {
        name: fields.name?.trim() ?? held.name,
        description: fields.description === undefined ? held.description : (fields.description ?? ''),
        extra: mergeExtra(held.extra, extraOf(fields, groupFields)),
        external_id: externalId === undefined ? held.external_id : externalId,
        updated_at: clock.now(),
      };
      const admit = (admits: readonly string[]) =>
        shield(transaction.tx, caller, 'identity:update_group', { groupId: id }, { admits });
      const changed = (await changeMembers(transaction, held, members, admit)) > 0 || Object.keys(fields).length > 0;
      transaction.audit('group.updated', { kind: 'group', id }, { fields: Object.keys(fields) });
      // Clients that provision repeat themselves: what is as they want it keeps its version.
      if (!changed && values.external_id === held.external_id) return held;
      await unlessTaken('group', values.name, () => updateGroup(transaction.tx, id, values));
      return { ...held, ...values, version: held.version + 1 };
    });
  }

  async function remove(caller: Caller, { id }: GroupRow): Promise<void> {
    await shield(db.read, caller, 'identity:delete_group', { groupId: id });
    await change(caller, async ({ tx, audit, invalidate }) => {
      await shield(tx, caller, 'identity:delete_group', { groupId: id });
      await deleteGroup(tx, id);
      invalidate(tagOf.group(id));
      invalidate(tagOf.census('groups'));
      audit('group.deleted', { kind: 'group', id });
    });
  }

  return { target, list, create, update, revise, remove, ...createMemberships(deps) };
}

export type Groups = ReturnType<typeof createGroups>;
