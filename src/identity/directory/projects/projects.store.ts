// Projects, domains and tags in the database.
import { sql } from 'kysely';
import { insertRows, lockRow, type PageRequest, type RowPage, type SqlCondition } from '../../../platform/database/index.ts';
import type { Database, ProjectRow, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, endedAt, type ListQuery, readNamedPage } from '../../ground/resource/index.ts';
import type { ProjectWithTags } from './projects.schema.ts';

export function findByName(db: Reader, name: string, domainId: string | null): Promise<ProjectRow | undefined> {
  const query = db.selectFrom('projects').where('name', '=', name).selectAll();
  return (
    domainId === null ? query.where('is_domain', '=', 1) : query.where('is_domain', '=', 0).where('domain_id', '=', domainId)
  ).executeTakeFirst();
}

export async function withTags(db: Reader, rows: readonly ProjectRow[]): Promise<ProjectWithTags[]> {
  const ids = rows.map((row) => row.id);
  const tags =
    ids.length > 0
      ? await db.selectFrom('project_tags').where('project_id', 'in', ids).orderBy('name').selectAll().execute()
      : [];
  const byProject = Map.groupBy(tags, (tag) => tag.project_id);
  return rows.map((row) => ({ ...row, tags: (byProject.get(row.id) ?? []).map((tag) => tag.name) }));
}

export interface TagFilters {
  /** Must have all / any / not all / none of these. */
  readonly all: readonly string[];
  readonly any: readonly string[];
  readonly notAll: readonly string[];
  readonly none: readonly string[];
}

export async function listProjects(
  db: Database,
  page: PageRequest,
  listQuery: ListQuery,
  { tags, within }: { tags?: TagFilters; within?: SqlCondition } = {},
): Promise<RowPage<ProjectWithTags> | undefined> {
  const hasTags = (names: readonly string[], atLeast: number) => sql<number>`(
    select count(*) from project_tags where project_id = projects.id and name in (${sql.join(names)})
  ) >= ${atLeast}`;
  let visible = applyCriteria(db.lists.selectFrom('projects').selectAll('projects'), db.dialect, listQuery.visible);
  if (within) visible = visible.where(within);
  let query = applyCriteria(visible, db.dialect, listQuery.criteria);
  if (tags?.all.length) query = query.where(sql<boolean>`${hasTags(tags.all, tags.all.length)}`);
  if (tags?.any.length) query = query.where(sql<boolean>`${hasTags(tags.any, 1)}`);
  if (tags?.notAll.length) query = query.where(sql<boolean>`not ${hasTags(tags.notAll, tags.notAll.length)}`);
  if (tags?.none.length) query = query.where(sql<boolean>`not ${hasTags(tags.none, 1)}`);
  const found = await readNamedPage(query, 'projects', page, visible, listQuery);
  return found && { ...found, items: await withTags(db.lists, found.items) };
}

export function insertProject(tx: Tx, row: ProjectRow, tags: readonly string[]): Promise<void> {
  return insertRows(tx, { projects: [row], project_tags: tags.map((name) => ({ project_id: row.id, name })) });
}

/** Every change increases the version. */
export async function updateProject(tx: Tx, id: string, values: Partial<ProjectRow> & { updated_at: number }): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ ...values, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Revokes all tokens scoped to it and, for a domain, those of its users: tokens contain the sum of these epochs, or were issued before. */
export async function revokeTokensOfProject(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ epoch: eb('epoch', '+', 1), tokens_ended_at: endedAt(now) }))
    .where('id', '=', id)
    .execute();
}

/** Ends those that another service issued until then. */
export async function endProjectTokensIssuedBefore(tx: Tx, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ tokens_ended_at: endedAt(at) })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deleting a domain deletes everything in it. A deleted project is also removed as default project of users. */
export async function deleteProject(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ default_project_id: null })
    .where('default_project_id', 'in', (eb) =>
      eb
        .selectFrom('projects')
        .where((e) => e.or([e('id', '=', id), e('domain_id', '=', id)]))
        .select('id'),
    )
    .execute();
  await tx.deleteFrom('projects').where('id', '=', id).execute();
}

export async function hasChildren(db: Reader, id: string, onlyEnabled: boolean): Promise<boolean> {
  let query = db.selectFrom('projects').where('parent_id', '=', id);
  if (onlyEnabled) query = query.where('enabled', '=', 1);
  return (await query.select('id').limit(1).execute()).length > 0;
}

/** Whether anybody but this user has a role in it, of the base API or of an application. */
export async function hasOtherPeople(db: Reader, id: string, userId: string): Promise<boolean> {
  const grants = db
    .selectFrom('grants')
    .where('target_id', '=', id)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '<>', userId)]))
    .select('grants.id');
  const roles = db.selectFrom('app_user_roles').where('organization_id', '=', id).where('user_id', '<>', userId).select('id');
  return (await grants.limit(1).execute()).length > 0 || (await roles.limit(1).execute()).length > 0;
}

/** The projects of a domain that have any option set. */
export function projectsWithOptions(db: Reader, domainId: string): Promise<ProjectRow[]> {
  return db.selectFrom('projects').where('domain_id', '=', domainId).where('options', '<>', '{}').selectAll().execute();
}

/** The descendants of a project, at any depth. */
export async function descendants(db: Reader, id: string): Promise<ProjectRow[]> {
  const { rows } = await sql<ProjectRow>`
    with recursive below (id) as (
      select id from projects where parent_id = ${id}
      union all
      select projects.id from projects join below on projects.parent_id = below.id
    )
    select projects.* from projects join below on projects.id = below.id order by projects.name, projects.id`.execute(db);
  return rows;
}

export const readProjectsWithTags = async (db: Reader, ids: readonly string[]): Promise<ProjectWithTags[]> =>
  withTags(db, await readProjects(db, ids));

export function readProjects(db: Reader, ids: readonly string[]): Promise<ProjectRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('projects')
        .where('id', 'in', [...ids])
        .selectAll()
        .execute();
}

export async function replaceTags(tx: Tx, projectId: string, names: readonly string[]): Promise<void> {
  await tx.deleteFrom('project_tags').where('project_id', '=', projectId).execute();
  const rows = [...new Set(names)].map((name) => ({ project_id: projectId, name }));
  // A concurrent request may have inserted the same tags.
  if (rows.length > 0)
    await tx
      .insertInto('project_tags')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function addTag(tx: Tx, projectId: string, name: string): Promise<void> {
  await tx
    .insertInto('project_tags')
    .values({ project_id: projectId, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeTag(tx: Tx, projectId: string, name: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('project_tags')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Reads these projects and holds off changes of them, but not of what is below, until the transaction ends. */
export function holdProjects({ dialect }: Pick<Database, 'dialect'>, tx: Tx, ids: readonly string[]): Promise<ProjectRow[]> {
  const query = tx
    .selectFrom('projects')
    .where('id', 'in', [...ids, ''])
    .selectAll();
  return (dialect === 'postgres' ? query.forShare() : query).execute();
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockProject = (db: Database, tx: Tx, id: string): Promise<ProjectRow | undefined> => lockRow(db, tx, 'projects', id);
