// Times, which newer tables of Keystone have in microseconds beside the older columns.
import { secondsOf, textOf } from '../../sql/index.ts';

const MICROS = 1_000_000;

export function timeOf(micros: unknown, time?: unknown): number | undefined {
  const count = Number(textOf(micros) ?? 0);
  return count > 0 ? Math.floor(count / MICROS) : secondsOf(time);
}
