// What was recorded: real requests and answers (scripts/examples), and the faults that tests have seen operations answer with. A fault
// that is not there yet is added by hand.
import { readFileSync } from 'node:fs';
import type { Examples } from './openapi.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

export const recordedOf = (service: 'identity' | 'wallet') => ({
  /** By the id of the operation. */
  examples: read(`./${service}/examples.json`) as Readonly<Record<string, Examples>>,
  /** Refusals that do not follow from a route, by the id of its operation. */
  refusals: read(`./${service}/refusals.json`) as Readonly<Record<string, readonly string[]>>,
});
