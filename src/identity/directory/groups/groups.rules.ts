// Groups of users within a domain.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type DirectoryGuard, findProject, tagOf } from '../../access/context/index.ts';
import {
  type Caller,
  type Facts,
  type IdentityTarget,
  type RankGuard,
  targetOf,
  visibleDomain,
} from '../../access/rules/index.ts';
import type { GroupRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  failOnBrokenReference,
  failOnDuplicateName,
  foundPage,
  type ListQuery,
  mergeExtra,
  NAME_AND_CREATION,
  pageOf,
  searchOf,
  single,
  whereEquals,
} from '../../ground/resource/index.ts';
import { type CreateGroup, groupFields, type UpdateGroup } from './groups.schema.ts';
import { deleteGroup, findGroup, listGroups, lockGroup, readMembers, updateGroup } from './groups.store.ts';
import { createMemberships } from './members.rules.ts';
import { changeMembers, type MemberChange } from './membership.ts';
import { createMembershipEnds } from './membership-ends.rules.ts';
import { insertGroupRow } from './rows.rules.ts';

type NewGroup = Static<typeof CreateGroup>['group'];
type GroupChanges = Static<typeof UpdateGroup>['group'];

/** A change of a group: fields of the base API, and the attributes of provisioning clients. */
export interface GroupRevision {
  readonly body: GroupChanges;
  readonly externalId?: string | null;
  readonly members?: readonly MemberChange[];
}

const filters: Filters = {
  name: { column: 'groups.name', kind: 'text' },
  domain_id: { column: 'groups.domain_id', kind: 'text' },
};

/** The filters of the request, limited to what the caller may see. */
const groupListQuery = (caller: Caller, query: Query): ListQuery => ({
  ...searchOf(query, NAME_AND_CREATION),
  criteria: criteriaOf(query, filters),
  visible: whereEquals('groups.domain_id', visibleDomain(caller)),
});

export const groupFacts = ({ domain_id }: GroupRow): Facts => ({ domainId: domain_id });

export function createGroups(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & { refuseIfOutranked: RankGuard; directory: DirectoryGuard },
) {
  const { db, clock, change, refuseIfOutranked, directory } = deps;

  const target = async (id: string): Promise<IdentityTarget<GroupRow>> =>
    targetOf(await findGroup(db.read, id), groupFacts, () => fail('group.not_found', { id }));

  /** All groups, or only those of one user. */
  async function list(caller: Caller, query: Query, userId?: string) {
    await directory.refresh(visibleDomain(caller) ?? single(query, 'domain_id'));
    const member = userId === undefined ? undefined : { userId, now: seconds(clock) };
    return foundPage(query, await listGroups(db, pageOf(query), groupListQuery(caller, query), member));
  }

  async function create(
    caller: Caller,
    domainId: string,
    body: NewGroup,
    { externalId = null, members = [] }: Omit<GroupRevision, 'body'> = {},
  ): Promise<GroupRow> {
    if (!(await findProject(db.read, domainId))?.is_domain) fail('domain.not_found', { id: domainId });
    await directory.forbidNew(domainId);
    const values = {
      id: newId(),
      domain_id: domainId,
      name: body.name.trim(),
      description: body.description ?? '',
      extra: JSON.stringify(extraOf(body, groupFields)),
      external_id: externalId,
    };
    return change(caller, async (transaction) => {
      const row = await failOnBrokenReference(
        () => fail('domain.not_found', { id: domainId }),
        () => failOnDuplicateName('group', values.name, () => insertGroupRow(transaction, clock, values)),
      );
      // A new group has no roles, so anyone may be added.
      await changeMembers(transaction, row, members, async () => {});
      return row;
    });
  }

  const update = (caller: Caller, group: GroupRow, body: GroupChanges): Promise<GroupRow> =>
    revise(caller, group, () => ({ body }));

  /** `revisionOf` is called twice: before the transaction for the checks, and again with the locked row. */
  async function revise(caller: Caller, group: GroupRow, revisionOf: (group: GroupRow) => GroupRevision): Promise<GroupRow> {
    const { id } = group;
    await refuseIfOutranked(db.read, caller, 'identity:update_group', { groupId: id });
    await directory.forbid('group', id);
    const { body } = revisionOf(group);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'group' });
    if (body.domain_id !== undefined && body.domain_id !== group.domain_id) fail('resource.domain_fixed');
    return change(caller, async (transaction) => {
      const current = (await lockGroup(db, transaction.tx, id)) ?? fail('group.not_found', { id });
      await refuseIfOutranked(transaction.tx, caller, 'identity:update_group', { groupId: id });
      const { body: fields, externalId, members = [] } = revisionOf(current);
      const values = {
        name: fields.name?.trim() ?? current.name,
        description: fields.description === undefined ? current.description : (fields.description ?? ''),
        extra: mergeExtra(current.extra, extraOf(fields, groupFields)),
        external_id: externalId === undefined ? current.external_id : externalId,
        updated_at: clock.now(),
      };
      const checkNewMembers = (admits: readonly string[]) =>
        refuseIfOutranked(transaction.tx, caller, 'identity:update_group', { groupId: id }, { admits });
      const changed = (await changeMembers(transaction, current, members, checkNewMembers)) > 0 || Object.keys(fields).length > 0;
      transaction.audit('group.updated', { kind: 'group', id }, { fields: Object.keys(fields) });
      // Provisioning clients repeat requests. An unchanged group keeps its version.
      if (!changed && values.external_id === current.external_id) return current;
      await failOnDuplicateName('group', values.name, () => updateGroup(transaction.tx, id, values));
      return { ...current, ...values, version: current.version + 1 };
    });
  }

  /** `expect` gets the locked row, and throws if it is not as the caller expects. */
  async function remove(caller: Caller, { id, domain_id }: GroupRow, expect?: (group: GroupRow) => void): Promise<void> {
    await refuseIfOutranked(db.read, caller, 'identity:delete_group', { groupId: id });
    await directory.forbidDeletion('group', id);
    await change(caller, async ({ tx, audit, invalidate }) => {
      expect?.((await lockGroup(db, tx, id)) ?? fail('group.not_found', { id }));
      await directory.forbidDeletion('group', id, tx);
      await refuseIfOutranked(tx, caller, 'identity:delete_group', { groupId: id });
      await deleteGroup(tx, id);
      invalidate(tagOf.group(id));
      invalidate(tagOf.census('groups'));
      audit('group.deleted', { kind: 'group', id }, { domain_id });
    });
  }

  return {
    find: (id: string): Promise<GroupRow | undefined> => findGroup(db.read, id),
    /** The members of these groups, for provisioning clients: without those from other domains. */
    membersOf: (ids: readonly string[]) => readMembers(db.read, ids),
    target,
    list,
    create,
    update,
    revise,
    remove,
    /** Removes memberships that have ended. Returns how many. */
    sweep: createMembershipEnds(deps),
    ...createMemberships(deps),
  };
}

export type Groups = ReturnType<typeof createGroups>;
