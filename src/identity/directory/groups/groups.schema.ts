// Wire format of groups.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { GroupRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const optional = { description: t.nullable(t.string()) };

export const groupFields = ['name', 'domain_id', 'description'];

const NewGroup = t.open({ name: Name }, { domain_id: t.string({ minLength: 1, maxLength: 64 }), ...optional });
export const CreateGroup = t.envelope('group', NewGroup);
const GroupChanges = t.changes(t.open({}, { name: Name, domain_id: t.string(), ...optional }));
export const UpdateGroup = t.envelope('group', GroupChanges);

export const Group = t.open({ id: t.string(), name: t.string(), domain_id: t.string(), description: t.string(), links: Links });
export const GroupEnvelope = t.envelope('group', Group);
export const GroupList = t.object({ links: ListLinks, groups: t.array(Group) });

export function renderGroup(base: string, row: GroupRow) {
  return {
    ...parseJson(row.extra),
    id: row.id,
    name: row.name,
    domain_id: row.domain_id,
    description: row.description,
    links: { self: `${base}/v3/groups/${row.id}` },
  };
}

/** With the end of the membership, which mappings of providers may give for a time. */
export const renderGroupOfUser = (base: string, row: GroupRow, end: number | undefined) => ({
  ...renderGroup(base, row),
  membership_expires_at: end === undefined ? null : isoTime(end * 1000),
});

t.name({ NewGroup, CreateGroup, GroupChanges, UpdateGroup, Group, GroupEnvelope, GroupList });
