// Facts the service stores about itself.
import type { Reader, Tx } from '../database.ts';

export async function readFact(db: Reader, name: string): Promise<string | undefined> {
  return (await db.selectFrom('service_facts').where('name', '=', name).select('value').executeTakeFirst())?.value;
}

export async function writeFact(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('service_facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Updates endpoints that still have the address we wrote. Edited ones stay. */
export async function moveEndpoints(tx: Tx, from: string, to: string): Promise<number> {
  const result = await tx.updateTable('endpoints').set({ url: to }).where('url', '=', from).executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Whether an enabled user has the role admin on the system, directly or through a group. Nothing implies this role. */
export async function hasSystemAdministrator(db: Reader): Promise<boolean> {
  const row = await db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .leftJoin('group_members', 'group_members.group_id', 'grants.group_id')
    .innerJoin('users', (join) => join.on((eb) => eb('users.id', '=', eb.fn.coalesce('grants.user_id', 'group_members.user_id'))))
    .where('roles.name', '=', 'admin')
    .where('roles.domain_id', 'is', null)
    .where('grants.target_id', 'is', null)
    .where('users.enabled', '=', 1)
    .select('grants.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
