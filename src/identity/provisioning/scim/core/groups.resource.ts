// Groups as SCIM resources. Members are rows of a table: they are read only when requested, and changed by SQL statements.

import { type GroupMember, type Groups, groupFacts, type MemberChange, type NewMember } from '../../../directory/groups/index.ts';
import type { GroupRow } from '../../../ground/database/index.ts';
import { fail } from '../../../ground/faults.ts';
import { parseJson } from '../../../ground/resource/index.ts';
import type { Resource } from './attribute.ts';
import { groupType } from './definitions.ts';
import { matches } from './filter.ts';
import {
  type Extras,
  externalIdOf,
  metaOf,
  type Precondition,
  type ResourceHandler,
  type Revision,
  readName,
  targetWithin,
} from './handler.ts';
import { type MemberStep, memberSteps } from './members.ts';
import { applyPatch } from './patch.ts';

function renderMember(member: GroupMember, base: string): Resource {
  const { displayName } = parseJson(member.profile);
  const display = member.display ?? (typeof displayName === 'string' ? displayName : member.name);
  return { value: member.userId, $ref: `${base}/Users/${member.userId}`, type: 'User', display };
}

function renderGroup(row: GroupRow, base: string, members: readonly GroupMember[] = []): Resource {
  return {
    schemas: [groupType.core.id],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.name,
    ...(members.length > 0 ? { members: members.map((member) => renderMember(member, base)) } : {}),
    meta: metaOf(groupType, base, row),
  };
}

function toChange(step: MemberStep): MemberChange {
  switch (step.kind) {
    case 'add':
      return { kind: 'add', members: step.members.map(({ value, display = null }) => ({ userId: value, display })) };
    case 'remove':
      return { kind: 'remove', userIds: step.ids };
    case 'removeWhere':
      return { kind: 'removeWhere', test: (member) => matches(step.filter, renderMember(member, '')) };
    default:
      return { kind: 'clear' };
  }
}

/** Clearing and then adding is one replacement: members who stay are not touched. */
function toChanges(steps: readonly MemberStep[]): MemberChange[] {
  const changes: MemberChange[] = [];
  for (const change of steps.map(toChange)) {
    const follows = change.kind === 'add' && changes.at(-1)?.kind === 'clear';
    if (follows) changes.pop();
    changes.push(follows ? { ...change, kind: 'replace' } : change);
  }
  return changes;
}

interface MemberInput {
  readonly value?: unknown;
  readonly display?: unknown;
}

function membersOf({ members }: Resource): NewMember[] {
  const inputs = (Array.isArray(members) ? members : []) as readonly MemberInput[];
  return inputs.map(({ value, display }) => {
    if (typeof value !== 'string' || value === '') fail('scim.invalid_value', { name: 'members', why: 'each needs a value' });
    return { userId: value, display: typeof display === 'string' ? display : null };
  });
}

/** The group after the revision, and the changes of its members. */
function revisedGroup(row: GroupRow, revision: Revision): { resource: Resource; members: readonly MemberChange[] } {
  const current = renderGroup(row, '');
  if (revision.kind === 'patch') {
    const { rest, steps } = memberSteps(groupType, revision.operations);
    return { resource: applyPatch(groupType, current, rest), members: toChanges(steps) };
  }
  const { input } = revision;
  if (revision.kind === 'merge' && !('members' in input)) return { resource: { ...current, ...input }, members: [] };
  return {
    resource: revision.kind === 'merge' ? { ...current, ...input } : input,
    members: [{ kind: 'replace', members: membersOf(input) }],
  };
}

export function createGroupResources({ groups }: { groups: Groups }): ResourceHandler<'groups'> {
  return {
    type: groupType,
    table: 'groups',

    target: async (context, id) =>
      targetWithin(context, await groups.find(id), groupFacts, () => fail('group.not_found', { id })),

    async render({ base }, rows, wants) {
      const ids = rows.map((row) => row.id);
      const members = wants('members') ? await groups.membersOf(ids) : [];
      const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
      return rows.map((row) => renderGroup(row, base, byGroup.get(row.id)));
    },

    create: ({ caller }, domainId, input) =>
      groups.create(
        caller,
        domainId,
        { name: readName(input, 'displayName') },
        { externalId: externalIdOf(input), members: [{ kind: 'add', members: membersOf(input) }] },
      ),

    revise: ({ caller }, group, revision, expect?: Precondition, extras: Extras = {}) =>
      groups.revise(caller, group, (row) => {
        expect?.(row);
        const { resource, members } = revisedGroup(row, revision);
        const name = readName(resource, 'displayName');
        return {
          body: {
            ...(extras.id === undefined ? {} : { id: extras.id }),
            ...(extras.domainId === undefined ? {} : { domain_id: extras.domainId }),
            ...(name === row.name ? {} : { name }),
          },
          externalId: externalIdOf(resource),
          members,
        };
      }),

    remove: ({ caller }, group, expect) => groups.remove(caller, group, expect),
  };
}
