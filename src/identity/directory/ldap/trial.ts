// Tries a directory step by step, and says which one failed: for whoever connects it. Nothing is kept, and nothing is written.
import { lookup } from 'node:dns/promises';
import { type Client, type Filter, ResultCodeError } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { type Connection, hostOf, openConnection, readAuthorities } from './connection.ts';
import { groupAttributes, groupOf, userAttributes, userOf } from './entries.ts';
import { has, kindsOf } from './filters.ts';

export type TrialStep = 'resolve' | 'connect' | 'tls' | 'bind' | 'user_tree' | 'users' | 'group_tree' | 'groups';

export interface TrialResult {
  readonly step: TrialStep;
  /** Null where all servers are alike. */
  readonly server: string | null;
  readonly ok: boolean;
  readonly why: string | null;
}

export interface Trial {
  readonly results: TrialResult[];
  readonly users: { name: string; email: string | null; enabled: boolean; local_id: string; dn: string }[];
  readonly groups: { name: string; description: string; local_id: string; dn: string }[];
}

/** Enough to see whether they are the right ones. */
const SHOWN = 10;
const MOST_SERVERS = 5;
const PATIENCE_SECONDS = 5;
/** What servers say may be long. */
const LONGEST_WHY = 300;
const LONGEST_DN = 1000;

const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

/** At which step it failed. */
function stepOf(error: unknown, isSecure: boolean): TrialStep {
  if (error instanceof ResultCodeError) return 'bind';
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (TLS_CODES.test(code) || /certificate|StartTLS|TLS/i.test((error as Error).message)) return 'tls';
  return isSecure && code === 'ECONNRESET' ? 'tls' : 'connect';
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_SECONDS * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export async function tryDirectory(settings: LdapSettings, now: number): Promise<Trial> {
  const ldap = { ...settings, connectionTimeout: Math.min(settings.connectionTimeout, PATIENCE_SECONDS) };
  const results: TrialResult[] = [];
  const said = (error: unknown): string => {
    const text = String((error as Error).message || (error as NodeJS.ErrnoException).code || 'no answer').split('\n')[0]!;
    // A server could send back what it was sent.
    return (ldap.password ? text.replaceAll(ldap.password, '********') : text).slice(0, LONGEST_WHY);
  };
  const note = (step: TrialStep, server: string | null, error?: unknown): void =>
    void results.push({ step, server, ok: error === undefined, why: error === undefined ? null : said(error) });

  async function open(url: string): Promise<Connection | undefined> {
    const isSecure = ldap.useTls || url.startsWith('ldaps:');
    try {
      await inTime(lookup(hostOf(url)));
    } catch (error) {
      note('resolve', url, error);
      return undefined;
    }
    note('resolve', url);
    const steps: TrialStep[] = isSecure ? ['connect', 'tls', 'bind'] : ['connect', 'bind'];
    try {
      const connection = await openConnection(ldap, url, {
        bind: ldap.user === undefined ? undefined : { dn: ldap.user, password: ldap.password ?? '' },
        ca: readAuthorities(ldap),
        timeoutMs: ldap.connectionTimeout * 1000,
        signal: new AbortController().signal,
        now: () => now,
      });
      for (const step of steps) note(step, url);
      return connection;
    } catch (error) {
      const failed = stepOf(error, isSecure);
      for (const step of steps.slice(0, Math.max(0, steps.indexOf(failed)))) note(step, url);
      note(failed, url, error);
      return undefined;
    }
  }

  const connections: Connection[] = [];
  for (const url of ldap.url.slice(0, MOST_SERVERS)) {
    const connection = await open(url);
    if (connection) connections.push(connection);
  }
  try {
    const found = connections[0] ? await look(connections[0].client, ldap, now, note) : { users: [], groups: [] };
    return { results, ...found };
  } finally {
    for (const connection of connections) {
      connection.client.unbind().catch(() => {});
      connection.destroy();
    }
  }
}

type Note = (step: TrialStep, server: string | null, error?: unknown) => void;

/** What is in the trees. */
async function look(client: Client, ldap: LdapSettings, now: number, note: Note): Promise<Pick<Trial, 'users' | 'groups'>> {
  const kinds = kindsOf(ldap);
  const binary = [ldap.userIdAttribute, ldap.groupIdAttribute, 'objectGUID'].filter(
    (name) => name.toLowerCase() === 'objectguid',
  );
  const search = (
    base: string,
    filter: Filter,
    attributes: readonly string[],
    scope: 'base' | 'one' | 'sub',
    sizeLimit: number,
  ) =>
    client.search(base, {
      scope,
      filter,
      attributes: [...attributes],
      explicitBufferAttributes: binary,
      sizeLimit,
      timeLimit: PATIENCE_SECONDS,
    });

  async function entriesOf<T>(
    kind: 'user' | 'group',
    base: string,
    attributes: readonly string[],
    read: (entry: Awaited<ReturnType<typeof search>>['searchEntries'][number]) => T | undefined,
  ): Promise<T[]> {
    const [tree, many] = kind === 'user' ? (['user_tree', 'users'] as const) : (['group_tree', 'groups'] as const);
    try {
      await search(base, has('objectClass'), ['1.1'], 'base', 1);
    } catch (error) {
      note(tree, null, new Error(`${base}: ${(error as Error).message || 'no such entry'}`));
      return [];
    }
    note(tree, null);
    try {
      const { searchEntries: found } = await search(base, kinds[kind], attributes, ldap.queryScope, SHOWN);
      const readable = found.map(read).filter((one) => one !== undefined);
      if (found.length === 0)
        note(many, null, new Error(`no entry has the object class, the filter, the id and the name (scope: ${ldap.queryScope})`));
      else if (readable.length === 0) note(many, null, new Error('the entries have no id or no name that can be used'));
      else note(many, null);
      return readable;
    } catch (error) {
      note(many, null, error);
      return [];
    }
  }

  const users = await entriesOf('user', ldap.userTreeDn ?? `ou=Users,${ldap.suffix}`, userAttributes(ldap), (entry) =>
    userOf(entry, ldap, now),
  );
  const groups = await entriesOf('group', ldap.groupTreeDn ?? `ou=UserGroups,${ldap.suffix}`, groupAttributes(ldap), (entry) =>
    groupOf(entry, ldap),
  );
  return {
    users: users.map(({ name, email, enabled, localId, dn }) => ({
      name,
      email,
      enabled,
      local_id: localId,
      dn: dn.slice(0, LONGEST_DN),
    })),
    groups: groups.map(({ name, description, localId, dn }) => ({
      name,
      description: description.slice(0, LONGEST_WHY),
      local_id: localId,
      dn: dn.slice(0, LONGEST_DN),
    })),
  };
}
