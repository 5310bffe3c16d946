// The command line of all runners.
import { parseArgs } from 'node:util';
import { stop } from './debian.ts';

export interface RunnerOptions {
  readonly databaseUrl: string | undefined;
  /** Keeps the service log and other files of the run, and prints where they are. */
  readonly keep: boolean;
  /** The positional arguments. */
  readonly operands: readonly string[];
}

/** `required`: names of the positional arguments, all of which must be given. */
export function options(...required: string[]): RunnerOptions {
  try {
    const { values, positionals } = parseArgs({
      options: { 'database-url': { type: 'string' }, keep: { type: 'boolean', default: false } },
      allowPositionals: required.length > 0,
    });
    if (positionals.length !== required.length) throw new Error(`needed: ${required.join(' ')}`);
    return { databaseUrl: values['database-url'], keep: values.keep, operands: positionals };
  } catch (error) {
    stop(`${(error as Error).message}\nOptions: [--database-url postgres://USER@HOST/EMPTY_DATABASE] [--keep]`);
  }
}
