// One deadline for each request, from its arrival, whatever it waits for in this service: a connection, a queue, a lock, a statement. Who
// cannot be served by then is refused, while the client still waits for the answer.
import { AsyncLocalStorage } from 'node:async_hooks';

/** For a whole request, and for each step of work that legitimately takes longer. */
export const REQUEST_MS = 6_000;
/**
 * How much of the time counts in which this process is busy itself: an answer that lies here unread is no delay of the database, and requests
 * that keep the process busy get done. But a process that is busy all the time must refuse, too, at last.
 */
const BUSY_SHARE = 0.4;

/** How often it is looked at, at most, while it is paused just before its end. */
const CHECK_MS = 20;

const now = (): number => BUSY_SHARE * performance.now() + (1 - BUSY_SHARE) * performance.nodeTiming.idleTime;

/** The request has waited as long as it may. Says nothing about the state of what it waited for. */
export class OutOfTime extends Error {
  constructor() {
    super('the request has waited as long as it may');
  }
}

export class Deadline {
  /** When it began, for queues: who came first is served first. */
  readonly began: number;
  /** For background jobs: their statements may take longer. */
  readonly isUnlimited: boolean;
  /** Of several requests that wait for the same. What was sent and is done perhaps is waited for: they would do it again. */
  readonly isShared: boolean;
  #ends: number;
  /** What is not counted now, and since when. */
  #pauses = 0;
  #pausedAt = 0;

  /** `sharedSince`: when the first of several requests began. */
  constructor(milliseconds: number, sharedSince?: number) {
    this.began = sharedSince ?? performance.now();
    this.isShared = sharedSince !== undefined;
    this.isUnlimited = milliseconds === Number.POSITIVE_INFINITY;
    this.#ends = now() + milliseconds;
  }

  get #left(): number {
    return this.#ends - (this.#pauses > 0 ? this.#pausedAt : now());
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** The remaining time, for somebody else's decision. */
  get remaining(): number {
    return Math.max(0, this.#left);
  }

  /** The remaining time; throws if there is none. */
  left(): number {
    const left = this.#left;
    if (left <= 0) throw new OutOfTime();
    return left;
  }

  /** Calls back when no time is left. Returns a function that cancels that. */
  atEnd(callback: (error: OutOfTime) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const check = (): void => {
      const left = this.#left;
      if (left <= 0) callback(new OutOfTime());
      else if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(check, Math.max(left, CHECK_MS));
    };
    check();
    return () => clearTimeout(timer);
  }

  /** What still runs after the answer is background work. */
  end(): void {
    this.#ends = Number.POSITIVE_INFINITY;
  }

  pause(): void {
    if (this.#pauses++ === 0) this.#pausedAt = now();
  }

  resume(): void {
    if (--this.#pauses === 0) this.#ends += now() - this.#pausedAt;
  }
}

const deadlines = new AsyncLocalStorage<Deadline>();

export const currentDeadline = (): Deadline | undefined => deadlines.getStore();

/** Calls `then` when the work is over, also if it fails. */
function finallyDo<T>(work: () => T, then: () => void): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    then();
    throw error;
  }
  if (!(result instanceof Promise)) then();
  else return result.finally(then) as T;
  return result;
}

/** Does not count the time of work whose duration others decide: calls to other services, and work with a limit of its own. */
export function notCounted<T>(work: () => T): T {
  const deadline = currentDeadline();
  if (!deadline) return work();
  deadline.pause();
  return finallyDo(work, () => deadline.resume());
}

/** Waits for the promise until the deadline of the current request. `onLate` is called when nobody waits for it any more. */
export async function untilDeadline<T>(pending: Promise<T>, onLate: () => unknown = () => {}): Promise<T> {
  const deadline = currentDeadline();
  if (!deadline) return pending;
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = deadline.atEnd((error) => {
      pending.catch(() => {});
      onLate();
      reject(error);
    });
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    cancel!();
  }
}

/** For a request, or for one step of a long operation, which has a deadline of its own. */
export function withDeadline<T>(work: () => T, milliseconds = REQUEST_MS): T {
  const own = new Deadline(milliseconds);
  return notCounted(() =>
    finallyDo(
      () => deadlines.run(own, work),
      () => own.end(),
    ),
  );
}

/** For work that is a part of a request, done by somebody else. */
export const withDeadlineOf = <T>(deadline: Deadline | undefined, work: () => T): T =>
  deadline ? deadlines.run(deadline, work) : work();

/** For what several requests wait for, each until its own deadline. `since`: when the first of them began. */
export function withSharedDeadline<T>(work: () => T, milliseconds: number, since: number): T {
  const own = new Deadline(milliseconds, since);
  return finallyDo(
    () => deadlines.run(own, work),
    () => own.end(),
  );
}

/** For a part of a request that must leave time for the rest. */
export function withShorterDeadline<T>(work: () => T, milliseconds: number): T {
  const own = new Deadline(Math.min(milliseconds, currentDeadline()?.left() ?? milliseconds));
  return finallyDo(
    () => deadlines.run(own, work),
    () => own.end(),
  );
}

/** For work that goes on without the request that began it. What the request waits for it is counted. */
export const inBackground = <T>(work: () => T): T => deadlines.run(new Deadline(Number.POSITIVE_INFINITY), work);

/** For jobs and commands, without a time limit. */
export const withoutTimeLimit = <T>(work: () => T): T => notCounted(() => inBackground(work));
