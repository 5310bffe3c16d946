// Application credentials and access rules in the database.
import { lockRow } from '../../../platform/database/index.ts';
import type { AccessRuleRow, ApplicationCredentialRow, Database, Reader, RoleRow, Tx } from '../../ground/database/index.ts';

/** A credential with its roles and access rules. */
export interface ApplicationCredential {
  readonly row: ApplicationCredentialRow;
  readonly roles: readonly RoleRow[];
  /** Empty when it may send every request. */
  readonly rules: readonly AccessRuleRow[];
}

async function withRolesAndRules(db: Reader, rows: readonly ApplicationCredentialRow[]): Promise<ApplicationCredential[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  // The rules before the roles: of one that is being deleted nothing is left then, instead of its roles without their limits.
  const rules = await db
    .selectFrom('application_credential_access_rules as named')
    .innerJoin('access_rules', 'access_rules.id', 'named.rule_id')
    .where('named.credential_id', 'in', ids)
    .orderBy('access_rules.path')
    .selectAll('access_rules')
    .select('named.credential_id')
    .execute();
  const roles = await db
    .selectFrom('application_credential_roles as given')
    .innerJoin('roles', 'roles.id', 'given.role_id')
    .where('given.credential_id', 'in', ids)
    .orderBy('roles.name')
    .selectAll('roles')
    .select('given.credential_id')
    .execute();
  const [rolesOf, rulesOf] = [Map.groupBy(roles, (role) => role.credential_id), Map.groupBy(rules, (rule) => rule.credential_id)];
  return rows.map((row) => ({ row, roles: rolesOf.get(row.id) ?? [], rules: rulesOf.get(row.id) ?? [] }));
}

export async function findApplicationCredential(db: Reader, id: string): Promise<ApplicationCredential | undefined> {
  const row = await db.selectFrom('application_credentials').where('id', '=', id).selectAll().executeTakeFirst();
  return row && (await withRolesAndRules(db, [row]))[0];
}

export async function applicationCredentialsOf(db: Reader, userId: string, name?: string): Promise<ApplicationCredential[]> {
  const all = db.selectFrom('application_credentials').where('user_id', '=', userId).orderBy('name').selectAll();
  return withRolesAndRules(db, await (name === undefined ? all : all.where('name', '=', name)).execute());
}

export async function countApplicationCredentials(db: Reader, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('application_credentials')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertApplicationCredential(
  tx: Tx,
  row: ApplicationCredentialRow,
  { roleIds, ruleIds }: { readonly roleIds: readonly string[]; readonly ruleIds: readonly string[] },
): Promise<void> {
  await tx.insertInto('application_credentials').values(row).execute();
  await tx
    .insertInto('application_credential_roles')
    .values(roleIds.map((role_id) => ({ credential_id: row.id, role_id })))
    .execute();
  if (ruleIds.length === 0) return;
  await tx
    .insertInto('application_credential_access_rules')
    .values(ruleIds.map((rule_id) => ({ credential_id: row.id, rule_id })))
    .execute();
}

/** Whether it was there. */
export async function deleteApplicationCredential(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('application_credentials').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The ids of those that were deleted. */
export async function deleteApplicationCredentialsOf(tx: Tx, userId: string, only?: string): Promise<string[]> {
  const all = tx.deleteFrom('application_credentials').where('user_id', '=', userId);
  const rows = await (only === undefined ? all : all.where('id', '=', only)).returning('id').execute();
  return rows.map(({ id }) => id);
}

export const findAccessRule = (db: Reader, id: string): Promise<AccessRuleRow | undefined> =>
  db.selectFrom('access_rules').where('id', '=', id).selectAll().executeTakeFirst();

export const lockAccessRule = (db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<AccessRuleRow | undefined> =>
  lockRow(db, tx, 'access_rules', id);

export const accessRulesOf = (db: Reader, userId: string): Promise<AccessRuleRow[]> =>
  db.selectFrom('access_rules').where('user_id', '=', userId).orderBy('id').selectAll().execute();

/** The same rule of a user exists once. Returns its id, new or not. */
export async function ensureAccessRule(tx: Tx, rule: AccessRuleRow): Promise<string> {
  await tx
    .insertInto('access_rules')
    .values(rule)
    .onConflict((conflict) => conflict.columns(['user_id', 'service', 'path', 'method']).doNothing())
    .execute();
  const { id } = await tx
    .selectFrom('access_rules')
    .where('user_id', '=', rule.user_id)
    .where('service', '=', rule.service)
    .where('path', '=', rule.path)
    .where('method', '=', rule.method)
    .select('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function isAccessRuleUsed(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('application_credential_access_rules')
    .where('rule_id', '=', id)
    .select('credential_id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteAccessRule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('access_rules').where('id', '=', id).execute();
}
