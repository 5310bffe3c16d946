// The files of an artefact, in memory: sorted by path, with fixed owners and times, so that the same commit gives the same bytes.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface TreeFile {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Path to file, with slashes and without a leading one. */
export type Tree = ReadonlyMap<string, TreeFile>;

export const textFile = (text: string, mode = 0o644): TreeFile => ({ bytes: Buffer.from(text), mode });

/** All files below a folder. Their modes are reduced to two: a checkout has the rights of its user's umask. */
export function readTree(folder: string, wanted: (path: string) => boolean = () => true): Map<string, TreeFile> {
  const tree = new Map<string, TreeFile>();
  const names = globSync('**', { cwd: folder, exclude: (name) => name === '.cache' });
  for (const path of names.filter(wanted).sort()) {
    const place = join(folder, path);
    const status = statSync(place);
    if (status.isFile()) tree.set(path, { bytes: readFileSync(place), mode: status.mode & 0o100 ? 0o755 : 0o644 });
  }
  return tree;
}

/** The same files below another folder. */
export function below(folder: string, tree: Tree): Map<string, TreeFile> {
  return new Map([...tree].map(([path, file]) => [`${folder}/${path}`, file]));
}

export const merge = (...trees: Tree[]): Map<string, TreeFile> => new Map(trees.flatMap((tree) => [...tree]));

/** Every folder above the files. */
export function foldersOf(tree: Tree): string[] {
  const folders = new Set<string>();
  for (const path of tree.keys()) {
    const parts = path.split('/').slice(0, -1);
    for (let count = 1; count <= parts.length; count++) folders.add(parts.slice(0, count).join('/'));
  }
  return [...folders];
}

export const sizeOf = (tree: Tree): number => [...tree.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
