// Searches in a directory: a few entries at once, or many of them page by page.
import type { Client, Entry, Filter } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import type { Pool } from './pool.ts';

export interface Search {
  readonly base: string;
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly scope?: 'base' | 'one' | 'sub';
  readonly limit?: number;
}

export interface Listing {
  /** False: the server gave only some of them, or the tree is not there. */
  readonly complete: boolean;
}

const NO_SUCH_OBJECT = 32;
const SIZE_LIMIT = 4;
/** Of time, of size, of an administrator: what came before it stands. */
const LIMITS = new Set([3, SIZE_LIMIT, 11]);
const MOST_ENTRIES = 1_000_000;

const codeOf = (error: unknown): number => (error as { code?: number }).code ?? -1;

export function createSearches(pool: Pool, ldap: LdapSettings) {
  const binary = [ldap.userIdAttribute, ldap.groupIdAttribute, 'objectGUID'].filter(
    (name) => name.toLowerCase() === 'objectguid',
  );

  const optionsOf = ({ filter, attributes, scope = ldap.queryScope, limit = 0 }: Search) => ({
    filter,
    scope,
    attributes: [...attributes],
    explicitBufferAttributes: binary,
    timeLimit: ldap.connectionTimeout,
    sizeLimit: limit,
  });

  /** A tree or an entry that is not there has none. */
  async function fewFrom(client: Client, search: Search): Promise<Entry[]> {
    try {
      return (await client.search(search.base, optionsOf(search))).searchEntries;
    } catch (error) {
      if (codeOf(error) === NO_SUCH_OBJECT) return [];
      throw error;
    }
  }

  async function* pagesOf(client: Client, search: Search): AsyncGenerator<Entry[]> {
    if (ldap.pageSize > 0) {
      const paged = { pageSize: ldap.pageSize };
      for await (const page of client.searchPaginated(search.base, { ...optionsOf(search), paged })) yield page.searchEntries;
      return;
    }
    try {
      yield (await client.search(search.base, optionsOf(search))).searchEntries;
    } catch (error) {
      if (codeOf(error) !== SIZE_LIMIT) throw error;
      // Asked with a limit the library hands out what came before the server's own, and does not say that there is more.
      yield (await client.search(search.base, optionsOf({ ...search, limit: MOST_ENTRIES }))).searchEntries;
      throw error;
    }
  }

  return {
    few: (search: Search): Promise<Entry[]> => pool.search(({ client }) => fewFrom(client, search)),

    /**
     * Each page when the one before was dealt with. `client` is for further questions about it. When the connection ends in the
     * middle everything comes again, from the first page on.
     */
    many: (search: Search, each: (entries: Entry[], client: Client) => Promise<void>): Promise<Listing> =>
      pool.search(async ({ client }) => {
        try {
          for await (const entries of pagesOf(client, search)) await each(entries, client);
          return { complete: true };
        } catch (error) {
          if (codeOf(error) === NO_SUCH_OBJECT || LIMITS.has(codeOf(error))) return { complete: false };
          throw error;
        }
      }),

    fewFrom,
  };
}

export type Searches = ReturnType<typeof createSearches>;
