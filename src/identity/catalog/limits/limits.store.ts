// Registered limits and limits in the database.
import { sql } from 'kysely';
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, LimitRow, ProjectRow, Reader, RegisteredLimitRow, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** A limit, with what its registered limit says. */
export interface LimitWithResource extends LimitRow {
  readonly service_id: string;
  readonly region_id: string | null;
  readonly resource_name: string;
  /** The domain of the project; null for the limit of a domain. */
  readonly project_domain_id: string | null;
}

/** Which limits a caller may list. */
export type VisibleLimits =
  | { readonly kind: 'all' | 'none' }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string };

export const findRegisteredLimit = (db: Reader, id: string): Promise<RegisteredLimitRow | undefined> =>
  db.selectFrom('registered_limits').where('id', '=', id).selectAll().executeTakeFirst();

/** Nobody can add a limit that refers to it meanwhile. */
export const lockRegisteredLimit = (db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<RegisteredLimitRow | undefined> =>
  lockRow(db, tx, 'registered_limits', id);

export async function listRegisteredLimits(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<RegisteredLimitRow> | undefined> {
  const all = db.lists.selectFrom('registered_limits').selectAll('registered_limits');
  return readPage(applyCriteria(all, db.dialect, criteria), { table: 'registered_limits' }, page, all);
}

export const registeredLimitsOf = (db: Reader, serviceIds: readonly string[]): Promise<RegisteredLimitRow[]> =>
  db.selectFrom('registered_limits').where('service_id', 'in', serviceIds).selectAll().execute();

export async function insertRegisteredLimits(tx: Tx, rows: readonly RegisteredLimitRow[]): Promise<void> {
  await tx.insertInto('registered_limits').values(rows).execute();
}

export async function updateRegisteredLimit(tx: Tx, id: string, values: Partial<RegisteredLimitRow>): Promise<void> {
  await tx.updateTable('registered_limits').set(values).where('id', '=', id).execute();
}

export async function deleteRegisteredLimit(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('registered_limits').where('id', '=', id).execute();
}

export async function hasLimits(tx: Tx, registeredLimitId: string): Promise<boolean> {
  const query = tx.selectFrom('limits').where('registered_limit_id', '=', registeredLimitId);
  return (await query.select('id').limit(1).execute()).length > 0;
}

const limitsWithResource = (db: Reader) =>
  db
    .selectFrom('limits')
    .innerJoin('registered_limits', 'registered_limits.id', 'limits.registered_limit_id')
    .leftJoin('projects', 'projects.id', 'limits.project_id')
    .selectAll('limits')
    .select([
      'registered_limits.service_id',
      'registered_limits.region_id',
      'registered_limits.resource_name',
      'projects.domain_id as project_domain_id',
    ]);

export const findLimit = (db: Reader, id: string): Promise<LimitWithResource | undefined> =>
  limitsWithResource(db).where('limits.id', '=', id).executeTakeFirst();

export const findLimits = (db: Reader, ids: readonly string[]): Promise<LimitWithResource[]> =>
  limitsWithResource(db).where('limits.id', 'in', ids).execute();

export const lockLimit = (db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<LimitRow | undefined> =>
  lockRow(db, tx, 'limits', id);

export async function listLimits(
  db: Database,
  page: PageRequest,
  visible: VisibleLimits,
  criteria: readonly Criterion[],
): Promise<RowPage<LimitWithResource> | undefined> {
  const all = limitsWithResource(db.lists);
  const seen =
    visible.kind === 'all'
      ? all
      : visible.kind === 'domain'
        ? all.where((eb) => eb.or([eb('limits.domain_id', '=', visible.id), eb('projects.domain_id', '=', visible.id)]))
        : all.where('limits.project_id', '=', visible.kind === 'project' ? visible.id : '');
  return readPage(applyCriteria(seen, db.dialect, criteria), { table: 'limits' }, page, seen);
}

/** The limits of some resources in a domain: that of the domain itself, and those of the projects in it. */
export const limitsInDomains = (
  db: Reader,
  registeredLimitIds: readonly string[],
  domainIds: readonly string[],
): Promise<LimitWithResource[]> =>
  limitsWithResource(db)
    .where('limits.registered_limit_id', 'in', registeredLimitIds)
    .where((eb) => eb.or([eb('limits.domain_id', 'in', domainIds), eb('projects.domain_id', 'in', domainIds)]))
    .execute();

export async function insertLimits(tx: Tx, rows: readonly LimitRow[]): Promise<void> {
  await tx.insertInto('limits').values(rows).execute();
}

export async function updateLimit(tx: Tx, id: string, values: Partial<LimitRow>): Promise<void> {
  await tx.updateTable('limits').set(values).where('id', '=', id).execute();
}

/** Whether it was there. */
export async function deleteLimit(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('limits').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

const KEPT_SECONDS = 86_400;

/** Before services or regions are deleted: with them go their registered limits, and the limits of these. */
export async function rememberDeletedLimits(
  tx: Tx,
  column: 'service_id' | 'region_id',
  ids: readonly string[],
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('gone_limits')
    .where('gone_at', '<', now - KEPT_SECONDS)
    .execute();
  const registered = tx.selectFrom('registered_limits').where(column, 'in', ids);
  for (const gone of [
    registered.select(['id', sql.lit(now).as('gone_at')]),
    tx
      .selectFrom('limits')
      .where('registered_limit_id', 'in', registered.select('id'))
      .select(['id', sql.lit(now).as('gone_at')]),
  ])
    await tx.insertInto('gone_limits').columns(['id', 'gone_at']).expression(gone).execute();
}

export async function isGoneLimit(db: Reader, id: string): Promise<boolean> {
  return (await db.selectFrom('gone_limits').where('id', '=', id).select('id').execute()).length > 0;
}

/** Whether it was there. */
export async function forgetGoneLimit(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('gone_limits').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Those of the ids that there are. */
export async function existing(db: Reader, table: 'services' | 'regions', ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await db.selectFrom(table).where('id', 'in', ids).select('id').execute()).map(({ id }) => id));
}

export const projectsWithIds = (
  db: Reader,
  ids: readonly string[],
): Promise<Pick<ProjectRow, 'id' | 'is_domain' | 'domain_id'>[]> =>
  db.selectFrom('projects').where('id', 'in', ids).select(['id', 'is_domain', 'domain_id']).execute();

/** Projects whose parent is no domain. */
export async function someDeepProjects(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('projects as parents', 'parents.id', 'projects.parent_id')
    .where('parents.is_domain', '=', 0)
    .select('projects.id')
    .limit(10)
    .execute();
  return rows.map(({ id }) => id);
}
