// A directory as the identity service uses it: users and groups, found and listed, and whether a password is right. Nothing is written.
import type { Filter } from 'ldapts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config/index.ts';
import type { QueueClient } from '../../platform/limits/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { childOf } from './dn.ts';
import { createEmulation } from './emulation.ts';
import { type DirectoryUser, userAttributes, userOf } from './entries.ts';
import { all, equals, idEquals, type Kinds, kindsOf } from './filters.ts';
import { createMembership } from './membership.ts';
import { createPool } from './pool.ts';
import { createSearches, type Listing } from './search.ts';

/** Enough to see that there is more than one. */
const TWO = 2;

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
  const { ldap, domainId } = deps;
  const kinds = readKinds(ldap, domainId);
  const pool = createPool(deps);
  const trees = {
    users: ldap.userTreeDn ?? `ou=Users,${ldap.suffix}`,
    groups: ldap.groupTreeDn ?? `ou=UserGroups,${ldap.suffix}`,
  };
  const searches = createSearches(pool, ldap);
  const emulation = createEmulation(ldap, trees.users, searches);

  /** One user, or nobody: where two entries answer to it, neither is meant. */
  async function oneUser(filter: Filter): Promise<DirectoryUser | undefined> {
    const search = { base: trees.users, filter: all(kinds.user, filter), attributes: userAttributes(ldap), limit: TWO };
    const entries = await searches.few(search);
    const user = entries.length === 1 ? userOf(entries[0]!, ldap) : undefined;
    return user && emulation ? { ...user, enabled: await emulation.isOpen(user) } : user;
  }

  return {
    ldap,
    findUserByName: (name: string): Promise<DirectoryUser | undefined> => oneUser(equals(ldap.userNameAttribute, name)),
    findUser: (localId: string): Promise<DirectoryUser | undefined> => oneUser(idEquals(ldap.userIdAttribute, localId)),

    /** Every user, some at a time. */
    async users(each: (users: DirectoryUser[]) => Promise<void>): Promise<Listing> {
      const isOpen = await emulation?.read();
      return searches.many({ base: trees.users, filter: kinds.user, attributes: userAttributes(ldap) }, (entries) => {
        const users = entries.map((entry) => userOf(entry, ldap)).filter((user) => user !== undefined);
        return each(isOpen ? users.map((user) => ({ ...user, enabled: isOpen(user) })) : users);
      });
    },

    ...createMembership(ldap, trees, kinds, searches),

    /**
     * Whether this is their password. An empty one never is: a directory takes it for a visitor without a name, and says yes.
     * Where there is no such user, somebody who does not exist is asked about, so that both take as long.
     */
    async authenticate(user: Pick<DirectoryUser, 'dn'> | undefined, password: string, place: QueueClient): Promise<boolean> {
      if (password === '') return false;
      const dn = user?.dn || childOf(trees.users, ldap.userIdAttribute, 'nobody-of-this-name');
      return (await pool.bind({ dn, password }, place)) && user !== undefined && user.dn !== '';
    },

    close: pool.close,
  };
}

export type Directory = ReturnType<typeof createDirectory>;
