// Concurrent requests share a statement: while some of them run, others gather for the next. Each is asked after its request came, so that nobody is
// answered with what was read before. A service that has little to do asks at once, and waits no longer than without this.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isUnreachable, isUnwritable } from './database/index.ts';
import { currentDeadline, type Deadline, REQUEST_MS, untilDeadline, withDeadlineOf, withSharedDeadline } from './deadline.ts';
import { isTracing } from './tracing/index.ts';

/** Statements at the same time. */
const AT_ONCE = 2;
const MOST = 200;
/** After this time a statement is not counted any more: it waits for a lock, or its connection is dead, and others need not wait for that. */
const SLOW_MS = 100;

interface Waiting<K, R> {
  readonly key: K;
  readonly deadline: Deadline | undefined;
  /** Runs work as a part of the request: with its deadline, and in its trace. */
  readonly within: <T>(work: () => T) => T;
  /** The request was refused because its time was over. */
  isRefused: boolean;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

type Timed = Pick<Waiting<unknown, unknown>, 'deadline' | 'isRefused'>;

const leftOf = ({ deadline, isRefused }: Timed): number => (isRefused ? 0 : (deadline?.remaining ?? REQUEST_MS));

/** What a request leaves behind does not keep that request in memory, nor go on in its trace. */
const ofNobody = AsyncLocalStorage.snapshot();

/** Until the first of several is out of time, and in the queues of the database with the one that came first. */
const together = <T>(some: readonly Timed[], work: () => T): T =>
  withSharedDeadline(
    work,
    Math.min(REQUEST_MS, ...some.map(leftOf)),
    Math.min(...some.map(({ deadline }) => deadline?.began ?? performance.now())),
  );

/**
 * `ask`: answers in the order of the keys. When it fails for several, each is asked alone: one of them may be the reason, or out of time. Not if the
 * database is away, which is so for all of them, and may have done what it was asked for. For a request that is refused because its time is over,
 * nothing is begun any more, and a transaction that is not being committed yet is rolled back.
 */
export function gather<K, R>(ask: (keys: readonly K[]) => Promise<readonly R[]>): (key: K) => Promise<R> {
  const waiting: Waiting<K, R>[] = [];
  let running = 0;

  async function answer(asking: readonly Waiting<K, R>[]): Promise<void> {
    // The others are refused by now, or at the next look at the clock.
    const some = asking.filter((one) => leftOf(one) > 0);
    const [first, ...others] = some;
    if (!first) return;
    const askAll = (): Promise<readonly R[]> => ask(some.map(({ key }) => key));
    try {
      const results = await first.within(() => (others.length === 0 ? askAll() : together(some, askAll)));
      for (const [at, { resolve }] of some.entries()) resolve(results[at]!);
    } catch (error) {
      const isOfAll = others.length === 0 || isUnreachable(error) || isUnwritable(error);
      if (isOfAll) for (const { reject } of some) reject(error);
      else await Promise.all(some.map((one) => answer([one])));
    }
  }

  async function answerNext(): Promise<void> {
    let isCounted = true;
    running++;
    const end = (): void => {
      if (!isCounted) return;
      isCounted = false;
      running--;
      begin();
    };
    const timer = setTimeout(end, SLOW_MS);
    await answer(waiting.splice(0, MOST));
    clearTimeout(timer);
    end();
  }

  function begin(): void {
    while (running < AT_ONCE && waiting.length > 0) void answerNext();
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const deadline = currentDeadline();
    // A snapshot costs 25 microseconds, and is for traces only.
    const within = isTracing() ? AsyncLocalStorage.snapshot() : <T>(work: () => T): T => withDeadlineOf(deadline, work);
    const one: Waiting<K, R> = { key, deadline, within, isRefused: false, resolve, reject };
    waiting.push(one);
    if (running < AT_ONCE) ofNobody(begin);
    return untilDeadline(promise, () => {
      one.isRefused = true;
    });
  };
}
