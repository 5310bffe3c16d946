// tar.gz with owners, times and order fixed.
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { foldersOf, type Tree } from './tree.ts';

export interface TarOptions {
  /** Seconds since 1970. */
  readonly time: number;
  /** Before each path; Debian has `./`. */
  readonly prefix?: string;
  /** Modes of folders that are not 0755. */
  readonly folders?: ReadonlyMap<string, number>;
}

export async function tar(tree: Tree, { time, prefix = '', folders = new Map() }: TarOptions): Promise<Buffer> {
  const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: new Date(time * 1000) };
  const entryOf = (path: string): TarEntry => {
    const file = tree.get(path);
    return file
      ? { header: { ...owner, name: prefix + path, mode: file.mode, size: file.bytes.length }, body: file.bytes }
      : {
          header: { ...owner, name: `${prefix}${path}/`, type: 'directory', mode: folders.get(path) ?? 0o755, size: 0 },
        };
  };
  const paths = [...new Set([...foldersOf(tree), ...folders.keys(), ...tree.keys()])].sort();
  return Buffer.from(await packTar(paths.map(entryOf)));
}

const deflate = promisify(gzip);

/** Node writes neither a time nor a name into the header. */
export const gz = (bytes: Buffer): Promise<Buffer> => deflate(bytes, { level: constants.Z_BEST_COMPRESSION });
