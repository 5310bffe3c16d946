// DIDs found and shown, with their documents and the keys in them.
import { type Caller, readAs, readList, targetFor, type WalletTarget } from '../access/index.ts';
import type { Change, DidRow, Reader } from '../database.ts';
import { fail } from '../faults.ts';
import { type CarriedKey, methodId, type Service } from '../publication/index.ts';
import { documentOfDidJwk, documentOfDidKey } from '../resolver/index.ts';
import type { Page } from '../resource/index.ts';
import type { DidDeps } from './deps.ts';
import type { DidParts } from './dids.schema.ts';
import { type DidFilter, findDid, listDids } from './dids.store.ts';
import { urlOfName } from './hosting.ts';

type Showing = Pick<DidDeps, 'publication' | 'unlessDamaged' | 'publicUrl'>;
type Reading = Showing & Pick<DidDeps, 'db'>;

/** Documents of DIDs that are made from a key follow from the DID itself. */
const selfMade = ({ method, did }: DidRow) => (method === 'key' ? documentOfDidKey(did) : documentOfDidJwk(did));

function hostedParts({ publication, publicUrl }: Showing, row: DidRow, carried: readonly CarriedKey[]): DidParts {
  return {
    row,
    service: readList<Service>(row.service, 'id', 'type'),
    document: publication.documentOf(row, carried),
    documentUrl: urlOfName(publicUrl(), row.name!),
    keys: carried.map((key) => ({
      ...key,
      verificationMethod: methodId(row.did, key.kid),
      relationships: readList<string>(key.uses),
    })),
  };
}

function selfMadeParts(row: DidRow, carried: readonly CarriedKey[]): DidParts {
  const document = selfMade(row);
  const [method] = document.verificationMethod ?? [];
  const relationships = ['authentication', 'assertionMethod', 'keyAgreement'].filter((name) => name in document);
  return {
    row,
    service: readList<Service>(row.service, 'id', 'type'),
    document,
    documentUrl: undefined,
    keys: carried.map((key) => ({ ...key, verificationMethod: method!.id, relationships })),
  };
}

/** What can still be said of one that was damaged, itself or a key it carries. */
const remainsOf = ({ publicUrl }: Showing, row: DidRow, carried: readonly CarriedKey[]): DidParts => ({
  row,
  service: [],
  document: { id: row.did },
  documentUrl: row.name === null ? undefined : urlOfName(publicUrl(), row.name),
  keys: carried.map((key) => ({ ...key, verificationMethod: methodId(row.did, key.kid), relationships: [] })),
  isDamaged: true,
});

async function withParts(deps: Showing, reader: Reader, owner: string, rows: readonly DidRow[]): Promise<DidParts[]> {
  const carried = await deps.publication.keysOf(
    reader,
    owner,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const own = carried.filter((key) => key.did_id === row.id);
    const read = () => (row.method === 'web' ? hostedParts(deps, row, own) : selfMadeParts(row, own));
    return deps.unlessDamaged('did', row.id, read) ?? remainsOf(deps, row, own);
  });
}

/** The DID a request is about. */
export const didTarget = ({ db }: Pick<DidDeps, 'db'>, caller: Caller, idOrDid: string): Promise<WalletTarget<DidRow>> =>
  targetFor(caller, {
    rule: 'owner_or_administrator',
    kind: 'DID',
    find: (owner) => readAs(db, owner, (reader) => findDid(reader, owner, idOrDid)),
  });

/** As it is now, within the owner's turn: what was seen before may have changed since. */
export const findAgain = async ({ tx }: Change, { owner, id }: DidRow): Promise<DidRow> =>
  (await findDid(tx, owner, id)) ?? fail('not-found', { kind: 'DID' });

export async function showDid(deps: Reading, row: DidRow): Promise<DidParts> {
  const [parts] = await readAs(deps.db, row.owner, (reader) => withParts(deps, reader, row.owner, [row]));
  return parts!;
}

/** One of this owner's, as it is now. */
export const getDid = async (deps: Reading, owner: string, id: string): Promise<DidParts> =>
  showDid(deps, (await readAs(deps.db, owner, (reader) => findDid(reader, owner, id))) ?? fail('not-found', { kind: 'DID' }));

export const listOwn = (deps: Reading, { owner }: Caller, filter: DidFilter, page: Page): Promise<DidParts[]> =>
  readAs(deps.db, owner, async (reader) => withParts(deps, reader, owner, await listDids(reader, owner, filter, page)));
