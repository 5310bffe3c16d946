// Organizations of a domain, and who was made a member of them.
import type { Reader } from '../database.ts';

const COLUMNS = ['projects.id', 'projects.name', 'projects.extra'] as const;

const organizationsOf = (db: Reader, domainId: string) =>
  db
    .selectFrom('projects')
    .where('projects.domain_id', '=', domainId)
    .where('projects.is_domain', '=', 0)
    .where('projects.enabled', '=', 1);

export const organizationsIn = (db: Reader, domainId: string) =>
  organizationsOf(db, domainId).orderBy('projects.id').select(COLUMNS).execute();

/** Organizations of a domain in which users were themselves given a role: not through a group, not from above. */
export async function organizationsGiven(db: Reader, domainId: string, roleId: string, userIds: readonly string[]) {
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
