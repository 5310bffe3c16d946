// Copies the users of a directory into rows, and disables those whose entries are gone.
import { presentUsers } from './directories.store.ts';
import { dnKey } from './dn.ts';
import type { DirectoryUser } from './entries.ts';
import { byUniqueId, type SyncDeps, type SyncRun, TWICE, type UserIds } from './sync-run.ts';
import type { MappedDomain } from './write-user.rules.ts';
import { AT_ONCE } from './writing.ts';

export function createUserSync(deps: SyncDeps) {
  const { db, leftOut } = deps;

  async function keep({ begun }: SyncRun, domain: MappedDomain, users: readonly DirectoryUser[], ids: UserIds): Promise<void> {
    const written = await deps.keepUsers(domain, users, begun);
    for (const { localId, dn } of users) {
      const id = written.get(localId);
      if (id === undefined) continue;
      ids.byLocalId.set(localId, id);
      ids.byDn.set(dnKey(dn), id);
    }
  }

  /**
   * Reads the list. Entries with the DN they had before are written at once. New and moved ones are written when the whole list is known,
   * because another entry may have the same id: then the one in the old place counts, or none.
   */
  async function readUsers(run: SyncRun, domain: MappedDomain, ids: UserIds): Promise<{ seen: Set<string>; complete: boolean }> {
    const { directory, domainId, signal } = run;
    const seen = new Set<string>();
    const settled = new Set<string>();
    const others: DirectoryUser[] = [];
    const { complete } = await directory.users(async (page) => {
      const inPlace = await deps.usersInPlace(domainId, page);
      await keep(run, domain, [...inPlace], ids);
      for (const user of page) {
        seen.add(user.localId);
        if (inPlace.has(user)) settled.add(user.localId);
        else others.push(user);
      }
    }, signal);
    // In an incomplete list the other entry may be missing.
    const localIds = [...new Set(others.map(({ localId }) => localId))];
    const candidates = complete ? others : await directory.usersById(localIds);
    const { unique, twice } = byUniqueId(candidates);
    for (const id of [...twice.keys(), ...[...unique.keys()].filter((one) => settled.has(one))]) {
      unique.delete(id);
      leftOut('user', domainId, id, TWICE);
    }
    await keep(run, domain, [...unique.values()], ids);
    return { seen, complete };
  }

  /**
   * Whoever was not in the list is asked for by id before they are closed: the list may be incomplete, or from before their first login.
   * Fails when the directory does not answer completely; then nobody is closed.
   */
  async function closeMissing(run: SyncRun, domain: MappedDomain, seen: ReadonlySet<string>, ids: UserIds): Promise<number> {
    const { directory, domainId, begun, signal } = run;
    let closed = 0;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const page = await presentUsers(db.read, domainId, after, AT_ONCE);
      const missing = page.filter(({ local_id }) => !seen.has(local_id));
      if (missing.length > 0) {
        const found = await directory.usersById(missing.map(({ local_id }) => local_id));
        const { unique, twice } = byUniqueId(found);
        const isThere = ({ local_id }: { local_id: string }) => unique.has(local_id) || twice.has(local_id);
        await keep(
          run,
          domain,
          [...unique.values()].filter(({ localId }) => missing.some((one) => one.local_id === localId)),
          ids,
        );
        const gone = missing.filter((one) => !isThere(one)).map(({ id }) => id);
        closed += await deps.closeUsers(domainId, gone, begun);
      }
      if (page.length < AT_ONCE) return closed;
      after = page.at(-1)!.id;
    }
  }

  return { readUsers, closeMissing };
}
