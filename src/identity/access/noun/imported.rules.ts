// Rows of nouns that exist in another system: with the id that they have there, and with their event.
import type { Change } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { NOUN_NAMES, type NounName } from '../../ground/noun-names.ts';
import { tagOf } from '../context/index.ts';
import { insertRow, lockNoun, type RowOf, updateRow } from './noun.store.ts';

/** Whoever calls has looked for what it refers to. */
export async function insertNounRow<One extends NounName>(
  { tx, audit, invalidate }: Change,
  one: One,
  row: RowOf<One>,
): Promise<void> {
  await insertRow(tx, NOUN_NAMES[one].many, row as never);
  invalidate(tagOf.everything);
  audit(`${one}.created`, { kind: one, id: row.id });
}

/** False when it is not here. */
export async function replaceNounRow<One extends NounName>(
  db: Database,
  { tx, audit, invalidate }: Change,
  one: One,
  row: Partial<RowOf<One>> & { readonly id: string },
): Promise<boolean> {
  const table = NOUN_NAMES[one].many;
  const before = await lockNoun(db, tx, table, row.id);
  if (!before) return false;
  await updateRow(tx, table, { ...before, ...row } as never);
  invalidate(tagOf.everything);
  audit(`${one}.updated`, { kind: one, id: row.id }, { fields: Object.keys(row).filter((name) => name !== 'id') });
  return true;
}
