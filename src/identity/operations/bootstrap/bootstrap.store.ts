// Facts the service stores about itself.
import type { Reader, Tx } from '../../ground/database/index.ts';

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
