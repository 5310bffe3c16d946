// LDAP searches: for a few entries, or for many in pages.
import type { Client, Entry, Filter } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { chunksOf } from './chunks.ts';
import { valuesOf } from './entries.ts';
import { has } from './filters.ts';
import type { Pool } from './pool.ts';

export interface Search {
  readonly base: string;
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly scope?: 'base' | 'one' | 'sub';
  readonly limit?: number;
  /** Without it, a search base that does not exist has no entries. */
  readonly baseMustExist?: boolean;
}

export interface Listing {
  /** False when the server returned only a part, or the search base does not exist. */
  readonly complete: boolean;
}

export interface ListingOptions {
  /** Entries in a page, at most. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal | undefined;
}

const NO_SUCH_OBJECT = 32;
const SIZE_LIMIT = 4;
/** Limits of time, size and administration. The entries received before are kept. */
const LIMITS = new Set([3, SIZE_LIMIT, 11]);
/** More entries than any directory has: a server that never ends. */
const MOST_ENTRIES = 1_000_000;
/** The most values of one attribute that are read in parts. */
const MOST_VALUES = 1_000_000;

/** Values in one filter. */
const AT_ONCE = 50;

/** The search for some values. */
export type SearchFor = (values: readonly string[]) => Search;

/** The server did not return all values of an attribute. */
export class IncompleteValues extends Error {}

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

  /** All entries, or the first ones with `limit`. Fails when the server does not return all. */
  async function fewFrom(client: Client, search: Search): Promise<Entry[]> {
    const paged = search.limit === undefined && search.scope !== 'base' && ldap.pageSize > 0;
    const options = { ...optionsOf(search), ...(paged ? { paged: { pageSize: ldap.pageSize } } : {}) };
    try {
      return (await client.search(search.base, options)).searchEntries;
    } catch (error) {
      if (codeOf(error) === NO_SUCH_OBJECT && !search.baseMustExist) return [];
      throw error;
    }
  }

  /** The entries for these values. Asks for fewer at once when the server returns only a part. */
  async function eachFrom(client: Client, values: readonly string[], searchFor: SearchFor): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const chunk of chunksOf(values, AT_ONCE)) {
      try {
        entries.push(...(await fewFrom(client, searchFor(chunk))));
      } catch (error) {
        if (chunk.length === 1 || !LIMITS.has(codeOf(error))) throw error;
        const half = Math.ceil(chunk.length / 2);
        for (const part of chunksOf(chunk, half)) entries.push(...(await eachFrom(client, part, searchFor)));
      }
    }
    return entries;
  }

  async function* pagesOf(client: Client, search: Search, pageSize: number): AsyncGenerator<Entry[]> {
    if (pageSize > 0) {
      const options = { ...optionsOf(search), paged: { pageSize } };
      for await (const page of client.searchPaginated(search.base, options)) yield page.searchEntries;
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

  /** Active Directory returns at most 1,500 values at once, as `member;range=0-1499`. */
  async function valuesInParts(client: Client, entry: Entry, attribute: string): Promise<string[]> {
    const prefix = `${attribute.toLowerCase()};range=`;
    const rangeIn = (part: Entry) => Object.keys(part).find((name) => name.toLowerCase().startsWith(prefix));
    const values = valuesOf(entry, attribute);
    let part: Entry | undefined = entry;
    for (let range = rangeIn(entry); part && range !== undefined; range = part && rangeIn(part)) {
      const some = valuesOf(part, range);
      // The library names what was asked for and not returned, too.
      if (some.length === 0 && part !== entry) throw new IncompleteValues(`a part of ${attribute} is missing`);
      for (const value of some) values.push(value);
      const [, first, last] = /range=(\d+)-(\d+)$/i.exec(range) ?? [];
      if (last === undefined) break;
      if (Number(last) < Number(first) || Number(last) + 1 !== values.length || values.length > MOST_VALUES)
        throw new IncompleteValues(`the parts of ${attribute} do not fit together`);
      const attributes = [`${attribute};range=${values.length}-*`];
      [part] = await fewFrom(client, {
        base: entry.dn,
        filter: has('objectClass'),
        attributes,
        scope: 'base',
      });
      if (!part || rangeIn(part) === undefined) throw new IncompleteValues(`a part of ${attribute} is missing`);
    }
    return values;
  }

  return {
    few: (search: Search): Promise<Entry[]> => pool.search(({ client }) => fewFrom(client, search)),

    each: (values: readonly string[], searchFor: SearchFor): Promise<Entry[]> =>
      pool.search(({ client }) => eachFrom(client, values, searchFor)),

    /** All values of an attribute of one entry. Undefined when there is no such entry. */
    valuesAt: (base: string, filter: Filter, attribute: string): Promise<string[] | undefined> =>
      pool.search(async ({ client }) => {
        const [entry] = await fewFrom(client, { base, filter, attributes: [attribute], scope: 'base' });
        return entry && valuesInParts(client, entry, attribute);
      }),

    /** Calls `each` page by page, on a connection of its own. `client` can be used for further searches meanwhile. */
    async many(
      search: Search,
      each: (entries: Entry[], client: Client) => Promise<void>,
      { pageSize = ldap.pageSize, signal }: ListingOptions = {},
    ): Promise<Listing> {
      // A failure of `each` says nothing about the server.
      let failure: { readonly error: unknown } | undefined;
      const listing = await pool.longSearch(async ({ client }) => {
        let count = 0;
        try {
          for await (const entries of pagesOf(client, search, Math.min(pageSize, ldap.pageSize))) {
            count += entries.length;
            if (count > MOST_ENTRIES) throw new Error(`the server returns more than ${MOST_ENTRIES} entries`);
            try {
              signal?.throwIfAborted();
              await each(entries, client);
            } catch (error) {
              failure = { error };
              break;
            }
          }
          return { complete: true };
        } catch (error) {
          if (codeOf(error) === NO_SUCH_OBJECT || LIMITS.has(codeOf(error))) return { complete: false };
          throw error;
        }
      });
      if (failure) throw failure.error;
      return listing;
    },

    onOwnConnection: <T>(work: (client: Client) => Promise<T>): Promise<T> => pool.longSearch(({ client }) => work(client)),

    eachFrom,
    valuesInParts,
  };
}

export type Searches = ReturnType<typeof createSearches>;
