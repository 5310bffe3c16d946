// The client of one directory: finds and lists users and groups, and checks passwords. It never writes.
import { randomBytes } from 'node:crypto';
import type { Client, Entry, Filter } from 'ldapts';
import type { Clock } from '../../../platform/clock.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import type { QueueClient } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { nameKey } from '../users/index.ts';
import { childOf, dnKey } from './dn.ts';
import { createEmulation } from './emulation.ts';
import { type DirectoryUser, userAttributes, userOf } from './entries.ts';
import { all, any, equals, has, idEquals, type Kinds, kindsOf } from './filters.ts';
import { createMembership } from './membership.ts';
import { createPool } from './pool.ts';
import { createSearches, type Listing } from './search.ts';

/** Enough to notice that a name or an id is ambiguous. */
const TWO = 2;
/** Enough to find one that can be read. */
const SOME = 10;
/** The id that is asked for when there is no user: nobody has it, whatever the syntax of ids. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

export interface DirectoryDeps {
  readonly ldap: LdapSettings;
  readonly domainId: string;
  readonly clock: Clock;
  readonly log: Log;
}

function readKinds(ldap: LdapSettings, domainId: string): Kinds {
  try {
    return kindsOf(ldap);
  } catch (error) {
    throw new ConfigError(
      `[ldap] user_filter or group_filter of the domain ${domainId} is no filter: ${(error as Error).message}`,
    );
  }
}

export function createDirectory(deps: DirectoryDeps) {
  const { ldap, domainId, clock } = deps;
  const kinds = readKinds(ldap, domainId);
  const trees = {
    users: ldap.userTreeDn ?? `ou=Users,${ldap.suffix}`,
    groups: ldap.groupTreeDn ?? `ou=UserGroups,${ldap.suffix}`,
  };
  const probe = (client: Client) =>
    client.search(trees.users, { scope: 'base', filter: has('objectClass'), attributes: ['1.1'], sizeLimit: 1 });
  const pool = createPool({ ...deps, probe });
  const searches = createSearches(pool, ldap);
  const emulation = createEmulation(ldap, domainId, trees.users, searches);
  const attributes = userAttributes(ldap);
  const nobody = { localId: NOBODY, dn: childOf(trees.users, ldap.userIdAttribute, NOBODY) };
  const userIn = (entry: Entry): DirectoryUser | undefined => userOf(entry, ldap, clock.now());
  const usersIn = (entries: readonly Entry[]): DirectoryUser[] => entries.map(userIn).filter((user) => user !== undefined);

  /** Undefined when no entry or more than one matches. */
  async function oneWhere(filter: Filter): Promise<DirectoryUser | undefined> {
    const entries = await searches.few({ base: trees.users, filter: all(kinds.user, filter), attributes, limit: TWO });
    return entries.length === 1 ? userIn(entries[0]!) : undefined;
  }

  /** Undefined when another entry has the id, too. Servers compare without case, so the id is compared again. */
  async function findUser(localId: string): Promise<DirectoryUser | undefined> {
    const user = await oneWhere(idEquals(ldap.userIdAttribute, localId));
    const isEnabled = emulation ? await emulation.isEnabled(user ?? nobody) : true;
    return user?.localId === localId ? { ...user, enabled: user.enabled && isEnabled } : undefined;
  }

  return {
    ldap,
    findUser,

    /**
     * Whoever may create entries somewhere in the tree could give one the id of somebody else. So the id is looked up, too, and must be
     * that of the same entry. For an unknown name the directory is asked as often. Servers take names for equal that are two names here.
     * `holder`: the id of the user who has the name here. It is theirs as long as their entry has it, whoever else takes it.
     */
    async findUserByName(name: string, holder?: string): Promise<DirectoryUser | undefined> {
      const isNamed = (user: DirectoryUser | undefined) => user !== undefined && nameKey(user.name) === nameKey(name);
      const byName = await oneWhere(equals(ldap.userNameAttribute, name));
      const user = await findUser(holder ?? byName?.localId ?? NOBODY);
      if (holder !== undefined && isNamed(user)) return user;
      const owner = holder !== undefined && byName ? await findUser(byName.localId) : user;
      const isSame = byName !== undefined && owner !== undefined && dnKey(byName.dn) === dnKey(owner.dn);
      return isSame && isNamed(owner) ? owner : undefined;
    },

    /** All users, in pages. */
    async users(each: (users: DirectoryUser[]) => Promise<void>, signal?: AbortSignal): Promise<Listing> {
      const isEnabled = await emulation?.read();
      const search = { base: trees.users, filter: kinds.user, attributes };
      const listed = (users: DirectoryUser[]) =>
        each(isEnabled ? users.map((user) => ({ ...user, enabled: user.enabled && isEnabled(user) })) : users);
      return searches.many(search, (entries) => listed(usersIn(entries)), { signal });
    },

    /** The entries with these ids. Fails unless the answer is complete. */
    async usersById(localIds: readonly string[]): Promise<DirectoryUser[]> {
      const isEnabled = await emulation?.read();
      const searchFor = (ids: readonly string[]) => {
        const filter = all(kinds.user, any(ids.map((id) => idEquals(ldap.userIdAttribute, id))));
        return { base: trees.users, filter, attributes, baseMustExist: true };
      };
      const users = usersIn(await searches.each(localIds, searchFor));
      return isEnabled ? users.map((user) => ({ ...user, enabled: user.enabled && isEnabled(user) })) : users;
    },

    /** Whether it shows any user. One that shows nobody may have a wrong setting, or not let us read any more. */
    async showsAnybody(): Promise<boolean> {
      const filter = all(kinds.user, has(ldap.userIdAttribute), has(ldap.userNameAttribute));
      return usersIn(await searches.few({ base: trees.users, filter, attributes, limit: SOME })).length > 0;
    },

    ...createMembership(ldap, trees, kinds, searches, usersIn),

    /**
     * Whether this is the user's password. An empty password is never sent: servers treat it as an anonymous bind, which succeeds.
     * For an unknown user a DN that does not exist is tried, so that both take equally long.
     */
    async authenticate(user: Pick<DirectoryUser, 'dn'> | undefined, password: string, client: QueueClient): Promise<boolean> {
      if (password === '') return false;
      return (await pool.bind({ dn: user?.dn || nobody.dn, password }, client)) && user !== undefined && user.dn !== '';
    },

    /**
     * Asks what a login of a user that does not exist would ask. What was typed is not sent: it may be the password of an account that has
     * nothing to do with this directory.
     */
    async askAboutNobody(by: 'name' | 'id', password: string, client: QueueClient): Promise<void> {
      if (by === 'name') await oneWhere(equals(ldap.userNameAttribute, NOBODY));
      await findUser(NOBODY);
      if (password !== '') await pool.bind({ dn: nobody.dn, password: randomBytes(16).toString('base64url') }, client);
    },

    close: pool.close,
  };
}

export type Directory = ReturnType<typeof createDirectory>;
