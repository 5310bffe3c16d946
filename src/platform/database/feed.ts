// Changes by other processes, received by LISTEN. A heartbeat on the same connection shows that no notification is missing: PostgreSQL
// delivers everything committed before it answers. Without a recent heartbeat the feed is not live, and callers read the database. The same
// if a pooler in between loses LISTEN: a test message at the start shows that.
import { randomBytes } from 'node:crypto';
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
/** How long a test message may take. */
const TEST_MS = 3_000;
/** When messages did not arrive, they are tried again after this time. */
const RETEST_MS = 10_000;
const STATE = `${SERVER_STATE}, pg_backend_pid() as pid`;

type FeedState = ServerState & { readonly pid: number };

/** Is told about the state of the connection. */
export interface FeedListener {
  /** The database answered. */
  onAnswer(): void;
  /** Whether this server may still be used. */
  isSuitable(state: ServerState): boolean;
  /** The server did not answer, or may no longer be used. */
  onLost(client: pg.Client | undefined): void;
  /** Sends a message on this channel, over the address that changes are written to. */
  sendTestMessage(channel: string): Promise<void>;
  /** Messages arrive, or do not although the server answers. Called when that changes. */
  onDelivery(isWorking: boolean): void;
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
  readonly #createdAt = performance.now();
  readonly #newClient: () => pg.Client;
  readonly #subscribers: Subscribers;
  readonly #listener: FeedListener;
  /** The server took no writes at the last heartbeat. */
  isReadOnly = false;
  #client: pg.Client | undefined;
  /** The server's process for this connection. Another one means that a pooler gave ours away. */
  #pid = 0;
  #isDelivering = true;
  #testedAt = 0;
  /** 0 after the connection was lost. */
  #lastHeartbeat = 0;
  /** The last heartbeat of any connection. */
  #lastProof = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(newClient: () => pg.Client, subscribers: Subscribers, listener: FeedListener) {
    this.#newClient = newClient;
    this.#subscribers = subscribers;
    this.#listener = listener;
  }

  live(): boolean {
    return this.#isDelivering && this.isAnswering();
  }

  /** The server answers, though messages may not arrive. */
  isAnswering(): boolean {
    return performance.now() - this.#lastHeartbeat < STALE_MS;
  }

  /** Age of the last heartbeat, also after the connection was lost. */
  lagSeconds(): number {
    return (performance.now() - Math.max(this.#lastProof, this.#createdAt)) / 1000;
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
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL) this.#subscribers.notify(tagsOf(payload));
    });
    let isDelivering: boolean;
    try {
      await client.connect();
      await client.query(withTimeout(`listen ${CHANNEL}`));
      isDelivering = await this.#testDelivery(client);
      this.#pid = (await client.query<FeedState>(withTimeout(STATE))).rows[0]!.pid;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (this.#stopped) return void client.end().catch(() => {});
    this.#client = client;
    // Notifications sent while this process was not listening are lost, so all caches are emptied.
    this.#subscribers.notify(undefined);
    this.#testedAt = performance.now();
    this.#setDelivery(isDelivering);
    this.#lastHeartbeat = this.#lastProof = performance.now();
    this.#listener.onAnswer();
  }

  /**
   * Whether a message from another connection arrives. A pooler in transaction mode answers LISTEN and gives the connection of the server to
   * others afterwards. While we ask nothing, it has no way to deliver a message to us.
   */
  async #testDelivery(client: pg.Client): Promise<boolean> {
    const test = `gatehouse_test_${randomBytes(8).toString('hex')}`;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onMessage = ({ channel }: pg.Notification): void => {
      if (channel === test) resolve(true);
    };
    client.on('notification', onMessage);
    client.once('end', () => resolve(false));
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.query(withTimeout(`listen ${test}`));
      await this.#listener.sendTestMessage(test);
      timer = setTimeout(() => resolve(false), TEST_MS);
      return await promise;
    } finally {
      clearTimeout(timer);
      client.off('notification', onMessage);
      await client.query(withTimeout(`unlisten ${test}`));
    }
  }

  #setDelivery(isWorking: boolean): void {
    if (isWorking === this.#isDelivering) return;
    this.#isDelivering = isWorking;
    this.#listener.onDelivery(isWorking);
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#lastHeartbeat = 0;
    client.end().catch(() => {});
    if (!this.#stopped) this.#listener.onLost(client);
  }

  /** On a new connection: the address may lead past the pooler now. */
  async #testAgain(client: pg.Client): Promise<void> {
    this.#client = undefined;
    client.removeAllListeners('error').on('error', () => {});
    client.end().catch(() => {});
    await this.#connect();
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
      if (client && !this.#isDelivering && started - this.#testedAt > RETEST_MS) await this.#testAgain(client);
      else if (!client) await this.#connect();
      else {
        const { rows } = await client.query<FeedState>(withTimeout(STATE));
        const state = rows[0]!;
        if (!this.#listener.isSuitable(state)) throw new Error('this server may no longer be used');
        if (state.pid !== this.#pid) this.#setDelivery(false);
        this.isReadOnly = state.standby || state.read_only;
        // The answer shows the state when the query was sent, not when it was answered.
        this.#lastHeartbeat = this.#lastProof = started;
      }
      this.#schedule(HEARTBEAT_MS);
    } catch {
      if (client) this.#lost(client);
      else if (!this.#stopped) this.#listener.onLost(undefined);
      this.#schedule(RETRY_MS);
    }
  }
}
