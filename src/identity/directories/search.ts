// LDAP searches: for a few entries, or for many in pages.
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
  /** False when the server returned only a part, or the search base does not exist. */
  readonly complete: boolean;
}

const NO_SUCH_OBJECT = 32;
const SIZE_LIMIT = 4;
/** Limits of time, size and administration. The entries received before are kept. */
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

  /** A search base that does not exist has no entries. */
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
      // With a size limit of our own the library returns the entries received before the server's limit.
      yield (await client.search(search.base, optionsOf({ ...search, limit: MOST_ENTRIES }))).searchEntries;
      throw error;
    }
  }

  return {
    few: (search: Search): Promise<Entry[]> => pool.search(({ client }) => fewFrom(client, search)),

    /**
     * Calls `each` page by page. `client` can be used for further searches meanwhile. When a pooled connection breaks, everything is
     * repeated from the first page, so `each` must be idempotent.
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
