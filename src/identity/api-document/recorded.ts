// What was recorded: real requests and answers (scripts/examples), and the faults that tests have seen operations answer with. A fault
// that is not there yet is added by hand.
import { readFileSync } from 'node:fs';
import type { Examples } from '../../platform/openapi/index.ts';

const read = <Value>(name: string): Readonly<Record<string, Value>> =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Record<string, Value>;

/** By the id of the operation. */
export const examples = () => read<Examples>('./examples.json');
/** Refusals that do not follow from a route, by the id of its operation. */
export const refusals = () => read<readonly string[]>('./refusals.json');
