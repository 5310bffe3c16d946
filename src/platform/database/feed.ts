// Changes by other processes, read from the table of changes ten times a second (ADR 032). What a reading proves is decided in
// change-reading.ts. Without a recent proof the feed is not live, and callers read the database.
import type pg from 'pg';
import { hear, type Knowledge, NOTHING_KNOWN, parseSnapshot, questionOf, type Reading } from './change-reading.ts';
import { NEW_ROWS, parseRows, type StoredRow } from './change-table.ts';
import type { Subscribers } from './database.ts';
import { type EarlierVersion, earlierSessions } from './earlier-version.ts';
import { DatabaseUnavailable } from './errors.ts';
import { SERVER_STATE, type ServerState } from './hosts.ts';

const POLL_MS = 100;
/** After a reading that brought something, more is expected. */
const BUSY_POLL_MS = 50;
/**
 * Together with the time of a reading this keeps a promise: a revoked token is refused on every replica within a second, even while a
 * connection hangs.
 */
const STALE_MS = 750;
/** Whoever asks has another way. */
const ASK_MS = 300;
const RETRY_MS = 500;
/** Rows that all processes had this time for are deleted. */
const DELETE_MS = 30_000;
/** What asks nobody whether it may answer from memory, such as a key that is held, is read again so often while nothing is proven. */
const FORGET_MS = 5_000;

/** `$1` and `$2`: the rows. `earlier`: what else to ask. The server plans each question anew, so that asking for less takes less. */
const question = (earlier: string): string =>
  `${SERVER_STATE}, pg_postmaster_start_time()::text as server, pg_backend_pid() as pid, pg_current_snapshot()::text as snapshot,
  (select backend_start from pg_stat_get_activity(pg_backend_pid()))::text as since,
  ${earlier}::int as earlier,
  ${NEW_ROWS} as rows`;

interface Answer extends ServerState {
  readonly server: string;
  readonly pid: number;
  readonly snapshot: string;
  /** When the session began; null if the database user may not know. */
  readonly since: string | null;
  readonly earlier: number | null;
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
  /** The server does not say when a session began, so that a crash of it would go unnoticed. */
  onHiddenStart(): void;
  /** Rows of transactions below this one are of no use any more. */
  deleteBelow(xid: number): Promise<void>;
}

export class PostgresFeed {
  readonly #createdAt = performance.now();
  readonly #newClient: () => pg.Client;
  readonly #subscribers: Subscribers;
  readonly #earlier: EarlierVersion;
  readonly #listener: FeedListener;
  readonly #question = question('null');
  readonly #questionWithLook: string;
  /** The server took no writes at the last reading. */
  isReadOnly = false;
  #client: pg.Client | undefined;
  #knowledge: Knowledge = NOTHING_KNOWN;
  /** When the last answer was asked for, whatever it proves. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The last proof of any connection, for `lagSeconds`. */
  #lastProofAt = Number.NEGATIVE_INFINITY;
  /** When everything was forgotten last because nothing is proven. */
  #forgotAt = Number.NEGATIVE_INFINITY;
  /** What may be deleted from a time on. */
  #deletion = { below: 0, from: 0 };
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    newClient: () => pg.Client,
    subscribers: Subscribers,
    earlier: EarlierVersion,
    listener: FeedListener,
    nameInUrl: string | undefined,
  ) {
    this.#questionWithLook = question(earlierSessions(nameInUrl));
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
    return (performance.now() - Math.max(this.#lastProofAt, this.#createdAt)) / 1000;
  }

  /** One row of the server whose changes are read, on the same connection. It proves nothing about changes. */
  async ask(text: string, name: string | undefined): Promise<unknown> {
    if (!this.#client) throw new DatabaseUnavailable('the database does not answer');
    return (await this.#client.query({ ...(name ? { name } : {}), text, query_timeout: ASK_MS } as pg.QueryConfig)).rows[0];
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
    client.end().catch(() => {});
    // A late error of one that was lost before says nothing about the one after it.
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#knowledge = NOTHING_KNOWN;
    this.#answeredAt = Number.NEGATIVE_INFINITY;
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
    const query = {
      text: this.#earlier.mustLook() ? this.#questionWithLook : this.#question,
      values: [from, running],
      query_timeout: STALE_MS,
    } as pg.QueryConfig;
    const answer = (await client.query<Answer>(query)).rows[0]!;
    // It was lost meanwhile.
    if (this.#client !== client) throw new Error('the connection was lost');
    if (!this.#listener.isSuitable(answer)) throw new Error('this server may no longer be used');
    this.isReadOnly = answer.standby || answer.read_only;
    if (answer.since === null) this.#listener.onHiddenStart();
    const reading: Reading = {
      server: answer.server,
      session: `${answer.pid} ${answer.since}`,
      isComplete: !this.#earlier.look(answer.earlier) && !answer.standby && answer.since !== null,
      snapshot: parseSnapshot(answer.snapshot),
      rows: parseRows(answer.rows),
    };
    const { after, changed } = hear(this.#knowledge, reading, askedAt);
    // Before the proof counts.
    this.#subscribers.notify(after.seen ? changed : this.#forgetNow() ? undefined : []);
    this.#knowledge = after;
    this.#answeredAt = askedAt;
    if (after.seen) this.#lastProofAt = askedAt;
    // Also when nothing is proven: otherwise rows would pile up. Whoever has not read them is told that they are gone.
    if (!this.isReadOnly) this.#deleteOld(reading.snapshot.oldest);
    return changed === undefined || changed.length > 0;
  }

  #forgetNow(): boolean {
    if (performance.now() - this.#forgotAt < FORGET_MS) return false;
    this.#forgotAt = performance.now();
    return true;
  }

  /** Everything that had ended this long ago. By our own clock only, and nothing depends on it: who has not read it is told that it is gone. */
  #deleteOld(oldest: number): void {
    const now = performance.now();
    if (now < this.#deletion.from) return;
    const { below } = this.#deletion;
    this.#deletion = { below: oldest, from: now + DELETE_MS };
    if (below > 0) void this.#listener.deleteBelow(below);
  }
}
