// Changes by other processes, read from the table of changes ten times a second (ADR 032). What a reading proves is decided in
// change-reading.ts. Without a recent proof the feed is not live, and callers read the database.
import type pg from 'pg';
import { hear, type Knowledge, NOTHING_KNOWN, parseSnapshot, questionOf, type Reading } from './change-reading.ts';
import { NEW_ROWS, parseRows, type StoredRow } from './change-table.ts';
import type { Subscribers } from './database.ts';
import { EARLIER_SESSIONS, type EarlierVersion } from './earlier-version.ts';
import { SERVER_STATE, type ServerState } from './hosts.ts';

const POLL_MS = 100;
/** After a reading that brought something, more is expected. */
const BUSY_POLL_MS = 50;
/**
 * Together with the time of a reading this keeps a promise: a revoked token is refused on every replica within a second, even while a
 * connection hangs.
 */
const STALE_MS = 750;
const RETRY_MS = 500;
/** Rows that all processes had this time for are deleted. */
const DELETE_MS = 30_000;

const QUESTION = `${SERVER_STATE}, pg_postmaster_start_time()::text as server, pg_backend_pid() as pid, pg_current_snapshot()::text as snapshot,
  (select json_build_array(max(backend_start) filter (where pid = pg_backend_pid()), ${EARLIER_SESSIONS})
    from pg_stat_activity where datname = current_database()) as sessions,
  ${NEW_ROWS} as rows`;

interface Answer extends ServerState {
  readonly server: string;
  readonly pid: number;
  readonly snapshot: string;
  readonly sessions: readonly [since: string | null, earlier: number];
  readonly rows: readonly StoredRow[] | null;
}

/** Is told about the state of the connection. */
export interface FeedListener {
  /** The database answered. */
  onAnswer(): void;
  /** Whether this server may still be used. */
  isSuitable(state: ServerState): boolean;
  /** The server did not answer, or may no longer be used. */
  onLost(client: pg.Client | undefined): void;
  /** Rows of transactions below this one are of no use any more. */
  deleteBelow(xid: number): Promise<void>;
}

export class PostgresFeed {
  readonly #createdAt = performance.now();
  readonly #newClient: () => pg.Client;
  readonly #subscribers: Subscribers;
  readonly #earlier: EarlierVersion;
  readonly #listener: FeedListener;
  /** The server took no writes at the last reading. */
  isReadOnly = false;
  #client: pg.Client | undefined;
  #knowledge: Knowledge = NOTHING_KNOWN;
  /** When the last answer was asked for, whatever it proves; 0 after the connection was lost. */
  #answeredAt = 0;
  /** The last proof of any connection. */
  #provenAt = 0;
  /** What may be deleted from a time on. */
  #deletion = { below: 0, from: 0 };
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(newClient: () => pg.Client, subscribers: Subscribers, earlier: EarlierVersion, listener: FeedListener) {
    this.#newClient = newClient;
    this.#subscribers = subscribers;
    this.#earlier = earlier;
    this.#listener = listener;
  }

  live(): boolean {
    return performance.now() - this.#knowledge.provenAt < STALE_MS;
  }

  /** The server answers, though the answer may prove nothing. */
  isAnswering(): boolean {
    return performance.now() - this.#answeredAt < STALE_MS;
  }

  /** Age of the last proof, also after the connection was lost. */
  lagSeconds(): number {
    return (performance.now() - Math.max(this.#provenAt, this.#createdAt)) / 1000;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#schedule(POLL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = this.#newClient();
    client.on('error', () => this.#lost(client));
    try {
      await client.connect();
      if (this.#stopped) return void client.end().catch(() => {});
      this.#client = client;
      await this.#read(client);
    } catch (error) {
      if (this.#client === client) this.#client = undefined;
      client.end().catch(() => {});
      throw error;
    }
    this.#listener.onAnswer();
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#knowledge = NOTHING_KNOWN;
    this.#answeredAt = 0;
    client.end().catch(() => {});
    if (!this.#stopped) this.#listener.onLost(client);
  }

  // Not a job of platform/jobs: the delay depends on the last result, and stopping must not wait for a silent server.
  #schedule(delay: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#poll(), delay);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const client = this.#client;
    try {
      if (client) this.#schedule((await this.#read(client)) ? BUSY_POLL_MS : POLL_MS);
      else {
        await this.#connect();
        this.#schedule(POLL_MS);
      }
    } catch {
      if (client) this.#lost(client);
      else if (!this.#stopped) this.#listener.onLost(undefined);
      this.#schedule(RETRY_MS);
    }
  }

  /** Returns whether there was something new. */
  async #read(client: pg.Client): Promise<boolean> {
    const { from, running } = questionOf(this.#knowledge);
    const askedAt = performance.now();
    // An answer that takes longer counts as a failure: a silent connection must not look like one without changes.
    const question = { text: QUESTION, values: [from, running], query_timeout: STALE_MS } as pg.QueryConfig;
    const answer = (await client.query<Answer>(question)).rows[0]!;
    // It was lost meanwhile.
    if (this.#client !== client) throw new Error('the connection was lost');
    if (!this.#listener.isSuitable(answer)) throw new Error('this server may no longer be used');
    this.isReadOnly = answer.standby || answer.read_only;
    const [since, earlier] = answer.sessions;
    const reading: Reading = {
      server: answer.server,
      session: `${answer.pid} ${since}`,
      isComplete: !this.#earlier.look(earlier) && !answer.standby && since !== null,
      snapshot: parseSnapshot(answer.snapshot),
      rows: parseRows(answer.rows),
    };
    const { after, changed } = hear(this.#knowledge, reading, askedAt);
    // Before the proof counts.
    this.#subscribers.notify(changed);
    this.#knowledge = after;
    this.#answeredAt = askedAt;
    if (after.seen) {
      this.#provenAt = askedAt;
      if (!this.isReadOnly) this.#deleteOld(after.seen.oldest);
    }
    return changed === undefined || changed.length > 0;
  }

  /** Everything that had ended this long ago. By our own clock only, and nothing depends on it: who has not read it is told that it is gone. */
  #deleteOld(oldest: number): void {
    const now = performance.now();
    if (now < this.#deletion.from) return;
    const { below } = this.#deletion;
    this.#deletion = { below: oldest, from: now + DELETE_MS };
    // Another process does it, or we do it the next time.
    if (below > 0) this.#listener.deleteBelow(below).catch(() => {});
  }
}
