// DIDs: provisioned, published, unpublished, deleted.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults/index.ts';
import { newUlid } from '../../platform/ids.ts';
import {
  type Caller,
  NODE,
  ownerTag,
  type RunChange,
  readAs,
  readList,
  targetFor,
  type UnlessDamaged,
  type WalletTarget,
} from '../access/index.ts';
import type { Change, Database, DidMethod, DidRow, KeyRow, Reader } from '../database.ts';
import { fail, fault } from '../faults.ts';
import type { PublicJwk } from '../jose/index.ts';
import { findKey, type Keys } from '../keys/index.ts';
import {
  addKey,
  type CarriedKey,
  keysOfDids,
  methodId,
  NODE_NAME,
  type Publication,
  type Service,
} from '../publication/index.ts';
import { didJwkOf, didKeyOf, didWebOf, documentOfDidJwk, documentOfDidKey } from '../resolver/index.ts';
import type { Once, Page } from '../resource/index.ts';
import type { DidParts, DidRequest } from './dids.schema.ts';
import {
  clearDefault,
  countDidsOf,
  type DidFilter,
  deleteDid,
  findDid,
  hasAlias,
  hasCredentials,
  hasDids,
  insertDid,
  listDids,
  makeNewestDefault,
  takeName,
} from './dids.store.ts';
import { hostOf, urlOfName } from './hosting.ts';

const METHODS = ['web', 'key', 'jwk'] as const;
const NAME = /^[a-z0-9-]{1,63}$/;

const newName = (): string => randomBytes(10).toString('hex');

