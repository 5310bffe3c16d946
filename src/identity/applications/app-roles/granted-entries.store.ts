// Role and organization entries that users were ever given, in the format of the provisioning API. They outlive the assignment itself.
import type { Reader, Tx } from '../../ground/database/index.ts';

/** Databases limit the number of parameters in a statement. */
const CHUNK = 400;

export async function recordGrantedEntries(tx: Tx, userId: string, entries: readonly string[]): Promise<void> {
  for (let at = 0; at < entries.length; at += CHUNK)
    await tx
      .insertInto('given_entries')
      .values(entries.slice(at, at + CHUNK).map((entry) => ({ user_id: userId, entry })))
      .onConflict((conflict) => conflict.columns(['user_id', 'entry']).doNothing())
      .execute();
}

export async function readGrantedEntries(db: Reader, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('given_entries').where('user_id', '=', userId).select('entry').execute();
  return rows.map(({ entry }) => entry);
}

export async function deleteGrantedEntries(tx: Tx, userId: string, entries: readonly string[]): Promise<void> {
  for (let at = 0; at < entries.length; at += CHUNK)
    await tx
      .deleteFrom('given_entries')
      .where('user_id', '=', userId)
      .where('entry', 'in', entries.slice(at, at + CHUNK))
      .execute();
}
