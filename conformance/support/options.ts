// The command line of all runners.
import { parseArgs } from 'node:util';
import { stop } from './debian.ts';

export interface RunnerOptions {
  readonly databaseUrl: string | undefined;
  /** Keeps the service log and other files of the run, and prints where they are. */
  readonly keep: boolean;
  /** Runs the same against Debian's Keystone, for its column. */
  readonly beside: boolean;
  /** Only these parts of the run, by name. All if empty. */
  readonly only: readonly string[];
  /** Tempest: the tests of personas instead of those of the API. */
  readonly rbac: boolean;
  /** The positional arguments. */
  readonly operands: readonly string[];
}

/** `required`: names of the positional arguments, all of which must be given. */
export function options(...required: string[]): RunnerOptions {
  try {
    const { values, positionals } = parseArgs({
      options: {
        'database-url': { type: 'string' },
        keep: { type: 'boolean', default: false },
        beside: { type: 'string' },
        only: { type: 'string', default: '' },
        rbac: { type: 'boolean', default: false },
      },
      allowPositionals: required.length > 0,
    });
    if (positionals.length !== required.length) throw new Error(`needed: ${required.join(' ')}`);
    if (values.beside !== undefined && values.beside !== 'keystone') throw new Error('--beside takes keystone');
    return {
      databaseUrl: values['database-url'],
      keep: values.keep,
      beside: values.beside !== undefined,
      only: values.only.split(',').filter(Boolean),
      rbac: values.rbac,
      operands: positionals,
    };
  } catch (error) {
    stop(
      `${(error as Error).message}\nOptions: [--database-url postgres://USER@HOST/EMPTY_DATABASE] [--keep] [--beside keystone]`,
    );
  }
}
