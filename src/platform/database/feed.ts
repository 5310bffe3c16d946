// Changes by other processes, received by LISTEN. A heartbeat on the same connection shows that no notification is missing: PostgreSQL
// delivers everything committed before it answers. Without a recent heartbeat the feed is not live, and callers read the database.
import type pg from 'pg';
import type { Subscribers } from './database.ts';
import { SERVER_STATE, type ServerState } from './hosts.ts';

export const CHANNEL = 'gatehouse_changes';

const HEARTBEAT_MS = 250;
/**
 * Together with the heartbeat interval this keeps a promise: a revoked token is refused on every replica within a second, even while a
 * connection hangs.
 */
const STALE_MS = 750;
const RETRY_MS = 500;

/** Is told about the state of the connection. */
export interface FeedListener {
  /** The database answered. */
  onAnswer(): void;
  /** Whether this server may still be used. */
  isSuitable(state: ServerState): boolean;
  /** The server did not answer, or may no longer be used. */
  onLost(client: pg.Client | undefined): void;
}

/** An answer that takes longer counts as a failure: a silent connection must not look like one without changes. */
const withTimeout = (text: string): pg.QueryConfig => ({ text, query_timeout: STALE_MS }) as pg.QueryConfig;

/**
 * The tags that changed; undefined means that anything may have. Anyone who may connect to the database may notify on any channel. A
 * payload that is not a list of tags only empties the caches.
 */
function tagsOf(payload: string | undefined): string[] | undefined {
  try {
    const tags: unknown = JSON.parse(payload ?? '');
    return Array.isArray(tags) && tags.every((tag) => typeof tag === 'string') ? tags : undefined;
  } catch {
    return undefined;
  }
}

export class PostgresFeed {
  readonly #newClient: () => pg.Client;
  readonly #subscribers: Subscribers;
  readonly #listener: FeedListener;
  /** The server took no writes at the last heartbeat. */
  isReadOnly = false;
  #client: pg.Client | undefined;
  #lastHeartbeat = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(newClient: () => pg.Client, subscribers: Subscribers, listener: FeedListener) {
    this.#newClient = newClient;
    this.#subscribers = subscribers;
    this.#listener = listener;
  }

  live(): boolean {
    return performance.now() - this.#lastHeartbeat < STALE_MS;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#schedule(HEARTBEAT_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = this.#newClient();
    client.on('error', () => this.#lost(client));
    client.on('notification', ({ payload }) => this.#subscribers.notify(tagsOf(payload)));
    try {
      await client.connect();
      await client.query(withTimeout(`listen ${CHANNEL}`));
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (this.#stopped) return void client.end().catch(() => {});
    this.#client = client;
    // Notifications sent while this process was not listening are lost, so all caches are emptied.
    this.#subscribers.notify(undefined);
    this.#lastHeartbeat = performance.now();
    this.#listener.onAnswer();
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#lastHeartbeat = 0;
    client.end().catch(() => {});
    if (!this.#stopped) this.#listener.onLost(client);
  }

  // Not a job of platform/jobs: the delay depends on the last result, and stopping must not wait for a silent server.
  #schedule(delay: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#sendHeartbeat(), delay);
    this.#timer.unref();
  }

  async #sendHeartbeat(): Promise<void> {
    const client = this.#client;
    const started = performance.now();
    try {
      if (!client) await this.#connect();
      else {
        const { rows } = await client.query<ServerState>(withTimeout(SERVER_STATE));
        const state = rows[0]!;
        if (!this.#listener.isSuitable(state)) throw new Error('this server may no longer be used');
        this.isReadOnly = state.standby || state.read_only;
        // The answer shows the state when the query was sent, not when it was answered.
        this.#lastHeartbeat = started;
      }
      this.#schedule(HEARTBEAT_MS);
    } catch {
      if (client) this.#lost(client);
      else if (!this.#stopped) this.#listener.onLost(undefined);
      this.#schedule(RETRY_MS);
    }
  }
}
