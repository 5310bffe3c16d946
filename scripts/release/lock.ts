// The lock file without what is for development only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.ts';

export interface LockedPackage {
  /** Only if it differs from the folder, for aliases. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [key: string]: unknown;
}

const readLock = (): Lock => JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;

/** Folder to package, such as `node_modules/pg`. */
export function productionPackages(): Map<string, LockedPackage> {
  return new Map(Object.entries(readLock().packages).filter(([folder, { dev }]) => folder !== '' && !dev));
}

export const nameOf = (folder: string, { name }: LockedPackage): string => name ?? folder.split('node_modules/').at(-1)!;

/** Packages that name a file instead of their licence; this is what the file says. */
const IN_A_FILE: Readonly<Record<string, string>> = {
  '@digitalbazaar/credentials-context': 'BSD-3-Clause AND W3C-20150513',
  'did-context': 'BSD-3-Clause AND W3C-20150513',
};

/** An SPDX expression. */
export const licenseOf = (folder: string, locked: LockedPackage): string =>
  IN_A_FILE[nameOf(folder, locked)] ?? locked.license ?? 'NOASSERTION';

/** npm-shrinkwrap.json: installing the package brings the versions that were tested, also of what we do not name ourselves. */
export function productionLock(): string {
  const { packages, ...rest } = readLock();
  const { devDependencies, ...root } = packages['']! as LockedPackage & { devDependencies?: unknown };
  const kept = Object.fromEntries([['', root], ...productionPackages()]);
  return `${JSON.stringify({ ...rest, packages: kept }, null, 2)}\n`;
}