/** Absolute, as DID Core asks: whoever reads the document alone must understand it. */
function servicesOf(did: string, given: DidRequest['service']): Service[] {
  const services = given.map(({ id, type, serviceEndpoint }, at) => {
    const fragment = id?.startsWith(`${did}#`) ? id.slice(did.length + 1) : (id ?? `service-${at + 1}`).replace(/^#/, '');
    if (!/^[\w.~-]+$/.test(fragment)) fail('invalid-request', { why: `service id ${id} is not a fragment` });
    if (!isEndpoint(serviceEndpoint))
      fail('invalid-request', { why: 'serviceEndpoint must be an absolute address, a list of them, or an object' });
    return { id: `${did}#${fragment}`, type, serviceEndpoint };
  });
  if (new Set(services.map(({ id }) => id)).size !== services.length)
    fail('invalid-request', { why: 'two services have the same id' });
  return services;
}

/** Whoever shows a document may make links of what it says: those that would run something are not for documents. */
const RUNS = /^(?:javascript|data|vbscript):/i;
/** Browsers skip blanks and control characters on their way to the scheme: we refuse them. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}<>"]+$/iu;

const isAddress = (value: string): boolean =>
  value.length <= 2000 && ADDRESS.test(value) && URL.canParse(value) && !RUNS.test(value);

const runsNothing = (value: unknown): boolean =>
  typeof value === 'string'
    ? !RUNS.test(value.replace(/[\s\p{Cc}]/gu, ''))
    : typeof value !== 'object' || value === null || Object.values(value).every(runsNothing);

function isEndpoint(value: unknown): boolean {
  if (typeof value === 'string') return isAddress(value);
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length > 4000) return false;
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => !Array.isArray(one) && isEndpoint(one));
  return runsNothing(value);
}

/** Documents of DIDs that are made from a key follow from the DID itself. */
const selfMade = ({ method, did }: DidRow) => (method === 'key' ? documentOfDidKey(did) : documentOfDidJwk(did));

export function createDids(deps: {
  db: Database;
  clock: Clock;
  change: RunChange;
  keys: Keys;
  publication: Publication;
  unlessDamaged: UnlessDamaged;
  /** The public address of the node. */
  publicUrl(): string;
  /** Of one owner. */
  maxDids?: number;
  maxDidNames?: number;
}) {
  const { maxDids = Number.POSITIVE_INFINITY, maxDidNames = Number.POSITIVE_INFINITY } = deps;
  const { db, clock, change, keys, publication, unlessDamaged, publicUrl } = deps;

  function partsOf(row: DidRow, carried: readonly CarriedKey[]): DidParts {
    const service = readList<Service>(row.service, 'id', 'type');
    if (row.method === 'web') {
      const document = publication.documentOf(row, carried);
      return {
        row,
        service,
        document,
        documentUrl: urlOfName(publicUrl(), row.name!),
        keys: carried.map((key) => ({
          ...key,
          verificationMethod: methodId(row.did, key.kid),
          relationships: readList<string>(key.uses),
        })),
      };
    }
    const document = selfMade(row);
    const [method] = document.verificationMethod ?? [];
    const relationships = ['authentication', 'assertionMethod', 'keyAgreement'].filter((name) => name in document);
    return {
      row,
      service,
      document,
      documentUrl: undefined,
      keys: carried.map((key) => ({ ...key, verificationMethod: method!.id, relationships })),
    };
  }

  /** What can still be said of one that was damaged, itself or a key it carries. */
  const remainsOf = (row: DidRow, carried: readonly CarriedKey[]): DidParts => ({
    row,
    service: [],
    document: { id: row.did },
    documentUrl: row.name === null ? undefined : urlOfName(publicUrl(), row.name),
    keys: carried.map((key) => ({ ...key, verificationMethod: methodId(row.did, key.kid), relationships: [] })),
    isDamaged: true,
  });

  async function withParts(reader: Reader, owner: string, rows: readonly DidRow[]): Promise<DidParts[]> {
    const carried = await keysOfDids(
      reader,
      owner,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => {
      const own = carried.filter((key) => key.did_id === row.id);
      return unlessDamaged('did', row.id, () => partsOf(row, own)) ?? remainsOf(row, own);
    });
  }

  const target = (caller: Caller, idOrDid: string): Promise<WalletTarget<DidRow>> =>
    targetFor(caller, {
      rule: 'owner_or_administrator',
      kind: 'DID',
      find: (owner) => readAs(db, owner, (reader) => findDid(reader, owner, idOrDid)),
    });

  async function show(row: DidRow): Promise<DidParts> {
    const [parts] = await readAs(db, row.owner, (reader) => withParts(reader, row.owner, [row]));
    return parts!;
  }

  /** One of this owner's, as it is now. */
  const get = async (owner: string, id: string): Promise<DidParts> =>
    show((await readAs(db, owner, (reader) => findDid(reader, owner, id))) ?? fail('not-found', { kind: 'DID' }));

  function methodOf({ method, domain, path, keyIds, service, alsoKnownAs }: DidRequest): DidMethod {
    const known = METHODS.find((one) => one === method);
    if (!known) fail('unsupported-did-method', { method, why: `; there are ${METHODS.join(', ')}` });
    const host = hostOf(publicUrl());
    // As in an address, or as in a DID.
    if (domain !== undefined && domain.replace(/%3a/i, ':').toLowerCase() !== host) fail('domain-not-hosted', { host });
    if (!alsoKnownAs.every(isAddress)) fail('invalid-request', { why: 'alsoKnownAs must have absolute addresses or DIDs' });
    if (known === 'web') {
      if (path !== undefined && !NAME.test(path)) fail('invalid-request', { why: 'path must be 1 to 63 of a-z, 0-9 and -' });
      return known;
    }
    if (path !== undefined || service.length > 0 || alsoKnownAs.length > 0)
      fail('invalid-request', { why: `a did:${known} is made of its key: it has no path, services or other names` });
    if (keyIds && keyIds.length > 1) fail('invalid-request', { why: `a did:${known} has one key` });
    return known;
  }

  async function activeKeys({ tx }: Change, owner: string, ids: readonly string[]): Promise<KeyRow[]> {
    const rows: KeyRow[] = [];
    for (const id of ids) {
      const key = await findKey(tx, owner, id);
      if (key?.state !== 'active') fail('key-not-active/named', { id });
      rows.push(key);
    }
    return rows;
  }

  function didOf(method: DidMethod, name: string, key: KeyRow): string {
    if (method === 'web') return didWebOf(hostOf(publicUrl()), 'dids', name);
    const jwk = JSON.parse(key.public_jwk) as PublicJwk;
    return method === 'key' ? didKeyOf(jwk) : didJwkOf(jwk);
  }

  async function insert(
    inside: Change,
    owner: string,
    request: DidRequest,
    method: DidMethod,
    id: string,
    carried: readonly KeyRow[],
  ) {
    const { tx, audit, touch } = inside;
    const { path: name = newName(), alias } = request;
    const did = didOf(method, name, carried[0]!);
    if (await findDid(tx, owner, did)) fail('did-exists', { did });
    if (method === 'web' && !(await takeName(tx, owner, name))) fail('did-exists', { did });
    // Within the owner's turn; the name, where it is a new one, is counted already.
    const { dids, names } = await countDidsOf(tx, owner);
    if (owner !== NODE && dids >= maxDids) fail('quota-exceeded', { what: 'DIDs', most: String(maxDids) });
    if (owner !== NODE && method === 'web' && names > maxDidNames)
      fail('quota-exceeded', { what: 'names of documents', most: String(maxDidNames) });
    if (alias !== undefined && (await hasAlias(tx, owner, alias))) fail('alias-taken', { kind: 'DID', alias });
    const isDefault = request.isDefault ?? !(await hasDids(tx, owner));
    if (isDefault) await clearDefault(tx, owner);
    await insertDid(tx, {
      id,
      owner,
      did,
      method,
      name: method === 'web' ? name : null,
      alias: alias ?? null,
      state: method === 'web' ? 'draft' : 'published',
      is_default: isDefault ? 1 : 0,
      service: JSON.stringify(servicesOf(did, request.service)),
      also_known_as: JSON.stringify(request.alsoKnownAs),
      version: 1,
      created_at: clock.now(),
      published_at: method === 'web' ? null : clock.now(),
      unpublished_at: null,
    });
    for (const key of carried) await addKey(tx, { owner, didId: id, keyId: key.id });
    audit('did.created', { kind: 'did', id }, { did });
    touch(ownerTag(owner));
  }

  async function create(caller: Caller, request: DidRequest, once: Once): Promise<DidParts> {
    const { owner } = caller;
    const method = methodOf(request);
    const earlier = await once.earlier();
    if (earlier !== undefined)
      return get(owner, earlier).catch((error: unknown) => {
        throw error instanceof Fault && error.code === 'not-found' ? fault('idempotent-result-gone') : error;
      });
    const id = `did_${newUlid(clock.now())}`;
    const draft = request.keyIds ? undefined : await keys.draft(owner);
    const made = await change(caller, owner, async (inside) => {
      const before = await once.claim(inside, id);
      if (before !== undefined) {
        inside.audit('did.repeated', { kind: 'did', id: before });
        return before;
      }
      const carried = draft ? [await keys.add(inside, owner, draft, {})] : await activeKeys(inside, owner, request.keyIds!);
      await insert(inside, owner, request, method, id, carried);
      return id;
    });
    return get(owner, made);
  }

  const held = async ({ tx }: Change, { owner, id }: DidRow): Promise<DidRow> =>
    (await findDid(tx, owner, id)) ?? fail('not-found', { kind: 'DID' });

  async function publish(caller: Caller, seen: DidRow): Promise<DidParts> {
    if (seen.method !== 'web') fail('not-publishable', { method: seen.method });
    await change(caller, seen.owner, async (inside) => {
      const did = await held(inside, seen);
      const carried = await keysOfDids(inside.tx, did.owner, [did.id]);
      if (!carried.some(({ state }) => state === 'active')) fail('no-active-key');
      await publication.publish(inside, did);
      inside.audit('did.published', { kind: 'did', id: did.id });
    });
    return get(seen.owner, seen.id);
  }

  async function unpublish(caller: Caller, seen: DidRow): Promise<DidParts> {
    if (seen.method !== 'web') fail('not-publishable', { method: seen.method });
    await change(caller, seen.owner, async (inside) => {
      const did = await held(inside, seen);
      if (did.state === 'draft') fail('not-published');
      if (did.state === 'published') await publication.withdraw(inside, did);
      inside.audit('did.unpublished', { kind: 'did', id: did.id });
    });
    return get(seen.owner, seen.id);
  }

  async function remove(caller: Caller, seen: DidRow, force: boolean): Promise<void> {
    const { owner } = seen;
    if (owner === NODE) fail('forbidden', { why: 'the DID of the node can be unpublished, not deleted' });
    await change(caller, owner, async (inside) => {
      const did = await held(inside, seen);
      if (did.method === 'web' && did.state === 'published') fail('did-published');
      if (!force && (await hasCredentials(inside.tx, owner, did.id))) fail('did-in-use');
      await deleteDid(inside.tx, did);
      if (did.is_default === 1) await makeNewestDefault(inside.tx, owner);
      inside.audit('did.deleted', { kind: 'did', id: did.id }, { did: did.did });
      inside.touch(ownerTag(owner));
    });
  }

  /** The DID of the node itself: made with its key when it is not there, and published. */
  async function ensureNode(caller: Caller): Promise<void> {
    const did = didWebOf(hostOf(publicUrl()));
    // One that is not the default is of an address the node had before, and has again: it is missing, too.
    const isThere = async (reader: Reader): Promise<boolean> => (await findDid(reader, NODE, did))?.is_default === 1;
    if (await readAs(db, NODE, isThere)) return;
    const draft = await keys.draft(NODE);
    await change(caller, NODE, async (inside) => {
      inside.audit('did.ensured', { kind: 'did', id: did });
      // Another replica that starts at the same time.
      if (await isThere(inside.tx)) return;
      const key = await keys.add(inside, NODE, draft, { default: true });
      await clearDefault(inside.tx, NODE);
      const former = await findDid(inside.tx, NODE, did);
      if (former) {
        await addKey(inside.tx, { owner: NODE, didId: former.id, keyId: key.id });
        await publication.changed(inside, former);
        return publication.publish(inside, { ...former, is_default: 1 });
      }
      const row: DidRow = {
        id: `did_${newUlid(clock.now())}`,
        owner: NODE,
        did,
        method: 'web',
        name: NODE_NAME,
        alias: null,
        state: 'draft',
        is_default: 1,
        service: '[]',
        also_known_as: '[]',
        version: 1,
        created_at: clock.now(),
        published_at: null,
        unpublished_at: null,
      };
      await insertDid(inside.tx, row);
      await addKey(inside.tx, { owner: NODE, didId: row.id, keyId: key.id });
      await publication.publish(inside, row);
    });
  }

  return {
    target,
    /** For rules that are told of a DID by its id. */
    find: async (caller: Caller, idOrDid: string): Promise<DidRow> => (await target(caller, idOrDid)).get(),
    show,
    create,
    publish,
    unpublish,
    remove,
    ensureNode,
    list: (caller: Caller, filter: DidFilter, page: Page): Promise<DidParts[]> =>
      readAs(db, caller.owner, async (reader) =>
        withParts(reader, caller.owner, await listDids(reader, caller.owner, filter, page)),
      ),
  };
}

export type Dids = ReturnType<typeof createDids>;
