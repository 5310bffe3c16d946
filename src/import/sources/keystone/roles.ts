// Roles, which implies which, and who has them where.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import { type Readers, Unreadable } from '../../source.ts';
import { flag, pages, type Row, type SqlSource, textOf } from '../../sql/index.ts';
import { damaged, eachRow, extraOf, IMMUTABLE, NONE, nothingBeside, optionsOf, rowsOf } from './rows.ts';

/** By the type of an assignment: who has the role, and where. */
const ASSIGNED = {
  UserProject: ['user', 'project'],
  GroupProject: ['group', 'project'],
  UserDomain: ['user', 'domain'],
  GroupDomain: ['group', 'domain'],
} as const;
const ON_SYSTEM = { UserSystem: 'user', GroupSystem: 'group' } as const;

const whoOf = (actor: unknown, names: ReadonlyMap<string, string>) => {
  const who = names.get(String(actor));
  return who === undefined || who.trim() === '' ? {} : { who };
};

function assignmentOf(row: Row, names: ReadonlyMap<string, string>): RecordOf<'grant'> | Unreadable {
  const { type, actor_id, target_id, role_id } = row;
  const found = ASSIGNED[String(type) as keyof typeof ASSIGNED];
  if (!found) return new Unreadable(`assignment of the role ${role_id}`, `its type is ${type}`);
  const [actor, target] = found;
  const inherited = flag(row.inherited);
  return {
    key: `${type} ${actor_id} ${target_id} ${role_id} ${inherited ? 1 : 0}`,
    role: String(role_id),
    [actor]: String(actor_id),
    [target]: String(target_id),
    inherited,
    ...whoOf(actor_id, names),
  } as RecordOf<'grant'>;
}

function systemAssignmentOf(
  { type, actor_id, role_id }: Row,
  names: ReadonlyMap<string, string>,
): RecordOf<'grant'> | Unreadable {
  const actor = ON_SYSTEM[String(type) as keyof typeof ON_SYSTEM];
  if (!actor) return new Unreadable(`assignment of the role ${role_id} on the system`, `its type is ${type}`);
  return {
    key: `${type} ${actor_id} ${role_id}`,
    role: String(role_id),
    [actor]: String(actor_id),
    ...whoOf(actor_id, names),
  } as RecordOf<'grant'>;
}

export function roleReaders(source: SqlSource): Readers {
  /** For people who read the report. */
  async function namesOf(rows: readonly Row[]): Promise<Map<string, string>> {
    const ids = [...new Set(rows.map(({ actor_id }) => String(actor_id)))];
    const users = await rowsOf(source, 'local_user', 'user_id', ids);
    const groups = await rowsOf(source, 'group', 'id', ids);
    return new Map([...users, ...groups].map(([id, [row]]) => [id, String(row!.name)]));
  }

  return {
    role: () =>
      eachRow(
        source,
        { table: 'role', columns: ['id', 'name', 'extra', 'domain_id', 'description'], key: ['id'] },
        (rows) =>
          rowsOf(
            source,
            'role_option',
            'role_id',
            rows.map(({ id }) => id),
          ),
        (row, options): RecordOf<'role'> | Unreadable => {
          const extra = extraOf(row);
          const [id, domain] = [String(row.id), textOf(row.domain_id)];
          if (!extra) return damaged('role', id);
          return {
            key: id,
            id,
            name: String(row.name),
            ...(domain === undefined || domain === NONE ? {} : { domain }),
            description: textOf(row.description) ?? null,
            options: optionsOf(options.get(id), IMMUTABLE),
            extra,
          };
        },
      ),

    role_implication: () =>
      eachRow(
        source,
        { table: 'implied_role', columns: [], key: ['prior_role_id', 'implied_role_id'] },
        nothingBeside,
        ({ prior_role_id, implied_role_id }) => ({
          key: `${prior_role_id} ${implied_role_id}`,
          prior: String(prior_role_id),
          implied: String(implied_role_id),
        }),
      ),

    async *grant() {
      const key = ['type', 'actor_id', 'target_id', 'role_id', 'inherited'];
      for await (const rows of pages(source, { table: 'assignment', columns: [], key })) {
        const names = await namesOf(rows);
        yield* rows.map((row) => assignmentOf(row, names));
      }
      for await (const rows of pages(source, { table: 'system_assignment', columns: [], key })) {
        const names = await namesOf(rows);
        yield* rows.map((row) => systemAssignmentOf(row, names));
      }
    },
  };
}
