// The life of a key: registered, rotated, revoked, purged. There is no way back.
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults/index.ts';
import {
  type Caller,
  EVERYONE,
  NODE,
  ownerTag,
  type RunChange,
  readAs,
  targetFor,
  theNode,
  type UnlessDamaged,
  type WalletTarget,
} from '../access/index.ts';
import type { Change, Database, KeyRow, Reader } from '../database.ts';
import { fail, fault } from '../faults.ts';
import { type Algorithm, thumbprintOf } from '../jose/index.ts';
import type { Once, Page } from '../resource/index.ts';
import { algorithmNamed, createDrafts, type Draft, type Stores } from './drafts.ts';
import { parseDuration } from './duration.ts';
import type { KeptKey, Storage } from './key-store.ts';
import { type KeyContent, type NewKey, type Revocation, type Rotation, readContent } from './keys.schema.ts';
import {
  clearDefault,
  countKeysOf,
  credentialsOfKey,
  deleteKey,
  findDefaultKey,
  findKey,
  findNewestActive,
  hasActiveAlias,
  insertKey,
  isKnownKid,
  type KeyFilter,
  listKeys,
  listUndestroyed,
  updateKey,
  usesOf,
} from './keys.store.ts';
import type { KeyListener } from './listener.ts';

const BATCH = 100;
const DEFAULT_GRACE = 'P30D';
const DEFAULT_USE = ['authentication', 'assertionMethod'];

export interface KeyWithUse {
  readonly row: KeyRow;
  /** Undefined where it was damaged. */
  readonly content: KeyContent | undefined;
  readonly dids: readonly string[];
  readonly credentialCount: number;
}

const keptOf = ({ wrapped_key: wrappedKey, material }: KeyRow): KeptKey => ({ wrappedKey, material: material! });

