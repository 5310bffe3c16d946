// /healthz, /livez, /readyz for orchestrators. They reveal no internals.
import { Answer, type App } from './app.ts';
import { watchLoop } from './loop.ts';
import * as t from './schema.ts';

const tag = 'Probes';
const Status = t.object({ status: t.string() });
const Readiness = t.object({
  status: t.string(),
  checks: t.record(t.object({ status: t.string() }, { latencyMs: t.integer() })),
});

const CHECK_MS = 2_000;

/** Each rejects when the component it checks is not available. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

export interface ProbeOptions {
  /** Checks that are reported but do not make the service unready. */
  readonly reported?: ReadinessChecks;
}

export interface Probes {
  /** The service is about to stop: it still serves, but /readyz answers 503. */
  drain(): void;
}

async function run(check: () => Promise<void>): Promise<{ status: string; latencyMs?: number }> {
  const started = performance.now();
  const late = new Promise<never>((_, reject) => setTimeout(reject, CHECK_MS).unref());
  try {
    await Promise.race([check(), late]);
    return { status: 'ok', latencyMs: Math.round(performance.now() - started) };
  } catch {
    return { status: 'unavailable' };
  }
}

export function mountProbes<Caller, Rule extends string, Facts>(
  app: App<Caller, Rule, Facts>,
  checks: ReadinessChecks,
  { reported = {} }: ProbeOptions = {},
): Probes {
  const loop = watchLoop();
  let draining = false;
  app.get('/healthz', { id: 'getHealthz', summary: 'The server answers', tag, rule: 'anyone', reply: { 200: Status } }, () => ({
    status: 'ok',
  }));
  app.get(
    '/livez',
    { id: 'getLivez', summary: 'The process is alive', tag, rule: 'anyone', reply: { 200: Status, 503: Status } },
    () => (loop.isStuck ? new Answer({ status: 503, body: { status: 'unavailable' } }) : { status: 'ok' }),
  );
  app.get(
    '/readyz',
    { id: 'getReadyz', summary: 'The service can serve', tag, rule: 'anyone', reply: { 200: Readiness, 503: Readiness } },
    async () => {
      const all = Object.entries({ ...checks, ...reported });
      const results = await Promise.all(all.map(async ([name, check]) => [name, await run(check)] as const));
      const ready = !draining && results.every(([name, result]) => result.status === 'ok' || name in reported);
      return new Answer({
        status: ready ? 200 : 503,
        body: { status: ready ? 'ok' : 'unavailable', checks: Object.fromEntries(results) },
      });
    },
  );
  return {
    drain() {
      draining = true;
    },
  };
}

t.name({ Status, Readiness });
