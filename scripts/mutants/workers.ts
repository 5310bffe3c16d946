// Processes that try mutants one after the other (worker.ts), each in a group of its own, so that what the tests started ends with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Part } from './test-runner.ts';
import type { Answer, Job } from './worker.ts';

/** A process is started anew after so many rounds, because what mutants break may leave something behind. */
const MOST_ROUNDS = 200;
/** Tests that were stopped in the middle say nothing. */
const PAUSE_MS = 5_000;
const SWITCH = pathToFileURL(join(import.meta.dirname, 'switch.mjs')).href;
const WORKER = join(import.meta.dirname, 'worker.ts');
const FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--expose-gc',
  '--single-threaded-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

export interface Run extends Omit<Job, 'round'> {
  readonly limitSeconds: number;
  /** In a process that has loaded nothing yet, and with its mutant from the beginning. */
  readonly isFresh?: boolean;
}

export interface Ran {
  /** What went wrong: the first test that failed, or how the process ended. */
  readonly failure: string | undefined;
  readonly seconds: number;
  readonly parts: readonly Part[];
  readonly loading: readonly number[];
}

type Ended = Omit<Ran, 'seconds'> & { readonly isBroken?: boolean };

/** What a worker answers to this round; or how it ended; or that it took too long; or that everything was stopped for a while. */
async function answerOf(child: ChildProcess, job: Job, limitSeconds: number): Promise<Ended | 'paused'> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const broken = (failure: string): Ended => ({ failure, isBroken: true, parts: [], loading: [] });
  const answered = async (): Promise<Ended> => {
    for await (const [answer] of on(child, 'message', { signal })) {
      if ((answer as Answer).round === job.round) return answer as Answer;
    }
    throw new Error('unreachable');
  };
  const ended = async (): Promise<Ended> => {
    const [status, signalName] = await once(child, 'exit', { signal });
    return broken(`ended with status ${status ?? signalName}`);
  };
  const late = async (): Promise<Ended | 'paused'> => {
    for (let second = 0; second < limitSeconds; second++) {
      const begun = Date.now();
      await sleep(1000, undefined, { signal });
      if (Date.now() - begun > PAUSE_MS) return 'paused';
    }
    return broken(`no end after ${Math.round(limitSeconds)} s`);
  };
  const outcomes = [answered(), ended(), late()];
  child.send(job);
  try {
    return await Promise.race(outcomes);
  } finally {
    waiting.abort();
    await Promise.allSettled(outcomes);
  }
}

/** `folder` holds everything that the tests write, `copy` is the project with its mutants. */
function createWorker(folder: string, copy: string) {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(?:GATEHOUSE_|NODE_OPTIONS$|NODE_TEST|TEST_)/.test(key)),
  );
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
  const begin = async (mutant: number): Promise<ChildProcess> => {
    own = mkdtempSync(join(folder, 'run-'));
    child = spawn(process.execPath, [...FLAGS, WORKER], {
      cwd: copy,
      detached: true,
      env: {
        ...inherited,
        MUTANT: String(mutant),
        MUTANTS_FOUND: join(own, 'found'),
        NODE_OPTIONS: `--import=${SWITCH}`,
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        TEST_SQLITE_TEMPLATES: folder,
        TMPDIR: own,
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await once(child, 'message');
    return child;
  };
  return {
    end,
    async run({ limitSeconds, isFresh = false, ...job }: Run): Promise<Ran> {
      for (;;) {
        if (isFresh || round >= MOST_ROUNDS) end();
        if (!child) round = 0;
        const worker = child ?? (await begin(job.mutant));
        const begun = Date.now();
        const answer = await answerOf(worker, { ...job, round: ++round }, limitSeconds);
        if (answer === 'paused' || answer.isBroken || isFresh) end();
        if (answer !== 'paused') return { ...answer, seconds: (Date.now() - begun) / 1000 };
      }
    },
  };
}

export function createWorkers(folder: string, copy: string) {
  const all: ReturnType<typeof createWorker>[] = [];
  const idle: typeof all = [];
  return {
    async run(job: Run): Promise<Ran> {
      const worker = idle.pop() ?? createWorker(folder, copy);
      if (!all.includes(worker)) all.push(worker);
      try {
        return await worker.run(job);
      } finally {
        idle.push(worker);
      }
    },
    end(): void {
      for (const worker of all) worker.end();
    },
  };
}
