// Publishes the state of credentials: Token Status List (draft-ietf-oauth-status-list) and Bitstring Status List (W3C), from the same rows. The
// entries stay in memory and follow the changes; a list is compressed and signed only when it says something new, or has become old.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { KeyedLocks } from '../../../platform/database/index.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { Database } from '../../ground/database/index.ts';
import { CLOSED_BY_RESTORE } from '../../ground/restored.store.ts';
import { bitstringAddress, listAddress, type Purpose, tagOfList } from './addresses.ts';
import { bitstring, ENTRY_BITS, EVERY_ENTRY_REVOKED, newEntries, setEntry, tokenList } from './bits.ts';
import { changedEntries, findList, storedEntries } from './lists.store.ts';

/** Each takes up to a quarter of a megabyte. */
const MAX_LISTS = 100;
/** Many credentials revoked one after the other do not make as many signatures. */
const PAUSE_MS = 250;
/** A list that cannot be fetched any more is good for so long, at least. */
const MIN_LIFE = 600;
/** Cleared entries can be followed for a day, until their rows are deleted. Who has not looked for longer begins again. */
const FOLLOW_MS = 12 * 3600 * 1000;

export type ListForm = 'token' | Purpose;

export interface ListSigner {
  did(): string | undefined;
  sign(payload: Readonly<Record<string, unknown>>, header: { typ: string; by: 'x5c' | 'did' | 'kid' }): Promise<string>;
}

export interface ListDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly statusListSeconds: number };
  readonly signer: ListSigner;
  issuer(): string;
}

export interface PublishedList {
  readonly listId: string;
  readonly text: string;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
  /** When it has to be made again, in milliseconds. */
  readonly until: number;
}

/** The entries of a list in memory. */
interface Entries {
  readonly size: number;
  readonly bytes: Uint8Array;
  version: number;
  /** When they were last brought up to date, in milliseconds. */
  checkedAt: number;
  /** Compressed, of this version. */
  readonly encoded: Map<ListForm, string>;
}

const TYPES: Readonly<Record<ListForm, string>> = {
  token: 'application/statuslist+jwt',
  revocation: 'application/vc+jwt',
  suspension: 'application/vc+jwt',
};

const dateTime = (time: number): string => new Date(time * 1000).toISOString().replace('.000Z', 'Z');

export function createLists({ db, clock, config, signer, issuer }: ListDeps) {
  const inMemory = new Map<string, Entries>();
  const locks = new KeyedLocks();
  /** When a list was last compressed, by the time of the process. */
  const madeAt = new Map<string, number>();
  const published = db.cached<PublishedList>({
    name: 'status_lists',
    limit: 3 * MAX_LISTS,
    tags: ({ listId }) => [tagOfList({ id: listId })],
    expiry: { clock, at: ({ until }) => until },
  });

  function remember<V>(map: Map<string, V>, key: string, value: V): void {
    map.delete(key);
    map.set(key, value);
    if (map.size > 3 * MAX_LISTS) map.delete(map.keys().next().value!);
  }

  /** Entries that no credential has say "revoked". */
  async function readAll(id: string, { bytes }: Entries): Promise<void> {
    bytes.fill(EVERY_ENTRY_REVOKED);
    for await (const page of storedEntries(db.read, id))
      for (const { list_index, list_state } of page) setEntry(bytes, list_index, list_state);
  }

  /** Brings the entries up to date. The caller has the lock of the list. */
  async function refresh(id: string): Promise<Entries | undefined> {
    const row = await findList(db.read, id);
    if (!row) return undefined;
    const known = inMemory.get(id);
    // A lower version than before: the database is another one, or was restored.
    const checkedAt = clock.now();
    const isUsable =
      known && known.size === row.size && known.version <= row.version && Math.abs(checkedAt - known.checkedAt) < FOLLOW_MS;
    const entries = isUsable ? known : { size: row.size, bytes: newEntries(row.size), version: 0, checkedAt, encoded: new Map() };
    entries.checkedAt = checkedAt;
    if (!isUsable && row.is_full === CLOSED_BY_RESTORE) await readAll(id, entries);
    remember(inMemory, id, entries);
    if (entries.version === row.version) return entries;
    let version = row.version;
    for await (const page of changedEntries(db.read, id, entries.version))
      for (const { list_index, list_state, list_version } of page) {
        setEntry(entries.bytes, list_index, list_state);
        version = Math.max(version, list_version);
      }
    entries.version = version;
    entries.encoded.clear();
    return entries;
  }

  /** Compresses a list in one form, unless that was done since its last change. */
  async function encode(id: string, form: ListForm): Promise<string | undefined> {
    return locks.run(id, async () => {
      const before = await refresh(id);
      const done = before?.encoded.get(form);
      if (!before || done !== undefined) return done;
      const pause = (madeAt.get(`${id} ${form}`) ?? Number.NEGATIVE_INFINITY) + PAUSE_MS - performance.now();
      if (pause > 0) await sleep(pause);
      const entries = pause > 0 ? await refresh(id) : before;
      if (!entries) return undefined;
      const text = form === 'token' ? await tokenList(entries.bytes) : await bitstring(entries.bytes, form);
      entries.encoded.set(form, text);
      remember(madeAt, `${id} ${form}`, performance.now());
      return text;
    });
  }

  function tokenPayload(id: string, lst: string, now: number, life: number) {
    const sub = listAddress(issuer(), id);
    const times = { iat: now, exp: now + life, ttl: config.statusListSeconds };
    return { iss: issuer(), sub, ...times, status_list: { bits: ENTRY_BITS, lst } };
  }

  function bitstringPayload(id: string, purpose: Purpose, encodedList: string, now: number, life: number) {
    const uri = bitstringAddress(issuer(), id, purpose);
    const by = signer.did() ?? issuer();
    return {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: uri,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      iss: by,
      issuer: by,
      iat: now,
      nbf: now,
      exp: now + life,
      validFrom: dateTime(now),
      validUntil: dateTime(now + life),
      credentialSubject: {
        id: `${uri}#list`,
        type: 'BitstringStatusList',
        statusPurpose: purpose,
        encodedList,
        ttl: config.statusListSeconds * 1000,
      },
    };
  }

  async function make(id: string, form: ListForm): Promise<PublishedList | undefined> {
    const encoded = await encode(id, form);
    if (encoded === undefined) return undefined;
    const now = seconds(clock);
    const life = Math.max(2 * config.statusListSeconds, MIN_LIFE);
    const text =
      form === 'token'
        ? await signer.sign(tokenPayload(id, encoded, now, life), { typ: 'statuslist+jwt', by: 'x5c' })
        : await signer.sign(bitstringPayload(id, form, encoded, now, life), {
            typ: 'vc+jwt',
            by: signer.did() === undefined ? 'kid' : 'did',
          });
    // Others may keep it for the second half of the time, so that nobody has one that is older than the whole.
    const keep = Math.ceil(config.statusListSeconds / 2);
    return {
      listId: id,
      text,
      bytes: Buffer.byteLength(text),
      headers: {
        'Content-Type': TYPES[form],
        'Cache-Control': `public, max-age=${keep}`,
        ETag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
        // For verifiers in browsers. It is the same for everybody.
        'Access-Control-Allow-Origin': '*',
      },
      until: clock.now() + keep * 1000,
    };
  }

  return {
    /** Undefined if there is no such list. */
    published: (id: string, form: ListForm): MaybePromise<PublishedList | undefined> =>
      published.getOrLoad(`${id} ${form}`, () => make(id, form)),
  };
}

export type Lists = ReturnType<typeof createLists>;
