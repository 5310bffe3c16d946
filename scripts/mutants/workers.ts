// Processes that try mutants one after the other (worker.mjs), so that what test files import is loaded once for many mutants.
import type { ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A worker is started anew after so many test files, because what they break may leave something behind. */
const MOST_ROUNDS = 60;

export interface Outcome {
  /** What went wrong: the first test that failed, or how the process ended. */
  readonly failure: string | undefined;
  readonly seconds: number;
}

interface Places {
  /** Where workers have folders of their own. */
  readonly folder: string;
  /** A process in a group of its own, so that what the tests started ends with it. */
  spawnWorker(own: string, main: string): ChildProcess;
}

interface Answer {
  readonly failure?: string;
  /** Whether a test failed, so that the process can go on. Else it has ended, hangs, or could not load the file. */
  readonly isTest?: boolean;
}

/** What a worker answers to this round; or how it ended; or that it took too long. */
async function outcomeOf(child: ChildProcess, round: number, limitSeconds: number, send: () => void): Promise<Answer> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const answered = async (): Promise<Answer> => {
    for await (const [answer] of on(child, 'message', { signal })) if (answer.round === round) return answer;
    throw new Error('unreachable');
  };
  const ended = async (): Promise<Answer> => {
    const [status, signalName] = await once(child, 'exit', { signal });
    return { failure: `ended with status ${status ?? signalName}` };
  };
  const late = async (): Promise<Answer> => {
    await sleep(limitSeconds * 1000, undefined, { signal });
    return { failure: `no end after ${Math.round(limitSeconds)} s` };
  };
  const outcomes = [answered(), ended(), late()];
  send();
  try {
    return await Promise.race(outcomes);
  } finally {
    waiting.abort();
    await Promise.allSettled(outcomes);
  }
}

function createWorker({ folder, spawnWorker }: Places) {
  let child: ChildProcess | undefined;
  let own: string | undefined;
  let round = 0;
  const end = (): void => {
    try {
      if (child) process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
    child = undefined;
    if (own) rmSync(own, { recursive: true, force: true, maxRetries: 3 });
  };
  const begin = async (): Promise<ChildProcess> => {
    own = mkdtempSync(join(folder, 'run-'));
    const main = join(own, 'main.mjs');
    writeFileSync(main, '');
    child = spawnWorker(own, main);
    await once(child, 'message');
    return child;
  };
  return {
    end,
    async run(id: number, file: string, limitSeconds: number): Promise<Outcome> {
      if (round % MOST_ROUNDS === 0) end();
      round++;
      const worker = child ?? (await begin());
      const begun = Date.now();
      const { failure, isTest } = await outcomeOf(worker, round, limitSeconds, () => void worker.send({ id, file, round }));
      if (failure !== undefined && !isTest) end();
      return { failure, seconds: (Date.now() - begun) / 1000 };
    },
  };
}

export function createWorkers(places: Places) {
  const idle: ReturnType<typeof createWorker>[] = [];
  return {
    /** Runs these test files, by their addresses, with the mutant. */
    async run(id: number, file: string, limitSeconds: number): Promise<Outcome> {
      const worker = idle.pop() ?? createWorker(places);
      try {
        return await worker.run(id, file, limitSeconds);
      } finally {
        idle.push(worker);
      }
    },
    end(): void {
      for (const worker of idle) worker.end();
    },
  };
}
