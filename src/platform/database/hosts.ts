// PostgreSQL URLs with several hosts, as libpq reads them: `postgres://user@one:5432,two:5433/name?target_session_attrs=read-write`.
// Uses the first host that answers and has the requested role, until it no longer does.
import pg from 'pg';
import { ConfigError } from '../config/index.ts';

/** The values of target_session_attrs that we support. */
type ServerRole = 'any' | 'read-write' | 'primary';

const SERVER_ROLES: readonly string[] = ['any', 'read-write', 'primary'] satisfies ServerRole[];
export const SERVER_STATE = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only`;

export interface ServerState {
  readonly standby: boolean;
  readonly read_only: boolean;
}

/** A host that takes longer to answer is skipped. */
const TRY_MS = 1_500;

interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export class UnsuitableServer extends Error {
  /** The code of a read-only server, so that callers treat both the same. */
  readonly code = '25006';
}

/** For messages: without the user name. */
export const nameOf = ({ host, port }: HostAddress): string => `${host}:${port}`;

/** A URL for each of its hosts, without what only libpq knows, and without `application_name`: our connections have names by which others know them. */
export function splitHosts(url: string, setting: string) {
  const [, scheme = '', login = '', hosts = '', rest = ''] = /^(\w+:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const [path = '', query = ''] = rest.split('?');
  const options = new URLSearchParams(query);
  const role = options.get('target_session_attrs') ?? 'any';
  const applicationName = options.get('application_name') ?? undefined;
  options.delete('target_session_attrs');
  options.delete('application_name');
  const urls = hosts.split(',').map((host) => `${scheme}${login}${host}${path}${options.size > 0 ? `?${options}` : ''}`);
  try {
    const addresses: HostAddress[] = urls.map((one) => {
      const { host, port } = new pg.Client(one);
      return { host, port };
    });
    return { urls, addresses, role, applicationName };
  } catch {
    throw new ConfigError(`${setting}: it is not a valid PostgreSQL URL`);
  }
}

export class Hosts {
  /** The URL with only the first host (splitHosts). */
  readonly url: string;
  readonly applicationName: string | undefined;
  readonly #addresses: readonly HostAddress[];
  readonly #role: ServerRole;
  #current: HostAddress | undefined;
  #picking: Promise<HostAddress> | undefined;

  constructor(url: string, setting: string) {
    const { urls, addresses, role, applicationName } = splitHosts(url, setting);
    if (!SERVER_ROLES.includes(role))
      throw new ConfigError(
        `${setting}: target_session_attrs must be any, read-write or primary, not "${role}": the service writes`,
      );
    this.#role = role as ServerRole;
    this.applicationName = applicationName;
    this.#addresses = addresses;
    this.url = urls[0]!;
  }

  get addresses(): readonly HostAddress[] {
    return this.#addresses;
  }

  get names(): string {
    return this.#addresses.map(nameOf).join(', ');
  }

  /** One host in any role: nothing to choose. */
  get isSingle(): boolean {
    return this.#addresses.length === 1 && this.#role === 'any';
  }

  isCurrent({ host, port }: pg.Client): boolean {
    return this.isSingle || (this.#current?.host === host && this.#current.port === port);
  }

  /** This host turned out to be unsuitable. The next connection looks for a host again. */
  forget({ host, port }: HostAddress): void {
    if (this.#current?.host === host && this.#current.port === port) this.#current = undefined;
  }

  async pick(settings: pg.ClientConfig): Promise<HostAddress> {
    if (this.#current) return this.#current;
    // Connections made at the same time share one search.
    this.#picking ??= this.#findSuitable(settings).finally(() => {
      this.#picking = undefined;
    });
    return this.#picking;
  }

  async #findSuitable(settings: pg.ClientConfig): Promise<HostAddress> {
    let failure: unknown;
    for (const address of this.#addresses) {
      const client = new pg.Client({ ...settings, connectionTimeoutMillis: TRY_MS, query_timeout: TRY_MS });
      client.on('error', () => {});
      Object.assign(client, address);
      try {
        await client.connect();
        await this.check(client);
        this.#current = address;
        return address;
      } catch (error) {
        failure = error;
      } finally {
        client.end().catch(() => {});
      }
    }
    throw failure;
  }

  /** Throws unless this server has the requested role. */
  async check(client: pg.Client): Promise<void> {
    if (this.#role === 'any') return;
    const { rows } = await client.query<ServerState>(SERVER_STATE);
    if (this.isSuitable(rows[0]!)) return;
    this.forget(client);
    throw new UnsuitableServer(`${nameOf(client)} is not ${this.#role}`);
  }

  /** Whether a server in this state has the requested role. */
  isSuitable({ standby, read_only: readOnly }: ServerState): boolean {
    return this.#role === 'any' || !(standby || (this.#role === 'read-write' && readOnly));
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A connection that breaks while nobody listens for errors would end the process: the server may end it between the moment it is open and the
 * moment the pool knows it. Whatever uses it then fails by itself.
 */
export class CalmClient extends pg.Client {
  constructor(settings?: string | pg.ClientConfig) {
    super(settings);
    this.on('error', () => {});
  }
}

/** A client class that connects to a suitable host. */
export function createClientClass(hosts: Hosts): typeof pg.Client {
  if (hosts.isSingle) return CalmClient;
  return class extends CalmClient {
    readonly #settings: pg.ClientConfig;

    constructor(settings?: string | pg.ClientConfig) {
      super(settings);
      this.#settings = settings as pg.ClientConfig;
    }

    async #connect(): Promise<pg.Client> {
      Object.assign(this, await hosts.pick(this.#settings));
      try {
        await super.connect();
        await hosts.check(this);
        return this;
      } catch (error) {
        hosts.forget(this);
        this.end().catch(() => {});
        throw error;
      }
    }

    // The pool passes a callback; everyone else awaits the promise.
    override connect(): Promise<pg.Client>;
    override connect(callback: ConnectCallback): void;
    override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
      const connected: Promise<pg.Client> = this.#connect();
      if (!callback) return connected;
      const done = callback as (error: Error | null) => void;
      connected.then(() => done(null), done);
      return undefined;
    }
  } as typeof pg.Client;
}
