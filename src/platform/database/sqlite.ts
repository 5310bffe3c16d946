// SQLite: one process, one connection that writes, another that reads.
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Feed } from './cache.ts';
import { createCaches } from './caches.ts';
import { type Database, Subscribers, type Tx } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { insertRows, type RowsByTable, withRows } from './insert-rows.ts';
import { type MigrationSource, migrate } from './migrate.ts';
import { answerSynchronously } from './prepared.ts';
import { SharedReads } from './shared-reads.ts';
import { SqliteConnection, sqliteDialect } from './sqlite-driver.ts';
import { Writability } from './writability.ts';

const PRAGMAS = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma secure_delete = on;
  pragma busy_timeout = 5000;
  pragma cache_size = -16000;
`;

/** When a reader keeps the log from being emptied, it is tried retry after this time. */
const SCRUB_RETRY_MS = 1000;

/**
 * Moves the content of the write-ahead log into the database file and empties the log. Returns false while a reader prevents it:
 * waiting would block the process.
 */
function emptyLog(writer: DatabaseSync): boolean {
  writer.exec('pragma busy_timeout = 0');
  try {
    return writer.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
  } catch {
    return false;
  } finally {
    writer.exec('pragma busy_timeout = 5000');
  }
}

function queriesOn<S>(handle: DatabaseSync, before?: () => void): Kysely<S> {
  const connection = new SqliteConnection(handle, before);
  const queries = new Kysely<S>({ dialect: sqliteDialect(connection) });
  answerSynchronously(queries, connection);
  return queries;
}

export async function openSqlite<S>(path: string, migrations: MigrationSource): Promise<Database<S>> {
  const writer = new DatabaseSync(path);
  chmodSync(path, 0o600);
  writer.exec(PRAGMAS);
  const write = queriesOn<S>(writer);
  await migrate(write, migrations, { dialect: 'sqlite', name: path });

  const reader = new DatabaseSync(path, { readOnly: true });
  // With mmap, a page that is not in the cache costs no system call: with a million users that saves a third of a read.
  reader.exec('pragma busy_timeout = 5000; pragma cache_size = -16000; pragma mmap_size = 1073741824;');
  const reads = new SharedReads(reader);
  const read = queriesOn<S>(reader, reads.begin);

  const commits = new GroupCommit(writer, reads.end);
  // Creates, fills and drops a table in one transaction. It fails when any change would fail, and leaves nothing behind.
  const writability = new Writability(() =>
    commits.write(async () =>
      writer.exec(
        'create table gatehouse_room (content blob); insert into gatehouse_room values (zeroblob(65536)); drop table gatehouse_room',
      ),
    ),
  );
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  async function scrub(): Promise<void> {
    do await commits.settled();
    while (writer.isTransaction);
    if (isClosed) return;
    reads.end();
    clearTimeout(retry);
    // Closing the database empties the log, too.
    if (!emptyLog(writer)) retry = setTimeout(() => void scrub(), SCRUB_RETRY_MS).unref();
  }
  const subscribers = new Subscribers();
  // With one process, every change is seen immediately.
  const feed: Feed = { live: () => true, onChange: (handler) => subscribers.add(handler) };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => writability.watch(commits.write(work));
  return {
    dialect: 'sqlite',
    read,
    lists: read,
    feed,
    ...createCaches(feed),
    async write(work) {
      const tags = new Set<string>();
      const inOne = async (): ReturnType<typeof work> => {
        let last: RowsByTable<S> = {};
        const result = await work(
          write as Tx<S>,
          (tag) => tags.add(tag),
          (rows) => {
            last = withRows(last, rows);
          },
        );
        await insertRows(write, last);
        return result;
      };
      const value = await inTurn(inOne);
      subscribers.notify([...tags]);
      return value;
    },
    writeStatement: (statement) => inTurn(() => statement(write as Tx<S>)),
    writeUndoably: (statement) => inTurn(() => statement(write as Tx<S>)),
    async ping() {
      reader.prepare('select 1').get();
      await writability.check();
    },
    scrub,
    onOwnConnection: () => Promise.reject(new Error('an embedded database has one connection that writes')),
    usage: () => ({
      isFeedLive: true,
      feedLagSeconds: 0,
      connections: 1,
      inUse: commits.isBusy ? 1 : 0,
      waiting: commits.waiting,
      standbys: [],
      primaryReads: 0,
    }),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await commits.close();
      await Promise.all([read.destroy(), write.destroy()]);
      reads.end();
      reader.close();
      writer.exec('pragma wal_checkpoint(truncate)');
      writer.close();
    },
  };
}
