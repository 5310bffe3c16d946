// Organizations of a domain, and their members.
import type { Reader } from '../../ground/database/index.ts';

const COLUMNS = ['projects.id', 'projects.name', 'projects.extra'] as const;

/** Databases limit the number of parameters in a statement. */
const CHUNK = 1000;

const everyOrganizationOf = (db: Reader, domainId: string) =>
  db.selectFrom('projects').where('projects.domain_id', '=', domainId).where('projects.is_domain', '=', 0);

const organizationsOf = (db: Reader, domainId: string) => everyOrganizationOf(db, domainId).where('projects.enabled', '=', 1);

/** All enabled ones, or those in `ids`. */
export async function organizationsIn(db: Reader, domainId: string, ids?: readonly string[]) {
  const all = organizationsOf(db, domainId).orderBy('projects.id').select(COLUMNS);
  if (!ids) return all.execute();
  const rows: Awaited<ReturnType<typeof all.execute>> = [];
  for (let at = 0; at < ids.length; at += CHUNK)
    rows.push(...(await all.where('projects.id', 'in', ids.slice(at, at + CHUNK)).execute()));
  return rows;
}

/** Organizations in which a user was granted a role, enabled or not. */
export async function organizationIdsWithRole(db: Reader, domainId: string, roleId: string, userId: string): Promise<string[]> {
  const rows = await everyOrganizationOf(db, domainId)
    .innerJoin('grants', 'grants.target_id', 'projects.id')
    .where('grants.user_id', '=', userId)
    .where('grants.role_id', '=', roleId)
    .where('grants.inherited', '=', 0)
    .select('projects.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Enabled organizations in which users were granted a role directly: not through a group, not inherited. */
export async function organizationsWithRole(db: Reader, domainId: string, roleId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return [];
  return organizationsOf(db, domainId)
    .innerJoin('grants', 'grants.target_id', 'projects.id')
    .where('grants.user_id', 'in', [...userIds])
    .where('grants.role_id', '=', roleId)
    .where('grants.inherited', '=', 0)
    .orderBy('projects.id')
    .select(COLUMNS)
    .select('grants.user_id as userId')
    .execute();
}
