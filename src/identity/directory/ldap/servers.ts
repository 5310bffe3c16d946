// Which servers of a directory answer. One that failed is remembered until it answers a question that nobody waits for: the logins after the
// first one do not wait for a server that stalls.
import type { Clock } from '../../../platform/clock.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';

/** How long after a failure a server is asked again: when no other answers, and when others do. */
const AGAIN_MS = 1000;
const AGAIN_BESIDE_OTHERS_MS = 30_000;
/** How long requests wait for the answer, from when it was asked for. A server that answers as usual is used at once. */
const PATIENCE_MS = 1000;

/** No server answers. */
export class DirectoryAway extends Error {}

export interface ServersDeps {
  readonly urls: readonly string[];
  readonly clock: Clock;
  /** Asks something small. Fails when the server does not answer. */
  probe(url: string): Promise<void>;
}

export function createServers({ urls, clock, probe }: ServersDeps) {
  const failedAt = new Map<string, number>();
  const probing = new Map<string, { readonly since: number; readonly answer: Promise<void> }>();
  const isAway = (): boolean => urls.every((url) => failedAt.has(url));

  function isDue(url: string): boolean {
    const at = failedAt.get(url);
    if (at === undefined || probing.has(url)) return false;
    // A clock that was set back must not keep it away.
    return Math.abs(clock.now() - at) >= (isAway() ? AGAIN_MS : AGAIN_BESIDE_OTHERS_MS);
  }

  /** One question at a time for each server. */
  function ask(url: string): void {
    const answer = askNow(url).finally(() => probing.delete(url));
    answer.catch(() => {});
    probing.set(url, { since: performance.now(), answer });
  }

  async function askNow(url: string): Promise<void> {
    try {
      await probe(url);
      failedAt.delete(url);
    } catch {
      failedAt.set(url, clock.now());
      throw new DirectoryAway(`${url} does not answer`);
    }
  }

  return {
    hasFailed: (url: string): boolean => failedAt.has(url),
    failed: (url: string): void => void failedAt.set(url, clock.now()),
    answered: (url: string): void => void failedAt.delete(url),

    /** Those that failed come last. */
    inOrder: (): string[] => urls.toSorted((a, b) => Number(failedAt.has(a)) - Number(failedAt.has(b))),

    /** Fails at once while all servers are away. After a while they are asked again, and requests wait a little. */
    async ready(): Promise<void> {
      urls.filter(isDue).forEach(ask);
      const asked = [...probing.values()];
      const leftMs = PATIENCE_MS - (performance.now() - Math.max(...asked.map(({ since }) => since)));
      const first = Promise.any(asked.map(({ answer }) => answer)).catch(() => {});
      if (isAway() && leftMs > 0) await waitAtMost(leftMs, first);
      if (isAway()) throw new DirectoryAway('no server answers; they are asked again in the background');
    },
  };
}
