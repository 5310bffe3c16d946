// News of what other processes wrote, by LISTEN. A heartbeat on the same connection proves that no news is missing:
// PostgreSQL delivers what was committed before it answers. Without a recent beat the feed is not live, and callers read the database.
import type pg from 'pg';
import type { Subscribers } from './database.ts';
import { SERVER_STATE, type ServerState } from './hosts.ts';

export const CHANNEL = 'gatehouse_changes';

const BEAT_MS = 250;
/** With the beat above this keeps "refused on every replica within a second" true even while a connection hangs. */
const STALE_MS = 750;
const RETRY_MS = 500;

/** Who wants to know how the connection is. */
export interface FeedListener {
  /** The database answered. */
  onAnswer(): void;
  /** Whether this server is still the one to talk to. */
  isSuitable(state: ServerState): boolean;
  /** It did not answer, or is no longer the one. */
  onLost(client: pg.Client | undefined): void;
}

/** An answer that takes longer is none: silence must not look like no news. */
const withTimeout = (text: string): pg.QueryConfig => ({ text, query_timeout: STALE_MS }) as pg.QueryConfig;

/**
 * What changed; undefined means that anything may have. Everybody who may connect to the database may notify on any channel: what is
 * not a list of ours costs what is kept in memory, and nothing else.
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
  readonly #watch: FeedListener;
  /** The server took no writes when it was last asked. */
  isReadOnly = false;
  #client: pg.Client | undefined;
  #lastBeat = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(newClient: () => pg.Client, subscribers: Subscribers, watch: FeedListener) {
    this.#newClient = newClient;
    this.#subscribers = subscribers;
    this.#watch = watch;
  }

  live(): boolean {
    return performance.now() - this.#lastBeat < STALE_MS;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#schedule(BEAT_MS);
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
    // Whatever was announced while nobody listened is unknown: forget everything.
    this.#subscribers.notify(undefined);
    this.#lastBeat = performance.now();
    this.#watch.onAnswer();
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#lastBeat = 0;
    client.end().catch(() => {});
    if (!this.#stopped) this.#watch.onLost(client);
  }

  // Not one of platform/jobs: how long it waits depends on how the beat went, and a stop must not wait for a server that is silent.
  #schedule(delay: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#beat(), delay);
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    const started = performance.now();
    try {
      if (!client) await this.#connect();
      else {
        const { rows } = await client.query<ServerState>(withTimeout(SERVER_STATE));
        const state = rows[0]!;
        if (!this.#watch.isSuitable(state)) throw new Error('another server is to be used');
        this.isReadOnly = state.standby || state.read_only;
        // The answer proves the state at the time of asking, not of answering.
        this.#lastBeat = started;
      }
      this.#schedule(BEAT_MS);
    } catch {
      if (client) this.#lost(client);
      else if (!this.#stopped) this.#watch.onLost(undefined);
      this.#schedule(RETRY_MS);
    }
  }
}
