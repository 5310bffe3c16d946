// The command line that the runners share.
import { parseArgs } from 'node:util';
import { stop } from './debian.ts';

export interface Options {
  readonly databaseUrl: string | undefined;
  /** Keeps the log of the service and what else the run made, and says where. */
  readonly keep: boolean;
}

export function options(): Options {
  try {
    const { values } = parseArgs({ options: { 'database-url': { type: 'string' }, keep: { type: 'boolean', default: false } } });
    return { databaseUrl: values['database-url'], keep: values.keep };
  } catch (error) {
    stop(`${(error as Error).message}\nOptions: [--database-url postgres://USER@HOST/EMPTY_DATABASE] [--keep]`);
  }
}
