// The dependencies for one kind of machine, as the lock file has them, without files that nothing loads.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, ROOT } from './build.ts';
import { readTree, type TreeFile } from './tree.ts';

/** Types, source maps, tests, pages about the package. Licences stay. */
const UNUSED = [
  /\.(?:d\.[cm]?ts|ts|[cm]ts|map|flow|md|markdown|tsbuildinfo|html|yml|yaml|un~|gif|png)$/i,
  /(?:^|\/)node_modules\/\.(?:bin|cache|package-lock\.json)/,
  /^\.(?:bin|cache|package-lock\.json)/,
  /(?:^|\/)\.(?!well-known)[^/]+$/,
  /(?:^|\/)(?:tests?|__tests__|benchmarks?|examples?|\.github)\//,
  /(?:^|\/)(?:Makefile|Gruntfile\.js|tsconfig[^/]*\.json|karma[^/]*|tslint\.json|bower\.json|package-lock\.json)$/,
  // The same modules again, for development or other loaders.
  /^(?:lit|lit-html|lit-element|@lit\/[^/]+)\/(?:development|node\/development)\//,
];
const isLicence = (path: string): boolean => /(?:^|\/)(?:licen[cs]e|copying|notice|authors|copyright)[^/]*$/i.test(path);

export const isUsed = (path: string): boolean => isLicence(path) || !UNUSED.some((pattern) => pattern.test(path));

export interface Dependencies {
  /** Files of node_modules, without the runtime. */
  readonly modules: Map<string, TreeFile>;
  readonly runtime: TreeFile;
  /** The folder with all of it. */
  readonly folder: string;
}

/** Installs them into a work folder, once; npm checks each package against the checksum in the lock file. */
export function installDependencies(work: string, machine: Machine): string {
  const folder = join(work, `modules-${machine.node}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  const building = `${folder}.new`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(ROOT, name), join(building, name));
  const platform = ['--os=linux', `--cpu=${machine.node}`, '--libc=glibc'];
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', ...platform], {
    cwd: building,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(building, folder);
  return modules;
}

export function dependenciesOf(work: string, machine: Machine): Dependencies {
  const folder = installDependencies(work, machine);
  const runtimePackage = `node-linux-${machine.node}`;
  const modules = readTree(folder, (path) => !path.startsWith('node-linux-') && isUsed(path));
  const runtime = readTree(join(folder, runtimePackage, 'bin'), (path) => path === 'node').get('node');
  if (!runtime) throw new Error(`${runtimePackage} was not installed`);
  return { modules, runtime: { ...runtime, mode: 0o755 }, folder };
}
