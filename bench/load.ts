// Sends requests as fast as they are answered, from a separate process, and counts them.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, cpuSeconds, output, start, startScript, temporaryFolder, versionOf } from './processes.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** `UNIQUE` in it is replaced by a new number in every request. */
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What takes the place of `{value}` in a text: each once. */
export interface Values {
  readonly values: readonly string[];
  /** A pattern of Lua that finds one more in each answer, such as the next refresh token. */
  readonly next?: string;
}

export interface LoadTarget {
  readonly url: string;
  readonly pid: number;
  /** Other processes that work for it, such as those of its database server. */
  readonly otherPids?: readonly number[];
}

/** The result of one round. */
export interface Sample {
  /** Requests per second. */
  readonly rate: number;
  /** CPU time of the server per request, all threads. */
  readonly cpuMicros: number;
  readonly failed: number;
}

export const UNIQUE = '############';

const wrkVersion = versionOf('wrk', '-v');
export const generator = wrkVersion ? wrkVersion.split(' ').slice(0, 2).join(' ') : 'autocannon';
/** The generator runs on a core of its own. Otherwise the kernel would let it preempt the server at every answer. */
const ownCore = versionOf('taskset', '--version') ? ['taskset', '-c', String(cpus().length - 1)] : [];
const folder = temporaryFolder();
let rounds = 0;

function writeRequests(requests: readonly LoadRequest[]): string {
  const lines = requests.map(({ method, path, body, text: rawText, headers }) => {
    const all = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
    const text = rawText ?? (body === undefined ? '' : JSON.stringify(body));
    return [method, path, text, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)].join('\t');
  });
  const file = join(folder, `requests-${rounds}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function writeValues({ values }: Values): string {
  const file = join(folder, `values-${rounds}`);
  writeFileSync(file, `${values.join('\n')}\n`);
  return file;
}

export async function load(
  { url, pid, otherPids = [] }: LoadTarget,
  requests: readonly LoadRequest[],
  { seconds, connections }: { seconds: number; connections: number },
  once?: Values,
): Promise<Sample> {
  rounds++;
  const env = {
    ...cleanEnvironment(),
    BENCH_REQUESTS: writeRequests(requests),
    BENCH_ROUND: String(rounds),
    ...(once ? { BENCH_VALUES: writeValues(once) } : {}),
    ...(once?.next === undefined ? {} : { BENCH_NEXT: once.next }),
  };
  if (once && !wrkVersion) throw new Error('codes and refresh tokens are good once: that needs wrk');
  const used = (): number => [pid, ...otherPids].reduce((sum, one) => sum + cpuSeconds(one), 0);
  const before = used();
  const child = wrkVersion
    ? start(
        [
          ...ownCore,
          'wrk',
          '-t1',
          `-c${connections}`,
          `-d${seconds}s`,
          '--timeout',
          '30s',
          '-s',
          join(import.meta.dirname, 'wrk.lua'),
          url,
        ],
        {
          env,
          output: 'pipe',
        },
      )
    : startScript('autocannon-load.ts', [url, String(seconds), String(connections)], { env, output: 'pipe' });
  const text = await output(child);
  const cpu = used() - before;
  const result = JSON.parse(text.split('RESULT ')[1] ?? 'null') as { requests: number; seconds: number; failed: number } | null;
  if (!result) throw new Error(`the load generator gave no result: ${text}`);
  return {
    rate: result.requests / result.seconds,
    cpuMicros: (cpu * 1e6) / Math.max(1, result.requests),
    failed: result.failed,
  };
}
