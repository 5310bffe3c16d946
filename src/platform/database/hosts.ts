// Addresses of PostgreSQL with several hosts, as its own clients read them: `postgres://user@one:5432,two:5433/name?target_session_attrs=read-write`.
// The first that answers and is what was asked for is used, until it no longer is.
import pg from 'pg';
import { ConfigError } from '../config/index.ts';

/** Which of several servers will do. */
type ServerRole = 'any' | 'read-write' | 'primary';

const SERVER_ROLES: readonly string[] = ['any', 'read-write', 'primary'] satisfies ServerRole[];
export const SERVER_STATE = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only`;

export interface ServerState {
  readonly standby: boolean;
  readonly read_only: boolean;
}

/** A host that takes longer is passed over for the next one. */
const TRY_MS = 1_500;

interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export class UnsuitableServer extends Error {
  /** As a server says it that only reads. */
  readonly code = '25006';
}

/** Messages name servers, not who logs in. */
const nameOf = ({ host, port }: HostAddress): string => `${host}:${port}`;

export class Hosts {
  /** The address with its first host. */
  readonly url: string;
  readonly #addresses: readonly HostAddress[];
  readonly #wanted: ServerRole;
  #current: HostAddress | undefined;
  #picking: Promise<HostAddress> | undefined;

  constructor(url: string, setting: string) {
    const [, scheme = '', login = '', hosts = '', rest = ''] = /^(\w+:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
    const [path = '', query = ''] = rest.split('?');
    const options = new URLSearchParams(query);
    const wanted = options.get('target_session_attrs') ?? 'any';
    options.delete('target_session_attrs');
    if (!SERVER_ROLES.includes(wanted))
      throw new ConfigError(
        `${setting}: target_session_attrs must be any, read-write or primary, not "${wanted}": the service writes`,
      );
    this.#wanted = wanted as ServerRole;
    const urls = hosts.split(',').map((host) => `${scheme}${login}${host}${path}${options.size > 0 ? `?${options}` : ''}`);
    try {
      this.#addresses = urls.map((one) => {
        const { host, port } = new pg.Client(one);
        return { host, port };
      });
    } catch {
      throw new ConfigError(`${setting}: it cannot be read as an address of PostgreSQL`);
    }
    this.url = urls[0]!;
  }

  get names(): string {
    return this.#addresses.map(nameOf).join(', ');
  }

  /** A single server, whatever it is, is simply connected to. */
  get isSingle(): boolean {
    return this.#addresses.length === 1 && this.#wanted === 'any';
  }

  isCurrent({ host, port }: pg.Client): boolean {
    return this.isSingle || (this.#current?.host === host && this.#current.port === port);
  }

  /** It was not what it was taken for: the next connection looks again. */
  forget({ host, port }: HostAddress): void {
    if (this.#current?.host === host && this.#current.port === port) this.#current = undefined;
  }

  async pick(settings: pg.ClientConfig): Promise<HostAddress> {
    if (this.#current) return this.#current;
    // Many connections that are made together look once.
    this.#picking ??= this.#look(settings).finally(() => {
      this.#picking = undefined;
    });
    return this.#picking;
  }

  async #look(settings: pg.ClientConfig): Promise<HostAddress> {
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

  /** Throws when this server is not what was asked for. */
  async check(client: pg.Client): Promise<void> {
    if (this.#wanted === 'any') return;
    const { rows } = await client.query<ServerState>(SERVER_STATE);
    if (this.isSuitable(rows[0]!)) return;
    this.forget(client);
    throw new UnsuitableServer(`${nameOf(client)} is not ${this.#wanted}`);
  }

  /** Whether a server in this state is what was asked for. */
  isSuitable({ standby, read_only: readOnly }: ServerState): boolean {
    return this.#wanted === 'any' || !(standby || (this.#wanted === 'read-write' && readOnly));
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A client that connects to whichever host serves. */
export function createClientClass(hosts: Hosts): typeof pg.Client {
  if (hosts.isSingle) return pg.Client;
  return class extends pg.Client {
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

    // The pool calls it with a callback, everybody else waits for the promise.
    override connect(): Promise<pg.Client>;
    override connect(callback: ConnectCallback): void;
    override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
      const connected: Promise<pg.Client> = this.#connect();
      if (!callback) return connected;
      const told = callback as (error: Error | null) => void;
      connected.then(() => told(null), told);
      return undefined;
    }
  } as typeof pg.Client;
}
