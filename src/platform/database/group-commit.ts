// Concurrent writers share one SQLite transaction and one disk sync. Each gets a savepoint; their promises settle after COMMIT.
import type { DatabaseSync } from 'node:sqlite';

/** Bounds how long readers of the write-ahead log, and the first writer of a batch, have to wait. */
const BATCH = 256;

interface QueuedWrite {
  /** Does the work inside a savepoint. Returns a function that settles the caller's promise once the batch is durable. */
  run(): Promise<() => void>;
  reject(error: unknown): void;
}

export class GroupCommit {
  readonly #handle: DatabaseSync;
  readonly #beforeCommit: () => void;
  readonly #queue: QueuedWrite[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(handle: DatabaseSync, beforeCommit: () => void) {
    this.#handle = handle;
    this.#beforeCommit = beforeCommit;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Writers whose turn has not come. */
  get waiting(): number {
    return this.#queue.length;
  }

  write<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the database is closed'));
      this.#queue.push({ run: () => this.#inSavepoint(work, resolve, reject), reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when everything queued so far is durable. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /**
   * Finishes what is queued and refuses what comes later. When a service stops, requests whose clients have gone may still try to
   * write.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settled();
  }

  async #inSavepoint<T>(
    work: () => Promise<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): Promise<() => void> {
    this.#handle.exec('savepoint writer');
    try {
      const value = await work();
      this.#handle.exec('release writer');
      return () => resolve(value);
    } catch (error) {
      // A full disk rolls back the whole transaction. Then the batch fails with this error.
      if (!this.#handle.isTransaction) throw error;
      this.#handle.exec('rollback to writer; release writer');
      return () => reject(error);
    }
  }

  async #drain(): Promise<void> {
    // Waiting one turn of the event loop gathers the writers of all requests that arrived together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0, BATCH));
    this.#running = undefined;
  }

  async #commit(batch: QueuedWrite[]): Promise<void> {
    const outcomes: (() => void)[] = [];
    try {
      this.#handle.exec('begin immediate');
      for (const job of batch) outcomes.push(await job.run());
      this.#beforeCommit();
      this.#handle.exec('commit');
    } catch (error) {
      // The disk is full or the file is gone: nothing was written, and every caller gets the error.
      try {
        if (this.#handle.isTransaction) this.#handle.exec('rollback');
      } catch {
        // The rollback failed, too. Callers get the first error, and the next batch is tried.
      }
      for (const job of batch) job.reject(error);
      return;
    }
    for (const settle of outcomes) settle();
  }
}
