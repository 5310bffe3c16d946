import { isUniqueViolation } from '../../platform/database/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { tagOf } from '../access/index.ts';
import { serviceActor } from '../audit/index.ts';
import type { Deps } from '../resource/index.ts';
import { nameKey, updateUser } from '../users/index.ts';
import { type KnownUser, markUserGone, namesTaken, presentUsers, readUsers, writeUserEntry } from './directories.store.ts';
import type { DirectoryUser } from './entries.ts';
import { publicId } from './public-id.ts';
import { isUserCurrent } from './rows.ts';
import { createUserWriting, type KeptDomain, type UserWritingDeps } from './write-user.rules.ts';

/** Rows in one transaction, so that other writers do not wait long. */
const AT_ONCE = 100;
const MOST_LOGGED = 1000;

export interface KeepDeps extends Pick<Deps, 'change' | 'log'>, UserWritingDeps {}

export function* chunksOf<T>(items: readonly T[], size = AT_ONCE): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Tries again when another process inserted the same rows at the same time. */
export async function onceMore<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return write();
    throw error;
  }
}

/** Logs each entry once. */
export function createLeftOut(log: Log) {
  const logged = new Set<string>();
  return (kind: 'user' | 'group', domainId: string, localId: string): void => {
    const key = `${kind} ${domainId} ${localId}`;
    if (logged.has(key) || logged.size >= MOST_LOGGED) return;
    logged.add(key);
    log.warn({ domain: domainId, [kind]: localId }, `entry left out: another ${kind} of the domain has its name`);
  };
}

/** The users whose names change, so that the old ones become free. */
const renamed = (users: readonly DirectoryUser[], known: ReadonlyMap<string, KnownUser>): Set<string> =>
  new Set(
    users.flatMap((user) => {
      const row = known.get(user.localId);
      return row && row.name_key !== nameKey(user.name) ? [row.id] : [];
    }),
  );

export function createUserKeeping(deps: KeepDeps) {
  const { db, clock, change, log } = deps;
  const { insert, update, close } = createUserWriting(deps);
  const leftOut = createLeftOut(log);

  /**
   * Names are unique in a domain. A new entry whose name is in use by another user is left out. A user who is renamed to such a name
   * keeps the old one; the other attributes are updated.
   */
  async function withFreeNames(domainId: string, users: readonly DirectoryUser[], known: ReadonlyMap<string, KnownUser>) {
    const isNew = ({ localId, name }: DirectoryUser) => known.get(localId)?.name_key !== nameKey(name);
    const keys = users.filter(isNew).map(({ name }) => nameKey(name));
    const taken = keys.length === 0 ? new Map<string, string>() : await namesTaken(db.read, domainId, { users: keys });
    const moving = renamed(users, known);
    return users.flatMap((user) => {
      const row = known.get(user.localId);
      const holder = isNew(user) ? taken.get(nameKey(user.name)) : undefined;
      if (holder === undefined || holder === row?.id || moving.has(holder)) return [user];
      leftOut('user', domainId, user.localId);
      return row ? [{ ...user, name: row.name }] : [];
    });
  }

  async function write(domain: KeptDomain, users: readonly DirectoryUser[]): Promise<void> {
    const { domainId } = domain;
    await change(serviceActor, async (transaction) => {
      const { tx } = transaction;
      const known = new Map(
        (
          await readUsers(
            tx,
            domainId,
            users.map(({ localId }) => localId),
          )
        ).map((row) => [row.local_id, row]),
      );
      const taken = await namesTaken(tx, domainId, { users: users.map(({ name }) => nameKey(name)) });
      const moving = renamed(users, known);
      // The same order in every process, so that they do not deadlock.
      const ordered = users.map((user) => ({ user, id: publicId(domainId, 'user', user.localId) }));
      ordered.sort((a, b) => (a.id < b.id ? -1 : 1));
      const unnamed = new Set<string>();
      for (const { user, id } of ordered) {
        const row = known.get(user.localId);
        const name = await freeName(user, id, row);
        if (name === undefined) {
          leftOut('user', domainId, user.localId);
          continue;
        }
        if (row && taken.get(row.name_key) === id) taken.delete(row.name_key);
        taken.set(nameKey(name), id);
        moving.delete(id);
        if (row) await update(transaction, domain, id, { ...user, name });
        else await insert(transaction, domain, id, { ...user, name });
        await writeUserEntry(tx, id, { domain_id: domainId, local_id: user.localId, dn: user.dn });
      }

      /** Whoever has the name and is renamed in this transaction gets their id as name meanwhile. */
      async function freeName(user: DirectoryUser, id: string, row: KnownUser | undefined): Promise<string | undefined> {
        const holder = taken.get(nameKey(user.name));
        if (holder === undefined || holder === id) return user.name;
        if (!moving.has(holder)) return unnamed.has(id) ? id : row?.name;
        await updateUser(tx, holder, { name: holder, name_key: holder, updated_at: clock.now() });
        unnamed.add(holder);
        return user.name;
      }
      transaction.audit('directory.users_read', { kind: 'domain', id: domainId }, { entries: users.length });
    });
  }

  return {
    /** Returns the user ids by their ids in the directory. Writes only what changed. */
    async keepUsers(domain: KeptDomain, users: readonly DirectoryUser[]): Promise<Map<string, string>> {
      const ids = new Map<string, string>();
      for (const chunk of chunksOf(users)) {
        const localIds = chunk.map(({ localId }) => localId);
        const known = new Map((await readUsers(db.read, domain.domainId, localIds)).map((row) => [row.local_id, row]));
        const changed = (await withFreeNames(domain.domainId, chunk, known)).filter((user) => {
          const row = known.get(user.localId);
          return !row || !isUserCurrent(row, user, domain.mapped);
        });
        if (changed.length > 0) await onceMore(() => write(domain, changed));
        const rows = changed.length > 0 ? await readUsers(db.read, domain.domainId, localIds) : known.values();
        for (const row of rows) ids.set(row.local_id, row.id);
      }
      return ids;
    },

    /** Disables users whose entries are gone. Their rows stay, so that a mistyped filter does not delete grants. */
    async closeOthers(domainId: string, present: ReadonlySet<string>): Promise<number> {
      let closed = 0;
      for (let after = ''; ; ) {
        const page = await presentUsers(db.read, domainId, after, AT_ONCE);
        const gone = page.filter(({ local_id }) => !present.has(local_id));
        if (gone.length > 0)
          await change(serviceActor, async (transaction) => {
            for (const { id } of gone) {
              if (!(await markUserGone(transaction.tx, id, clock.now()))) continue;
              await updateUser(transaction.tx, id, { enabled: 0, updated_at: clock.now() });
              await close(transaction, id);
              transaction.invalidate(tagOf.user(id));
              transaction.audit('user.updated', { kind: 'user', id }, { fields: ['enabled'], from: 'directory', gone: true });
              closed++;
            }
            transaction.audit('directory.users_gone', { kind: 'domain', id: domainId }, { users: gone.length });
          });
        if (page.length < AT_ONCE) return closed;
        after = page.at(-1)!.id;
      }
    },
  };
}

export type UserKeeping = ReturnType<typeof createUserKeeping>;
