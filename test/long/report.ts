// What the long tests print, and `npm run test:long` repeats at its end.
import { appendFileSync } from 'node:fs';

/** How much a part does: its short form in `npm test`, more in `npm run test:long`. */
export const amount = (variable: string, short: number): number => Number(process.env[variable] ?? short);

export function report(part: string, text: string): void {
  const line = `${part}: ${text}`;
  console.log(line);
  if (process.env.LONG_RESULTS) appendFileSync(process.env.LONG_RESULTS, `${line}\n`);
}

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * How fast a series grows, in units of y for one of x: the median of the slopes between every two points (Theil and Sen). Unlike that of
 * least squares, a few high samples do not move it, such as those just before the collector ran.
 */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const slopes = points.flatMap((one, at) => points.slice(at + 1).map((other) => (other.y - one.y) / (other.x - one.x)));
  return percentile(slopes, 0.5);
}
