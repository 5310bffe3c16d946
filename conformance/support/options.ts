// The command line that the runners share.
import { parseArgs } from 'node:util';
import { stop } from './debian.ts';

export interface RunnerOptions {
  readonly databaseUrl: string | undefined;
  /** Keeps the log of the service and what else the run made, and says where. */
  readonly keep: boolean;
  /** What stands beside the options. */
  readonly operands: readonly string[];
}

/** `wanted` names the operands, each of which must be given. */
export function options(...wanted: string[]): RunnerOptions {
  try {
    const { values, positionals } = parseArgs({
      options: { 'database-url': { type: 'string' }, keep: { type: 'boolean', default: false } },
      allowPositionals: wanted.length > 0,
    });
    if (positionals.length !== wanted.length) throw new Error(`needed: ${wanted.join(' ')}`);
    return { databaseUrl: values['database-url'], keep: values.keep, operands: positionals };
  } catch (error) {
    stop(`${(error as Error).message}\nOptions: [--database-url postgres://USER@HOST/EMPTY_DATABASE] [--keep]`);
  }
}
