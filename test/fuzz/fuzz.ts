// One fuzzing run: sends requests in small batches and checks every answer. The result is a list of faults with the requests that
// caused them.
import type { RawRequest } from './raw.ts';
import { type FuzzPersona, type RequestSource, requestFor } from './requests.ts';
import { type Expectations, type FuzzOperation, faultOf } from './verdict.ts';
import { bytesOf, exchange, type WireAddress, type WireOutcome, type WireRequest, type WireResponse } from './wire.ts';

/** Much longer than any answer takes, because the machine may be busy. Answers over a second are reported. */
export const DEADLINE_MS = 10_000;
const SLOW_MS = 1000;
/** Sent in parallel, like several clients. */
const BATCH = 8;

export interface FuzzFinding {
  readonly fault: string;
  readonly persona: string;
  readonly sent: string;
  readonly answer: string;
}

export interface Tally {
  readonly findings: FuzzFinding[];
  readonly slow: string[];
  sent: number;
  /** Counts of statuses by persona. */
  readonly statuses: Map<string, Map<number, number>>;
}

export const newTally = (): Tally => ({ findings: [], slow: [], sent: 0, statuses: new Map() });

const shown = (bytes: Buffer): string => {
  const text = bytes.toString('latin1');
  return JSON.stringify(text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} bytes)` : text);
};

const answerOf = (outcome: WireOutcome): string =>
  typeof outcome === 'string'
    ? outcome
    : `${outcome.status} ${outcome.headers['content-type'] ?? ''} ${outcome.body.slice(0, 500)}`;

export interface FuzzTarget {
  readonly peer: WireAddress;
  readonly deadlineMs?: number;
  expectationsOf(target: string, operation?: FuzzOperation): Expectations;
}

async function tryOne(
  target: FuzzTarget,
  tally: Tally,
  who: string,
  bytes: Buffer,
  method: string,
  expected: Expectations,
  end = false,
) {
  const outcome = await exchange(target.peer, bytes, target.deadlineMs ?? DEADLINE_MS, end);
  const fault = faultOf(outcome, method, expected);
  tally.sent++;
  if (fault) tally.findings.push({ fault, persona: who, sent: shown(bytes), answer: answerOf(outcome) });
  if (typeof outcome === 'string') return outcome;
  if (outcome.milliseconds > SLOW_MS) tally.slow.push(`${Math.round(outcome.milliseconds)} ms: ${shown(bytes).slice(0, 200)}`);
  const statuses = tally.statuses.get(who) ?? new Map<number, number>();
  tally.statuses.set(who, statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1));
  return outcome;
}

export interface FuzzPlan {
  readonly operations: readonly FuzzOperation[];
  /** A persona may be listed several times, to be chosen more often. */
  readonly personas: readonly FuzzPersona[];
  readonly count: number;
  readonly source: RequestSource;
  /** After each batch: stores new ids, and logs personas in again if needed. */
  learn(
    answers: readonly { operation: FuzzOperation; persona: FuzzPersona; sent: WireRequest; answer: WireResponse }[],
  ): Promise<void>;
}

export async function fuzzOperations(target: FuzzTarget, plan: FuzzPlan, tally: Tally): Promise<void> {
  const { random } = plan.source;
  for (let made = 0; made < plan.count; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, plan.count - made) }, (_, index) => {
      // Operations take turns; the persona is random.
      const operation = plan.operations[(made + index) % plan.operations.length]!;
      const persona = random.pick(plan.personas);
      return { operation, persona, sent: requestFor(operation, persona, plan.source) };
    });
    const answers = await Promise.all(
      batch.map(async ({ operation, persona, sent }) => {
        const meant = sent.method === operation.method ? operation : undefined;
        const expected = target.expectationsOf(sent.target, meant);
        const answer = await tryOne(target, tally, persona.name, bytesOf(sent, target.peer), sent.method, expected);
        return { operation, persona, sent, answer };
      }),
    );
    await plan.learn(answers.flatMap(({ answer, ...rest }) => (typeof answer === 'string' ? [] : [{ ...rest, answer }])));
  }
}

export async function fuzzRaw(target: FuzzTarget, requests: readonly RawRequest[], tally: Tally): Promise<void> {
  for (let at = 0; at < requests.length; at += BATCH) {
    await Promise.all(
      requests.slice(at, at + BATCH).map(({ bytes, cut = false }) => {
        const [, method = '', address = '/'] = /^(\S*) (\S*)/.exec(bytes.toString('latin1')) ?? [];
        const expected = { ...target.expectationsOf(address), mayBeSilent: cut };
        return tryOne(target, tally, 'raw', bytes, method, expected, cut);
      }),
    );
  }
}

/** The failure message: the faults, grouped, with an example request each. */
export function reportOf({ findings, sent }: Tally, seed: number): string {
  const groups = Map.groupBy(
    findings,
    ({ fault, sent: bytes }) => `${fault}: ${/^"(\w+ [^? ]*)/.exec(bytes)?.[1]?.replace(/[0-9a-f]{32}/g, '{id}')}`,
  );
  const lines = [...groups].map(
    ([what, [first, ...more]]) =>
      `${what} (${more.length + 1} times)\n    ${first!.persona} sent ${first!.sent}\n    got ${first!.answer}`,
  );
  return `${findings.length} of ${sent} requests went wrong; again with FUZZ_SEED=${seed}\n${lines.join('\n')}`;
}
