// Creates and updates the rows of users in a directory.
import { isUnwritable } from '../../../platform/database/index.ts';
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { nameKey, updateUserRow } from '../users/index.ts';
import { chunksOf } from './chunks.ts';
import { readUsers, type UserInDirectory, userNamesTaken, writeSeen } from './directories.store.ts';
import type { DirectoryUser } from './entries.ts';
import { type Identity, identify } from './identity.ts';
import type { LeftOut } from './left-out.ts';
import { isUserCurrent } from './rows.ts';
import { createUserWriting, type MappedDomain, type UserWritingDeps } from './write-user.rules.ts';
import { AT_ONCE, writeOrSkip } from './writing.ts';

export interface KeepDeps extends Pick<Deps, 'change' | 'log'>, UserWritingDeps {
  readonly leftOut: LeftOut;
}

type Identities = ReadonlyMap<string, Identity>;

/** What a login was told is newer than everything that is stored. */
const ALWAYS = Number.MAX_SAFE_INTEGER;

const NAME_TAKEN = 'another user of the domain has its name';

/** Whether the row is from before the directory was read. */
const isOlder = (row: UserInDirectory | undefined, before: number): boolean => row === undefined || row.seen_at <= before;

/** The users whose names change, so that the old ones become free. */
const renamed = (users: readonly DirectoryUser[], identities: Identities): Set<string> =>
  new Set(
    users.flatMap((user) => {
      const { row } = identities.get(user.localId)!;
      return row && row.name_key !== nameKey(user.name) ? [row.id] : [];
    }),
  );

