// What a process knows of the changes of others, and what one more reading of the table of changes adds (ADR 032). Pure: the connection is
// in feed.ts, and test/feed-model.test.ts tries this code against everything that can happen in between.

/** Which transactions a statement sees: those below `next` that were not running. PostgreSQL's snapshot. */
export interface Snapshot {
  /** All below have ended. */
  readonly oldest: number;
  /** None from here on had ended. Some may have been running. */
  readonly next: number;
  /** Those in between that were running. */
  readonly running: readonly number[];
}

/** A row of the table of changes. */
export interface ChangeRow {
  /** What was invalidated; `undefined` if that cannot be told. Empty in a row about deleted rows. */
  readonly tags: readonly string[] | undefined;
  /** Rows of transactions below this one were deleted. */
  readonly deletedBelow: number | null;
}

/** The answer of the database to one question: all rows that the last snapshot did not see, and the snapshot of this answer. */
export interface Reading {
  /** A server from one start to the next. */
  readonly server: string;
  /** The server's process that answered. It ends with every crash of the server. */
  readonly session: string;
  /** False on a standby, and whenever something else shows that rows may be missing. */
  readonly isComplete: boolean;
  readonly snapshot: Snapshot;
  /** `undefined`: too many to be read. */
  readonly rows: readonly ChangeRow[] | undefined;
}

export interface Knowledge {
  /** Every change that this snapshot sees is known. */
  readonly seen: Snapshot | undefined;
  readonly server: string | undefined;
  /** Sessions of this server that have answered before. */
  readonly sessions: readonly string[];
  /** When the last complete reading was asked for, by a clock that only goes forward. */
  readonly provenAt: number;
}

export const NOTHING_KNOWN: Knowledge = {
  seen: undefined,
  server: undefined,
  sessions: [],
  provenAt: Number.NEGATIVE_INFINITY,
};

/** A pooler has some tens of connections to the server. With more, the oldest is forgotten, which costs one more reading of everything. */
const MAX_SESSIONS = 200;

/** PostgreSQL prints a snapshot as `oldest:next:running,running`. */
export function parseSnapshot(text: string): Snapshot {
  const [oldest, next, running] = text.split(':');
  return { oldest: Number(oldest), next: Number(next), running: running ? running.split(',').map(Number) : [] };
}

/** The rows to ask for: of transactions that began since, and of those that were running. */
export const questionOf = ({ seen }: Knowledge): { readonly from: number; readonly running: readonly number[] } =>
  seen ? { from: seen.next, running: seen.running } : { from: Number.MAX_SAFE_INTEGER, running: [] };

/**
 * Whether this answer continues from what is known. Numbers of transactions are used again after a crash and on a new primary, so that an old
 * snapshot would hide new changes. A session that has answered before shows that the server has not crashed since.
 */
function isContinued({ seen, server, sessions }: Knowledge, reading: Reading): boolean {
  return (
    seen !== undefined &&
    server === reading.server &&
    sessions.includes(reading.session) &&
    reading.snapshot.oldest >= seen.oldest &&
    reading.snapshot.next >= seen.next
  );
}

/** Takes in an answer. `changed`: the tags to drop; `undefined` when anything may have changed. */
export function hear(
  before: Knowledge,
  reading: Reading,
  askedAt: number,
): { readonly after: Knowledge; readonly changed: readonly string[] | undefined } {
  if (!reading.isComplete) return { after: NOTHING_KNOWN, changed: [] };
  const { server, session, snapshot, rows } = reading;
  const known = before.server === server ? before.sessions.filter((one) => one !== session) : [];
  // The answer shows the state when it was asked for, or later. It must not count as newer because it came late.
  const after = { seen: snapshot, server, sessions: [...known, session].slice(-MAX_SESSIONS), provenAt: askedAt };
  if (!rows || !isContinued(before, reading)) return { after, changed: undefined };
  const changed: string[] = [];
  for (const { tags, deletedBelow } of rows) {
    // Among the deleted rows may be some that this process has not read.
    if (!tags || (deletedBelow !== null && deletedBelow > before.seen!.oldest)) return { after, changed: undefined };
    changed.push(...tags);
  }
  return { after, changed };
}
