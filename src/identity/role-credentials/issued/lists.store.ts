// Reads what status lists say.

import type { Reader, StatusListRow } from '../../ground/database/index.ts';

export const findList = (db: Reader, id: string): Promise<StatusListRow | undefined> =>
  db.selectFrom('status_lists').where('id', '=', id).selectAll().executeTakeFirst();

export interface ChangedEntry {
  readonly list_index: number;
  readonly list_state: number;
  readonly list_version: number;
}

const PAGE = 20_000;
/** After every index: columns of type integer have 32 bits. */
const LAST_INDEX = 2 ** 31 - 1;

/** Every entry that a credential has. */
export async function* storedEntries(
  db: Reader,
  listId: string,
): AsyncGenerator<readonly Pick<ChangedEntry, 'list_index' | 'list_state'>[]> {
  for (let last = -1; ; ) {
    const rows = await db
      .selectFrom('issued_credentials')
      .where('list_id', '=', listId)
      .where('list_index', '>', last)
      .orderBy('list_index')
      .select(['list_index', 'list_state'])
      .limit(PAGE)
      .execute();
    yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.list_index;
  }
}

/** Entries that were changed after a version, in the order of their changes. What changes meanwhile comes at the end. */
export async function* changedEntries(db: Reader, listId: string, version: number): AsyncGenerator<readonly ChangedEntry[]> {
  for (let last: Pick<ChangedEntry, 'list_index' | 'list_version'> = { list_version: version, list_index: LAST_INDEX }; ; ) {
    const after = last;
    const rows = await db
      .selectFrom('issued_credentials')
      .where('list_id', '=', listId)
      .where('list_version', '>', 0)
      .where((eb) =>
        eb.or([
          eb('list_version', '>', after.list_version),
          eb.and([eb('list_version', '=', after.list_version), eb('list_index', '>', after.list_index)]),
        ]),
      )
      .orderBy('list_version')
      .orderBy('list_index')
      .select(['list_index', 'list_state', 'list_version'])
      .limit(PAGE)
      .execute();
    yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!;
  }
}
