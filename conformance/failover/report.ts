// What clients saw, in a few lines, and whether it is what is promised.
import type { RecordedAnswer } from './load.ts';

export interface Step {
  readonly name: string;
  readonly seen: string;
  readonly faults: readonly string[];
}

export type Report = (step: Step) => void;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
export const isGood = ({ status }: RecordedAnswer): boolean => status >= 200 && status < 300;

/** The longest a request may take: 6 s for the database (budget.ts), and time for a busy machine. */
export const BUDGET_MS = 12_000;

/** Answers that break the promise: anything but success, or 503 with Retry-After, and anything that takes too long. */
export function broken(answers: readonly RecordedAnswer[]): string[] {
  const bad = answers.filter((answer) => !isGood(answer) && !(answer.status === 503 && answer.retryAfter !== null));
  const slow = answers.filter(({ ms }) => ms > BUDGET_MS);
  return [
    ...bad.slice(0, 5).map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
    ...(bad.length > 5 ? [`and ${bad.length - 5} more`] : []),
    ...slow.slice(0, 3).map(({ kind, ms, status }) => `${kind} took ${seconds(ms)} (${status})`),
  ];
}

/** How long a kind of request was refused after an event. */
export function gapOf(answers: readonly RecordedAnswer[], kinds: readonly string[], event: number): string {
  const refused = answers.filter((answer) => kinds.includes(answer.kind) && !isGood(answer) && answer.at + answer.ms >= event);
  if (refused.length === 0) return 'none';
  const first = Math.min(...refused.map(({ at, ms }) => at + ms));
  const last = Math.max(...refused.map(({ at, ms }) => at + ms));
  return `${seconds(last - first)} (from ${seconds(first - event)} to ${seconds(last - event)} after it)`;
}

export function summary(answers: readonly RecordedAnswer[]): string {
  const refused = answers.filter((answer) => !isGood(answer));
  const ofProxy = refused.filter(({ isOfProxy }) => isOfProxy).length;
  const slowest = Math.max(0, ...answers.map(({ ms }) => ms));
  return `${answers.length} requests, ${refused.length} refused${ofProxy > 0 ? ` (${ofProxy} of them by HAProxy)` : ''}, slowest ${seconds(slowest)}`;
}
