// Reads in the same turn of the event loop share one transaction: for a small read, SQLite's lock costs half as much as the read
// itself. The transaction ends with the turn and before every commit, so that no read returns old data.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class SharedReads {
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #open = false;

  constructor(reader: DatabaseSync) {
    this.#begin = reader.prepare('begin');
    this.#commit = reader.prepare('commit');
  }

  readonly begin = (): void => {
    if (this.#open) return;
    this.#begin.run();
    this.#open = true;
    setImmediate(this.end);
  };

  readonly end = (): void => {
    if (!this.#open) return;
    this.#open = false;
    this.#commit.run();
  };
}
