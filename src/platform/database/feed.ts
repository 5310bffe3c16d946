// News of what other processes wrote, by LISTEN. A heartbeat on the same connection proves that no news is missing:
// PostgreSQL delivers what was committed before it answers. Without a recent beat the feed is not live, and callers read the database.
import pg from 'pg';
import type { Subscribers } from './database.ts';

export const CHANNEL = 'gatehouse_changes';

const BEAT_MS = 250;
/** With the beat above this keeps "refused on every replica within a second" true even while a connection hangs. */
const STALE_MS = 750;
const RETRY_MS = 500;

export class PostgresFeed {
  readonly #settings: pg.ClientConfig;
  readonly #subscribers: Subscribers;
  #client: pg.Client | undefined;
  #lastBeat = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(settings: pg.ClientConfig, subscribers: Subscribers) {
    this.#settings = settings;
    this.#subscribers = subscribers;
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
    const client = new pg.Client({ ...this.#settings, query_timeout: STALE_MS, application_name: 'gatehouse feed' });
    client.on('error', () => this.#lost(client));
    client.on('notification', ({ payload }) =>
      this.#subscribers.tell(payload === '*' || !payload ? undefined : (JSON.parse(payload) as string[])),
    );
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    this.#client = client;
    // Whatever was announced while nobody listened is unknown: forget everything.
    this.#subscribers.tell(undefined);
    this.#lastBeat = performance.now();
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#lastBeat = 0;
    client.end().catch(() => {});
  }

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
        await client.query('select 1');
        // The answer proves the state at the time of asking, not of answering.
        this.#lastBeat = started;
      }
      this.#schedule(BEAT_MS);
    } catch {
      if (client) this.#lost(client);
      this.#schedule(RETRY_MS);
    }
  }
}