export function createUserKeeping(deps: KeepDeps) {
  const { db, clock, change, leftOut } = deps;
  const writing = createUserWriting(deps);

  /** Whose entries these are, by their ids in the directory. */
  async function identitiesOf(reader: Reader, domainId: string, users: readonly DirectoryUser[]): Promise<Identities> {
    const localIds = users.map(({ localId }) => localId);
    const rows = Map.groupBy(await readUsers(reader, domainId, localIds), ({ local_id }) => local_id);
    return new Map(users.map((user) => [user.localId, identify(domainId, rows.get(user.localId) ?? [], user)]));
  }

  /**
   * Names are unique in a domain. A new entry whose name is in use by another user is left out. A user who is renamed to such a name
   * keeps the old one; the other attributes are updated. Those whose entries are gone give their names away.
   */
  async function withFreeNames(domainId: string, users: readonly DirectoryUser[], identities: Identities) {
    const rowOf = ({ localId }: DirectoryUser) => identities.get(localId)!.row;
    const isNew = (user: DirectoryUser) => rowOf(user)?.name_key !== nameKey(user.name);
    const keys = users.filter(isNew).map(({ name }) => nameKey(name));
    const taken = await userNamesTaken(db.read, domainId, keys);
    const moving = renamed(users, identities);
    return users.flatMap((user) => {
      const row = rowOf(user);
      const holder = isNew(user) ? taken.get(nameKey(user.name)) : undefined;
      if (!holder || holder.isGone || holder.id === row?.id || moving.has(holder.id)) return [user];
      leftOut('user', domainId, user.localId, NAME_TAKEN);
      return row ? [{ ...user, name: row.name }] : [];
    });
  }

  /** The user gets their id as name, so that another one can have theirs. */
  const takeName = (transaction: Change, id: string): Promise<void> =>
    updateUserRow(transaction, clock, id, { name: id, name_key: id }, { fields: ['name'], from: 'directory' });

  /** Closes who had an id that is somebody else's now, whether that person can be stored or not. */
  async function closeFormer(domainId: string, identities: Identities, before: number): Promise<boolean> {
    const ids = [...identities.values()].flatMap(({ former }) => (former && isOlder(former, before) ? [former.id] : []));
    if (ids.length === 0) return false;
    await change(serviceActor, async (transaction) => {
      for (const id of ids.sort()) await writing.closeGone(transaction, id, before);
      transaction.audit('directory.users_gone', { kind: 'domain', id: domainId }, { users: ids.length });
    });
    return true;
  }

  async function write(domain: MappedDomain, users: readonly DirectoryUser[], before: number): Promise<void> {
    const { domainId } = domain;
    await change(serviceActor, async (transaction) => {
      const { tx } = transaction;
      const identities = await identitiesOf(tx, domainId, users);
      const holders = await userNamesTaken(
        tx,
        domainId,
        users.map(({ name }) => nameKey(name)),
      );
      const taken = new Map([...holders].map(([key, { id }]) => [key, id]));
      const moving = renamed(users, identities);
      for (const { id, isGone } of holders.values()) if (isGone) moving.add(id);
      // The same order in every process, so that they do not deadlock.
      const ordered = users.map((user) => ({ user, ...identities.get(user.localId)! }));
      ordered.sort((a, b) => (a.id < b.id ? -1 : 1));
      const unnamed = new Set<string>();
      for (const { user, id, row, former } of ordered) {
        // Who has the id has logged in since.
        if (former || !isOlder(row, before)) continue;
        const name = await freeName(user, id, row);
        if (name === undefined) {
          leftOut('user', domainId, user.localId, NAME_TAKEN);
          continue;
        }
        if (row && taken.get(row.name_key) === id) taken.delete(row.name_key);
        taken.set(nameKey(name), id);
        moving.delete(id);
        await writing.write(transaction, domain, { id, row, user: { ...user, name }, seenAt: Math.min(before, clock.now()) });
      }
      transaction.audit('directory.users_read', { kind: 'domain', id: domainId }, { entries: users.length });

      async function freeName(user: DirectoryUser, id: string, row: UserInDirectory | undefined): Promise<string | undefined> {
        const holder = taken.get(nameKey(user.name));
        if (holder === undefined || holder === id) return user.name;
        if (!moving.has(holder)) return unnamed.has(id) ? id : row?.name;
        await takeName(transaction, holder);
        unnamed.add(holder);
        return user.name;
      }
    });
  }

  return {
    /**
     * Returns the user ids by their ids in the directory. Writes only what changed. With `before`, users whose entries were seen after
     * this time are left alone: they have logged in since the directory was read.
     */
    async keepUsers(domain: MappedDomain, users: readonly DirectoryUser[], before = ALWAYS): Promise<Map<string, string>> {
      const { domainId, mapped } = domain;
      const ids = new Map<string, string>();
      for (const chunk of chunksOf(users, AT_ONCE)) {
        let identities = await identitiesOf(db.read, domainId, chunk);
        if (await closeFormer(domainId, identities, before)) identities = await identitiesOf(db.read, domainId, chunk);
        const changed = (await withFreeNames(domainId, chunk, identities)).filter((user) => {
          const { row, former } = identities.get(user.localId)!;
          return !former && (!row || (isOlder(row, before) && !isUserCurrent(row, user, mapped)));
        });
        await writeOrSkip(
          changed,
          (some) => write(domain, some, before),
          ({ localId }, { message }) => leftOut('user', domainId, localId, `it cannot be stored: ${message}`),
        );
        const now = changed.length > 0 ? await identitiesOf(db.read, domainId, chunk) : identities;
        for (const [localId, { row }] of now) if (row) ids.set(localId, row.id);
      }
      return ids;
    },

    /** Those entries that have the DN they had before. Others with the same id may be somebody else's. */
    async usersInPlace(domainId: string, users: readonly DirectoryUser[]): Promise<Set<DirectoryUser>> {
      const inPlace = new Set<DirectoryUser>();
      for (const chunk of chunksOf(users, AT_ONCE)) {
        const rows = await readUsers(
          db.read,
          domainId,
          chunk.map(({ localId }) => localId),
        );
        const places = new Set(rows.map(({ local_id, dn }) => JSON.stringify([local_id, dn])));
        for (const user of chunk) if (places.has(JSON.stringify([user.localId, user.dn]))) inPlace.add(user);
      }
      return inPlace;
    },

    /** People must be able to log in to a database that cannot be written. */
    async noteLogin(userId: string): Promise<void> {
      try {
        await db.write((tx) => writeSeen(tx, userId, clock.now()));
      } catch (error) {
        if (!isUnwritable(error)) throw error;
      }
    },
  };
}

export type UserKeeping = ReturnType<typeof createUserKeeping>;
