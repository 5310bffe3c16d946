// What is here already, by ids and by names.
import { isIn } from '../../../../platform/database/index.ts';
import type { Reader } from '../../../ground/database/index.ts';
import { NOUN_NAMES, type NounName } from '../../../ground/noun-names.ts';

type Named = 'users' | 'groups' | 'projects' | 'roles';

export interface NamedRow {
  readonly id: string;
  readonly name: string;
}

const AT_ONCE = 500;

async function inPortions<T, R>(items: readonly T[], read: (portion: readonly T[]) => Promise<R[]>): Promise<R[]> {
  const all: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) all.push(...(await read(items.slice(at, at + AT_ONCE))));
  return all;
}

export async function idsAmong(reader: Reader, table: Named, ids: readonly string[]): Promise<Set<string>> {
  const rows = await inPortions(ids, (portion) => reader.selectFrom(table).where(isIn('id', portion)).select('id').execute());
  return new Set(rows.map((row) => row.id));
}

/** Those of these ids that domains have, or projects. Both are rows of one table. */
export async function placesAmong(reader: Reader, isDomain: boolean, ids: readonly string[]): Promise<Set<string>> {
  const rows = await inPortions(ids, (portion) =>
    reader
      .selectFrom('projects')
      .where('is_domain', '=', isDomain ? 1 : 0)
      .where(isIn('id', portion))
      .select('id')
      .execute(),
  );
  return new Set(rows.map((row) => row.id));
}

export const domainsNamed = (reader: Reader, names: readonly string[]): Promise<NamedRow[]> =>
  inPortions(names, (portion) =>
    reader.selectFrom('projects').where('is_domain', '=', 1).where(isIn('name', portion)).select(['id', 'name']).execute(),
  );

/** Of a domain; roles that are of none with null. */
export const named = (reader: Reader, table: Named, domainId: string | null, names: readonly string[]): Promise<NamedRow[]> =>
  inPortions(names, (portion) =>
    reader
      .selectFrom(table)
      .where('domain_id', domainId === null ? 'is' : '=', domainId)
      .where(isIn('name', portion))
      .select(['id', 'name'])
      .execute(),
  );

export const usersOfKeys = (
  reader: Reader,
  domainId: string,
  keys: readonly string[],
): Promise<{ readonly id: string; readonly name_key: string }[]> =>
  inPortions(keys, (portion) =>
    reader
      .selectFrom('users')
      .where('domain_id', '=', domainId)
      .where(isIn('name_key', portion))
      .select(['id', 'name_key'])
      .execute(),
  );

export const roleNames = (reader: Reader, ids: readonly string[]): Promise<NamedRow[]> =>
  inPortions(ids, (portion) => reader.selectFrom('roles').where(isIn('id', portion)).select(['id', 'name']).execute());

/** Of a noun. */
export async function nounIds(reader: Reader, one: NounName, ids: readonly string[]): Promise<Set<string>> {
  // The statements are the same for every such table; their types would differ.
  const table = NOUN_NAMES[one].many as 'policies';
  const rows = await inPortions(ids, (portion) => reader.selectFrom(table).where(isIn('id', portion)).select('id').execute());
  return new Set(rows.map((row) => row.id));
}

const OWNED = { credential: 'credentials', application_credential: 'application_credentials', trust: 'trusts' } as const;

export async function delegationIds(reader: Reader, kind: keyof typeof OWNED, ids: readonly string[]): Promise<Set<string>> {
  const rows = await inPortions(ids, (portion) =>
    reader.selectFrom(OWNED[kind]).where(isIn('id', portion)).select('id').execute(),
  );
  return new Set(rows.map((row) => row.id));
}

/** Those of these groups that have the role admin anywhere. */
export async function groupsOfAdministrators(reader: Reader, groupIds: readonly string[]): Promise<Set<string>> {
  const rows = await inPortions(groupIds, (portion) =>
    reader
      .selectFrom('grants')
      .innerJoin('roles', 'roles.id', 'grants.role_id')
      .where('roles.name', '=', 'admin')
      .where('roles.domain_id', 'is', null)
      .where(isIn('grants.group_id', portion))
      .select('grants.group_id')
      .distinct()
      .execute(),
  );
  return new Set(rows.map((row) => row.group_id!));
}