export function createKeys(deps: {
  db: Database;
  clock: Clock;
  change: RunChange;
  stores: Stores;
  listener: KeyListener;
  unlessDamaged: UnlessDamaged;
  /** Of one owner. */
  maxKeys?: number;
}) {
  const { db, clock, change, stores, listener, unlessDamaged, maxKeys = Number.POSITIVE_INFINITY } = deps;
  const { storeOf, generate, draftOf, discard, orDiscard } = createDrafts(deps);

  async function insert(
    { tx, audit, touch }: Change,
    owner: string,
    { id, algorithm, storage, made: { publicJwk, kept } }: Draft,
    values: { alias?: string | undefined; use: readonly string[]; isDefault: boolean; predecessorId?: string },
  ): Promise<KeyRow> {
    const kid = thumbprintOf(publicJwk);
    // Within the owner's turn: of several requests at once none passes the other.
    if (owner !== NODE && (await countKeysOf(tx, owner)) >= maxKeys)
      fail('quota-exceeded', { what: 'keys', most: String(maxKeys) });
    if (await isKnownKid(tx, owner, kid)) fail('key-exists');
    const { alias, use, isDefault, predecessorId } = values;
    if (alias !== undefined && (await hasActiveAlias(tx, owner, alias))) fail('alias-taken', { kind: 'key', alias });
    if (use.includes('keyAgreement') && algorithm !== 'ES256')
      fail('unsupported-algorithm', { algorithm, why: ' for keyAgreement; ES256 is' });
    if (isDefault) await clearDefault(tx, owner);
    const row: KeyRow = {
      id,
      owner,
      alias: alias ?? null,
      algorithm,
      kid,
      state: 'active',
      is_default: isDefault ? 1 : 0,
      uses: JSON.stringify(use),
      storage,
      public_jwk: JSON.stringify(publicJwk),
      wrapped_key: kept.wrappedKey,
      material: kept.material,
      created_at: clock.now(),
      rotated_at: null,
      verify_until: null,
      successor_id: null,
      predecessor_id: predecessorId ?? null,
      revoked_at: null,
      revocation_reason: null,
      republished: null,
    };
    await insertKey(tx, row);
    audit('key.created', { kind: 'key', id }, { algorithm, storage });
    touch(ownerTag(owner));
    return row;
  }

  const target = (caller: Caller, id: string): Promise<WalletTarget<KeyRow>> =>
    targetFor(caller, {
      rule: 'owner_or_administrator',
      kind: 'key',
      find: (owner) => readAs(db, owner, (reader) => findKey(reader, owner, id)),
    });

  const held = async ({ tx }: Change, { owner, id }: KeyRow): Promise<KeyRow> =>
    (await findKey(tx, owner, id)) ?? fail('not-found', { kind: 'key' });

  async function withUse(reader: Reader, owner: string, rows: readonly KeyRow[]): Promise<KeyWithUse[]> {
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

  async function show(row: KeyRow): Promise<KeyWithUse> {
    const [key] = await readAs(db, row.owner, (reader) => withUse(reader, row.owner, [row]));
    return key!;
  }

  /** One of this owner's, as it is now. */
  const get = async (owner: string, id: string): Promise<KeyWithUse> =>
    show((await readAs(db, owner, (reader) => findKey(reader, owner, id))) ?? fail('not-found', { kind: 'key' }));

  /** Makes a key within a change of the caller's own. */
  async function add(inside: Change, owner: string, draft: Draft, body: Pick<NewKey, 'alias' | 'use' | 'default'>) {
    const isFirst = !(await findDefaultKey(inside.tx, owner));
    return insert(inside, owner, draft, {
      alias: body.alias,
      use: body.use ?? DEFAULT_USE,
      isDefault: body.default ?? isFirst,
    });
  }

  async function create(caller: Caller, body: NewKey, once: Once, signal?: AbortSignal): Promise<KeyWithUse> {
    const { owner } = caller;
    const earlier = await once.earlier();
    const draft = earlier === undefined ? await draftOf({ owner, signal }, body) : undefined;
    const id =
      earlier ??
      (await orDiscard(owner, draft, () =>
        change(caller, owner, async (inside) => {
          const made = await once.claim(inside, draft!.id);
          if (made === undefined) return (await add(inside, owner, draft!, body)).id;
          inside.audit('key.repeated', { kind: 'key', id: made });
          return made;
        }),
      ));
    // Another request with the same Idempotency-Key was first: what this one made is not needed.
    if (draft && id !== draft.id) await discard(owner, draft).catch(() => {});
    return get(owner, id).catch((error: unknown) => {
      const isGone = id !== draft?.id && error instanceof Fault && error.code === 'not-found';
      throw isGone ? fault('idempotent-result-gone') : error;
    });
  }

  async function rotate(
    caller: Caller,
    old: KeyRow,
    body: Rotation,
    signal?: AbortSignal,
  ): Promise<{ successor: KeyWithUse; replaced: KeyWithUse }> {
    const { owner, id } = old;
    if (body.gracePeriod !== undefined && body.duration !== undefined)
      fail('invalid-request', { why: 'give gracePeriod or duration, not both' });
    const grace = parseDuration(body.gracePeriod ?? body.duration ?? DEFAULT_GRACE);
    if (grace === undefined) fail('invalid-request', { why: 'gracePeriod must be a duration of at most ten years, as P30D' });
    if (old.state !== 'active') fail('key-not-active', { id, state: old.state });
    const draft = await generate({ owner, signal }, algorithmNamed(body.algorithm ?? old.algorithm), old.storage as Storage);
    await orDiscard(owner, draft, () =>
      change(caller, owner, async (inside) => {
        const key = await held(inside, old);
        if (key.state !== 'active') fail('key-not-active', { id, state: key.state });
        const now = clock.now();
        // First the old one: only one active key has the alias, and only one is the default.
        await updateKey(inside.tx, owner, id, {
          state: 'rotated',
          is_default: 0,
          rotated_at: now,
          verify_until: now + grace,
          successor_id: draft.id,
        });
        await succeed(inside, key, draft, body.alias ?? key.alias ?? undefined);
        inside.audit('key.rotated', { kind: 'key', id }, { successor: draft.id });
      }),
    );
    return { successor: await get(owner, draft.id), replaced: await get(owner, id) };
  }

  /** The successor takes over what the key was for, and joins the documents that carry it. */
  async function succeed(inside: Change, key: KeyRow, draft: Draft, alias: string | undefined): Promise<void> {
    const { algorithm } = draft;
    const use = (JSON.parse(key.uses) as string[]).filter((one) => one !== 'keyAgreement' || algorithm === 'ES256');
    if (use.length === 0) fail('unsupported-algorithm', { algorithm, why: ' for keyAgreement; ES256 is' });
    await insert(inside, key.owner, draft, { alias, use, isDefault: key.is_default === 1, predecessorId: key.id });
    await listener.onSucceeded(inside, key, draft);
  }

  /** Ends a key within a change: nothing can be signed with it again, here or by whoever has a copy of the row. */
  async function end(inside: Change, key: KeyRow, reason: string): Promise<void> {
    const { owner, id } = key;
    const republished = await listener.onEnded(inside, key);
    await updateKey(inside.tx, owner, id, {
      state: 'revoked',
      is_default: 0,
      wrapped_key: null,
      // The handle of a key in a device tells nothing, and is what finds it there: it stays until the device has forgotten.
      material: key.wrapped_key === null ? key.material : null,
      revoked_at: clock.now(),
      revocation_reason: reason,
      republished: JSON.stringify(republished),
    });
    if (key.is_default === 1 && !(await findDefaultKey(inside.tx, owner))) {
      const next = await findNewestActive(inside.tx, owner);
      if (next) await updateKey(inside.tx, owner, next.id, { is_default: 1 });
    }
    inside.audit('key.revoked', { kind: 'key', id }, { reason, republished });
    inside.touch(ownerTag(owner));
  }

  const destroy = (key: KeyRow): Promise<void> => storeOf(key.storage).destroy(keptOf(key), { owner: key.owner, keyId: key.id });

  /** The device forgets a revoked key. Not when it is not connected to this node: another one, or a later start, will. */
  async function forget(caller: Caller, key: KeyRow): Promise<void> {
    const { owner, id, material, storage } = key;
    if (material === null || !stores[storage as Storage]) return;
    await destroy(key);
    await change(caller, owner, async (inside) => {
      await updateKey(inside.tx, owner, id, { material: null });
      inside.audit('key.destroyed', { kind: 'key', id });
    });
  }

  async function revoke(
    caller: Caller,
    seen: KeyRow,
    { reason = 'unspecified', successor }: Revocation,
    force: boolean,
    signal?: AbortSignal,
  ) {
    const { owner, id } = seen;
    // A node without a key is not ready, and could not be mended: its key always has one to follow it.
    const wanted = successor || owner === NODE ? algorithmNamed(successor?.algorithm ?? seen.algorithm) : undefined;
    if (seen.state !== 'revoked') {
      // A rotated key has its successor already.
      const draft =
        wanted && seen.state === 'active' ? await generate({ owner, signal }, wanted, seen.storage as Storage) : undefined;
      const follows = await orDiscard(owner, draft, () =>
        change(caller, owner, async (inside) => {
          const key = await held(inside, seen);
          if (key.state === 'revoked') {
            inside.audit('key.revoked_again', { kind: 'key', id });
            return false;
          }
          if (!successor && !force && key.state === 'active') await listener.onAbandoning(inside.tx, key);
          const isFollowed = draft !== undefined && key.state === 'active';
          if (isFollowed) {
            await updateKey(inside.tx, owner, id, { state: 'rotated', is_default: 0, successor_id: draft.id });
            await succeed(inside, key, draft, key.alias ?? undefined);
          }
          await end(inside, isFollowed ? { ...key, is_default: 0 } : key, reason);
          return isFollowed;
        }),
      );
      // Somebody else was first: what was made to follow it is not needed.
      if (draft && !follows) await discard(owner, draft).catch(() => {});
      await db.scrub();
    }
    const key = await get(owner, id);
    // Here, so that a revocation the device did not follow can be repeated.
    await forget(caller, key.row);
    return {
      key,
      affectedCredentials: await readAs(db, owner, (reader) => credentialsOfKey(reader, owner, id)),
      republishedDids: JSON.parse(key.row.republished ?? '[]') as string[],
    };
  }

  async function purge(caller: Caller, seen: KeyRow, force: boolean): Promise<void> {
    const { owner, id } = seen;
    if (owner === NODE) fail('forbidden', { why: 'the key of the node is rotated or revoked, never purged' });
    const left = await change(caller, owner, async (inside) => {
      const key = await held(inside, seen);
      if (key.state !== 'revoked') {
        const [use] = await withUse(inside.tx, owner, [key]);
        const credentials = await credentialsOfKey(inside.tx, owner, id);
        const references = { dids: use!.dids, credentials };
        if (!force && (use!.dids.length > 0 || credentials.length > 0)) fail('key-in-use', undefined, { detail: { references } });
        await end(inside, key, 'cessation');
      }
      const ended = await held(inside, seen);
      if (ended.material === null) await remove(inside, ended);
      else inside.audit('key.purging', { kind: 'key', id });
      return ended.material === null ? undefined : ended;
    });
    if (!left) return db.scrub();
    // A device forgets the key before its row goes: nobody would find it there afterwards.
    await destroy(left);
    await change(caller, owner, async (inside) => remove(inside, await held(inside, left)));
    await db.scrub();
  }

  async function remove(inside: Change, key: KeyRow): Promise<void> {
    await deleteKey(inside.tx, key);
    inside.audit('key.purged', { kind: 'key', id: key.id });
    inside.touch(ownerTag(key.owner));
  }

  return {
    target,
    /** For rules that are told of a key by its id. */
    find: async (caller: Caller, id: string): Promise<KeyRow> => (await target(caller, id)).get(),
    show,
    create,
    rotate,
    revoke,
    purge,
    /** For rules that make a key along with something else: drafted before their change, added within it. */
    draft: (owner: string) => generate({ owner }, 'ES256', 'software'),
    add,
    list: (caller: Caller, filter: KeyFilter, page: Page): Promise<KeyWithUse[]> =>
      readAs(db, caller.owner, async (reader) =>
        withUse(reader, caller.owner, await listKeys(reader, caller.owner, filter, page)),
      ),
    /** What devices kept of revoked keys, because they did not answer or this process ended, goes. Counts it. */
    async destroyLeft(): Promise<number> {
      const left = await readAs(db, EVERYONE, (reader) => listUndestroyed(reader, Object.keys(stores), BATCH));
      const failures: unknown[] = [];
      for (const key of left) await forget(theNode, key).catch((error: unknown) => failures.push(error));
      // One that a device does not give up keeps nobody from the others.
      if (failures.length > 0) throw failures[0];
      return left.length;
    },
    isActive: async (owner: string, id: string): Promise<boolean> =>
      (await readAs(db, owner, (reader) => findKey(reader, owner, id)))?.state === 'active',
    /** Any key that was not revoked: a rotated one still shows the credentials that are bound to it. */
    async sign(owner: string, id: string, data: Buffer, purpose: 'any' | 'presentation' = 'any'): Promise<Buffer> {
      const key = await readAs(db, owner, (reader) => findKey(reader, owner, id));
      const usable = key?.state === 'active' || (key?.state === 'rotated' && purpose === 'presentation');
      if (!key || !usable) fail('key-not-active/named', { id });
      return storeOf(key.storage).sign(keptOf(key), key.algorithm as Algorithm, { owner, keyId: id }, data);
    },
  };
}

export type Keys = ReturnType<typeof createKeys>;
