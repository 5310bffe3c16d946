// Base roles that people and groups have, on projects, on domains and on the system.
import { t } from '../../../../platform/http/index.ts';
import { giveRole } from '../../../directory/grants/index.ts';
import { makeEach, type ReadPlace, type Remark, recordKind } from '../kind.ts';
import { roleNames } from './existing.store.ts';
import { key, name } from './fields.ts';

/** One of `user` and `group`, and one of `project` and `domain`; on the system with neither. `who`: what people call the one who has it. */
const schema = t.object(
  { key, role: key },
  { user: key, group: key, project: key, domain: key, inherited: t.boolean(), who: name },
);

type GrantRecord = {
  role: string;
  user?: string | undefined;
  group?: string | undefined;
  project?: string | undefined;
  domain?: string | undefined;
  inherited?: boolean | undefined;
  who?: string | undefined;
};

const actorOf = ({ user, group }: GrantRecord) =>
  user !== undefined ? ({ kind: 'user', key: user } as const) : ({ kind: 'group', key: group ?? '' } as const);
const targetOf = ({ project, domain }: GrantRecord) =>
  project !== undefined
    ? ({ kind: 'project', key: project } as const)
    : domain !== undefined
      ? ({ kind: 'domain', key: domain } as const)
      : undefined;
const placeWords = (record: GrantRecord): string => {
  const target = targetOf(record);
  return target ? `the ${target.kind} ${target.key}` : 'the system';
};

async function administrators(place: ReadPlace, records: readonly (GrantRecord & { readonly key: string })[]) {
  const ids = new Map(records.map(({ role }) => [place.idOfNeeded('role', role), role]));
  const admins = (await roleNames(place.reader, [...ids.keys()])).filter(({ name }) => name === 'admin').map(({ id }) => id);
  const isAdmin = ({ role }: GrantRecord): boolean => admins.includes(place.idOfNeeded('role', role));
  return new Map(
    records.filter(isAdmin).map((record): [string, Remark[]] => {
      const { kind, key: its } = actorOf(record);
      const named = record.who === undefined ? its : `${record.who} (${its})`;
      const who = kind === 'user' ? `the user ${named} becomes` : `everybody in the group ${named} becomes`;
      return [record.key, [{ about: 'administrator', text: `${who} administrator: the role admin on ${placeWords(record)}` }]];
    }),
  );
}

export const grant = recordKind({
  schema,
  words: (record) => `the role ${record.role} of the ${actorOf(record).kind} ${actorOf(record).key} on ${placeWords(record)}`,
  needs(record) {
    const target = targetOf(record);
    return [{ kind: 'role', key: record.role }, actorOf(record), ...(target ? [target] : [])];
  },
  // Another name does not make it another grant.
  parts: ({ who: _, ...all }) => ({ all }),
  remarks: administrators,
  make: ({ change, idOfNeeded }, records) =>
    makeEach(records, async (record) => {
      const { role, inherited = false } = record;
      const [actor, target] = [actorOf(record), targetOf(record)];
      const given = {
        actor: { kind: actor.kind, id: idOfNeeded(actor.kind, actor.key) },
        target: target ? { kind: target.kind, id: idOfNeeded(target.kind, target.key) } : { kind: 'system' as const, id: null },
        roleId: idOfNeeded('role', role),
        inherited,
      };
      await giveRole(change, given);
      return `${given.actor.id} ${given.target.id ?? 'system'} ${given.roleId}${inherited ? ' inherited' : ''}`;
    }),
  update: async (_, here) => here,
});
