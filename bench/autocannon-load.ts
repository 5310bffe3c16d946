// The load generator if wrk is not installed: the same file of requests, the same result line.
// It is a Node process, too, and often slower than what it measures: read the CPU figures, not the rates.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface AutocannonResult {
  readonly requests: { readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
}

// It brings no types.
const autocannon = createRequire(import.meta.url)('autocannon') as (options: unknown) => Promise<AutocannonResult>;
const [url, seconds, connections] = process.argv.slice(2);
const round = String(process.env.BENCH_ROUND).padStart(4, '0');
let sent = 0;

const requests = readFileSync(process.env.BENCH_REQUESTS!, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [method, path, body, ...headers] = line.split('\t');
    const unique = line.includes('############');
    return {
      method,
      path,
      body: body || undefined,
      headers: Object.fromEntries(headers.map((header) => header.split(/: (.*)/, 2))),
      ...(unique
        ? {
            setupRequest: (request: { body: string }) => ({
              ...request,
              body: body!.replace('############', round + String(++sent).padStart(8, '0')),
            }),
          }
        : {}),
    };
  });

const result = await autocannon({ url, duration: Number(seconds), connections: Number(connections), requests });
console.log(
  `RESULT ${JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    failed: result.errors + result.timeouts + result.non2xx,
    p50: result.latency.p50,
    p99: result.latency.p99,
  })}`,
);
