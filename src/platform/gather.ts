// Concurrent requests share a statement: while some of them run, others gather for the next. Each is asked after its request came, so that nobody is
// answered with what was read before. A service that has little to do asks at once, and waits no longer than without this.
import { currentDeadline, type Deadline, inBackground, OutOfTime, REQUEST_MS, untilDeadline, withDeadline } from './deadline.ts';

/** Statements at the same time. */
const AT_ONCE = 2;
const MOST = 200;

interface Waiting<K, R> {
  readonly key: K;
  readonly deadline: Deadline | undefined;
  /** The request was refused because its time was over. */
  isRefused: boolean;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

type Timed = Pick<Waiting<unknown, unknown>, 'deadline' | 'isRefused'>;

const leftOf = ({ deadline, isRefused }: Timed): number => (isRefused ? 0 : (deadline?.remaining ?? REQUEST_MS));

/**
 * `ask`: answers in the order of the keys. `isOfOne`: errors that are about one of the keys, or that only some of them deserve. Then each is asked
 * alone. For a request that is refused because its time is over, nothing is begun any more, and a transaction that is running is rolled back: it may
 * be repeated.
 */
export function gather<K, R>(
  ask: (keys: readonly K[]) => Promise<readonly R[]>,
  isOfOne: (error: unknown) => boolean = () => false,
): (key: K) => Promise<R> {
  const waiting: Waiting<K, R>[] = [];
  let running = 0;

  async function answer(asking: readonly Waiting<K, R>[]): Promise<void> {
    // The others are refused by now, or at the next look at the clock.
    const some = asking.filter((one) => leftOf(one) > 0);
    if (some.length === 0) return;
    try {
      const left = Math.min(REQUEST_MS, ...some.map(leftOf));
      const results = await withDeadline(() => ask(some.map(({ key }) => key)), left);
      for (const [at, { resolve }] of some.entries()) resolve(results[at]!);
    } catch (error) {
      if (some.length > 1 && (isOfOne(error) || error instanceof OutOfTime)) await Promise.all(some.map((one) => answer([one])));
      else for (const { reject } of some) reject(error);
    }
  }

  async function answerAll(): Promise<void> {
    running++;
    while (waiting.length > 0) await answer(waiting.splice(0, MOST));
    running--;
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const one = { key, deadline: currentDeadline(), isRefused: false, resolve, reject };
    waiting.push(one);
    if (running < AT_ONCE) void inBackground(answerAll);
    return untilDeadline(promise, () => {
      one.isRefused = true;
    });
  };
}
