// What a release is made from: the commit, its time, and the version.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Build {
  readonly version: string;
  /** Seconds since 1970: of the commit, or SOURCE_DATE_EPOCH. */
  readonly time: number;
  readonly commit: string | undefined;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

export const manifest = (): Manifest => JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as Manifest;

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Changes of files that are in no commit; a release with them cannot be built again. */
export const uncommitted = (): string[] => git('status', '--porcelain')?.split('\n').filter(Boolean) ?? [];

export function currentBuild(env: NodeJS.ProcessEnv = process.env): Build {
  const commit = git('rev-parse', 'HEAD');
  const time = env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct');
  if (!time || !/^\d{1,11}$/.test(time))
    throw new Error('no commit here: set SOURCE_DATE_EPOCH to the time of the sources, in seconds');
  return { version: manifest().version, time: Number(time), commit };
}

/** The machines a release is built for, with the names that Node and Debian have for them. */
export const MACHINES = [
  { node: 'x64', debian: 'amd64' },
  { node: 'arm64', debian: 'arm64' },
] as const;
export type Machine = (typeof MACHINES)[number];
