// Reads keys, with what refers to them.
import { type Caller, readAs, targetFor, type WalletTarget } from '../access/index.ts';
import type { KeyRow, Reader, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { ListPage } from '../resource/index.ts';
import type { KeyDeps } from './deps.ts';
import { type KeyContent, readContent, renderKey } from './keys.schema.ts';
import { findKey, type KeyFilter, listKeys, usesOf } from './keys.store.ts';

export interface KeyWithUse {
  readonly row: KeyRow;
  /** Undefined if it is damaged. */
  readonly content: KeyContent | undefined;
  readonly dids: readonly string[];
  readonly credentialCount: number;
}

export const renderKeyWithUse = ({ row, content, ...references }: KeyWithUse) => renderKey(row, content, references);

/** The target of a request. */
export const keyTarget = ({ db }: Pick<KeyDeps, 'db'>, caller: Caller, id: string): Promise<WalletTarget<KeyRow>> =>
  targetFor(caller, {
    rule: 'owner_or_administrator',
    kind: 'key',
    find: (owner) => readAs(db, owner, (reader) => findKey(reader, owner, id)),
  });

/** Reads the key again within the change, because it may have changed since. */
export const reloadKey = async ({ tx }: WalletChange, { owner, id }: KeyRow): Promise<KeyRow> =>
  (await findKey(tx, owner, id)) ?? fail('not-found', { kind: 'key' });

export async function withUse(
  { unlessDamaged }: Pick<KeyDeps, 'unlessDamaged'>,
  reader: Reader,
  owner: string,
  rows: readonly KeyRow[],
): Promise<KeyWithUse[]> {
  const uses = await usesOf(
    reader,
    owner,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    row,
    content: unlessDamaged('key', row.id, () => readContent(row)),
    dids: uses.dids.get(row.id) ?? [],
    credentialCount: uses.credentials.get(row.id) ?? 0,
  }));
}

type KeyReadDeps = Pick<KeyDeps, 'db' | 'unlessDamaged'>;

export async function showKey(deps: KeyReadDeps, row: KeyRow): Promise<KeyWithUse> {
  const [key] = await readAs(deps.db, row.owner, (reader) => withUse(deps, reader, row.owner, [row]));
  return key!;
}

export const getKey = async (deps: KeyReadDeps, owner: string, id: string): Promise<KeyWithUse> =>
  showKey(deps, (await readAs(deps.db, owner, (reader) => findKey(reader, owner, id))) ?? fail('not-found', { kind: 'key' }));

export const listOwn = (deps: KeyReadDeps, { owner }: Caller, filter: KeyFilter, page: ListPage): Promise<KeyWithUse[]> =>
  readAs(deps.db, owner, async (reader) => withUse(deps, reader, owner, await listKeys(reader, owner, filter, page)));
