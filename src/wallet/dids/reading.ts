// Reads DIDs with their documents and keys.

import { documentOfDidJwk, documentOfDidKey } from '../../verifiable/resolver/index.ts';
import { type Caller, readAs, readList, targetFor, type WalletTarget } from '../access/index.ts';
import type { DidRow, Reader, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { type CarriedKey, type DidService, methodId } from '../publication/index.ts';
import type { ListPage } from '../resource/index.ts';
import type { DidDeps } from './deps.ts';
import type { DidDetails } from './dids.schema.ts';
import { type DidFilter, findDid, listDids } from './dids.store.ts';
import { urlOfName } from './hosting.ts';

type DidRenderDeps = Pick<DidDeps, 'publication' | 'unlessDamaged' | 'publicUrl'>;
type DidReadDeps = DidRenderDeps & Pick<DidDeps, 'db'>;

/** The document of a did:key or did:jwk follows from the DID itself. */
const derivedDocument = ({ method, did }: DidRow) => (method === 'key' ? documentOfDidKey(did) : documentOfDidJwk(did));

function hostedDetails({ publication, publicUrl }: DidRenderDeps, row: DidRow, carried: readonly CarriedKey[]): DidDetails {
  return {
    row,
    service: readList<DidService>(row.service, 'id', 'type'),
    document: publication.documentOf(row, carried),
    documentUrl: urlOfName(publicUrl(), row.name!),
    keys: carried.map((key) => ({
      ...key,
      verificationMethod: methodId(row.did, key.kid),
      relationships: readList<string>(key.uses),
    })),
  };
}

function derivedDetails(row: DidRow, carried: readonly CarriedKey[]): DidDetails {
  const document = derivedDocument(row);
  const [method] = document.verificationMethod ?? [];
  const relationships = ['authentication', 'assertionMethod', 'keyAgreement'].filter((name) => name in document);
  return {
    row,
    service: readList<DidService>(row.service, 'id', 'type'),
    document,
    documentUrl: undefined,
    keys: carried.map((key) => ({ ...key, verificationMethod: method!.id, relationships })),
  };
}

/** What is still known if the DID or one of its keys is damaged. */
const damagedDetails = ({ publicUrl }: DidRenderDeps, row: DidRow, carried: readonly CarriedKey[]): DidDetails => ({
  row,
  service: [],
  document: { id: row.did },
  documentUrl: row.name === null ? undefined : urlOfName(publicUrl(), row.name),
  keys: carried.map((key) => ({ ...key, verificationMethod: methodId(row.did, key.kid), relationships: [] })),
  isDamaged: true,
});

async function withDetails(deps: DidRenderDeps, reader: Reader, owner: string, rows: readonly DidRow[]): Promise<DidDetails[]> {
  const carried = await deps.publication.keysOf(
    reader,
    owner,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const own = carried.filter((key) => key.did_id === row.id);
    const read = () => (row.method === 'web' ? hostedDetails(deps, row, own) : derivedDetails(row, own));
    return deps.unlessDamaged('did', row.id, read) ?? damagedDetails(deps, row, own);
  });
}

/** The target of a request. */
export const didTarget = ({ db }: Pick<DidDeps, 'db'>, caller: Caller, idOrDid: string): Promise<WalletTarget<DidRow>> =>
  targetFor(caller, {
    rule: 'owner_or_administrator',
    kind: 'DID',
    find: (owner) => readAs(db, owner, (reader) => findDid(reader, owner, idOrDid)),
  });

/** Reads the DID again within the change, because it may have changed since. */
export const reloadDid = async ({ tx }: WalletChange, { owner, id }: DidRow): Promise<DidRow> =>
  (await findDid(tx, owner, id)) ?? fail('not-found', { kind: 'DID' });

export async function showDid(deps: DidReadDeps, row: DidRow): Promise<DidDetails> {
  const [details] = await readAs(deps.db, row.owner, (reader) => withDetails(deps, reader, row.owner, [row]));
  return details!;
}

export const getDid = async (deps: DidReadDeps, owner: string, id: string): Promise<DidDetails> =>
  showDid(deps, (await readAs(deps.db, owner, (reader) => findDid(reader, owner, id))) ?? fail('not-found', { kind: 'DID' }));

export const listOwn = (deps: DidReadDeps, { owner }: Caller, filter: DidFilter, page: ListPage): Promise<DidDetails[]> =>
  readAs(deps.db, owner, async (reader) => withDetails(deps, reader, owner, await listDids(reader, owner, filter, page)));
