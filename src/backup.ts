// Backup and restore of the data folder. A backup is a tar of consistent copies of the databases and of the master key. It contains all
// secrets, so only its owner may read it.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createTarDecoder, createTarPacker, type TarHeader } from 'modern-tar';
import { DATABASES, KEY_FILE } from './data-folder.ts';
import { closeStatusLists } from './identity/ground/restored.store.ts';
import { ConfigError } from './platform/config/index.ts';
import { lockFolder } from './platform/database/index.ts';
import { syncFolder } from './platform/durable-file.ts';
import { noteBackup } from './platform/last-backup.ts';
import { version } from './version.ts';
import { PARTIAL_ENDING, WorkFolder } from './work-folder.ts';

const MANIFEST = 'gatehouse-backup.json';
const IDENTITY = DATABASES[0]!;

interface Manifest {
  readonly version: string;
  readonly madeAt: string;
  /** SHA-256 of each file. */
  readonly files: Readonly<Record<string, string>>;
}

const refuse = (text: string): never => {
  throw new ConfigError(text);
};

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const CHUNK = { highWaterMark: 1024 * 1024 };
/** Must not exist yet, only readable by its owner, synced to disk. */
const NEW_FILE = { flags: 'wx', mode: 0o600, flush: true };

const webStream = (stream: Readable): ReadableStream<Uint8Array> => Readable.toWeb(stream) as ReadableStream<Uint8Array>;

/** Streams the contents, so that their size does not matter. */
async function writeTar(file: string, entries: readonly { header: TarHeader; content: () => Readable }[]): Promise<void> {
  const { readable, controller } = createTarPacker();
  async function fill(): Promise<void> {
    for (const { header, content } of entries) await webStream(content()).pipeTo(controller.add(header));
    controller.finalize();
  }
  // If either side fails, the other ends, too.
  const filled = fill().catch((error: unknown) => controller.error(error));
  await pipeline(readable, createWriteStream(file, NEW_FILE)).finally(() => filled);
}

/** Makes a consistent copy of each database, while the service may continue to write. */
async function copyDatabases(folder: string, to: string): Promise<string[]> {
  const found = DATABASES.filter((name) => existsSync(join(folder, name)));
  for (const name of found) {
    const source = new DatabaseSync(join(folder, name), { readOnly: true });
    try {
      await copyDatabase(source, join(to, name));
    } finally {
      source.close();
    }
  }
  return found;
}

/** The overview of the service warns when there was no backup for long. Whoever may only read the folder makes backups without it. */
function tellService(folder: string, backup: Parameters<typeof noteBackup>[1]): void {
  try {
    noteBackup(folder, backup);
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives the finished backup its name. A file that got this name meanwhile is not overwritten. */
async function publish(partial: string, file: string): Promise<void> {
  const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
  try {
    await link(partial, file).catch(async (error: unknown) => {
      if (!NO_LINKS.includes(codeOf(error))) throw error;
      // A disk without links: the name is taken by an empty file first.
      await (await open(file, 'wx', 0o600)).close();
      await rename(partial, file);
    });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') refuse(`${file} exists already; name another file`);
    throw error;
  }
  await rm(partial, { force: true });
  syncFolder(dirname(partial));
}

export interface BackupOptions {
  /** Gets the folder of a trial restore before the backup has its name. If it throws, there is no backup. */
  readonly verify?: (restored: string) => Promise<void>;
  /** Somebody asked for it; it is none of the schedule. */
  readonly isAsked?: boolean;
}

/** Restores into a temporary folder, and checks what is there. */
async function tryRestore(file: string, folder: string, verify: (restored: string) => Promise<void>): Promise<void> {
  mkdirSync(folder, { mode: 0o700 });
  await check(folder, file, await extract(file, folder));
  await verify(folder);
}

/** Returns the names of the files in it. */
export async function backup(folder: string, file: string, { verify, isAsked = false }: BackupOptions = {}): Promise<string[]> {
  if (existsSync(file)) refuse(`${file} exists already; name another file`);
  const work = new WorkFolder(folder, 'backup');
  const partial = `${resolve(file)}.${randomBytes(6).toString('hex')}${PARTIAL_ENDING}`;
  try {
    const databases = await copyDatabases(folder, work.path);
    if (databases.length === 0) refuse(`there is no database in ${folder}`);
    const paths = new Map(databases.map((name) => [name, join(work.path, name)]));
    if (existsSync(join(folder, KEY_FILE))) paths.set(KEY_FILE, join(folder, KEY_FILE));

    const now = new Date();
    const files: Record<string, string> = {};
    for (const [name, path] of paths) files[name] = await hashOf(path);
    const manifest: Manifest = { version, madeAt: now.toISOString(), files };
    const head = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);

    const headerOf = (name: string, size: number): TarHeader => ({ name, size, mode: 0o600, mtime: now });

    work.willWrite(partial);
    await writeTar(partial, [
      { header: headerOf(MANIFEST, head.length), content: () => Readable.from([head]) },
      ...[...paths].map(([name, path]) => ({
        header: headerOf(name, statSync(path).size),
        content: () => createReadStream(path, CHUNK),
      })),
    ]);
    if (verify) await tryRestore(partial, join(work.path, 'restored'), verify);
    await publish(partial, file);
    const verified = verify ? { verifiedAt: new Date().toISOString() } : {};
    tellService(folder, { madeAt: manifest.madeAt, files: [...paths.keys()], ...verified, isAsked });
    return [...paths.keys()];
  } finally {
    work.remove();
  }
}

async function extract(file: string, to: string): Promise<Manifest> {
  const source = await open(file).catch((error: NodeJS.ErrnoException) => refuse(`cannot read ${file} (${error.code})`));
  const known = [MANIFEST, KEY_FILE, ...DATABASES];
  try {
    // Strict: checks the sums and the end of the archive.
    const entries = webStream(source.createReadStream(CHUNK)).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      const { name, type } = header;
      // Only plain files with known names: no paths and no links.
      if (!known.includes(name) || type !== 'file') refuse(`${file} holds ${JSON.stringify(name)}, which no backup has`);
      await pipeline(body, createWriteStream(join(to, name), NEW_FILE));
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    refuse(`${file} cannot be restored: ${(error as Error).message}`);
  } finally {
    await source.close();
  }
  const text = await readFile(join(to, MANIFEST), 'utf8').catch(() => refuse(`${file} is not a backup of Gatehouse`));
  return JSON.parse(text) as Manifest;
}

async function check(folder: string, file: string, { files }: Manifest): Promise<void> {
  for (const [name, hash] of Object.entries(files)) {
    const path = join(folder, name);
    if (!existsSync(path) || (await hashOf(path)) !== hash) refuse(`${file} is damaged: the checksum of ${name} is wrong`);
    if (!DATABASES.includes(name)) continue;
    const db = new DatabaseSync(path, { readOnly: true });
    const [result] = db.prepare('pragma integrity_check').all() as { integrity_check: string }[];
    db.close();
    if (result?.integrity_check !== 'ok') refuse(`${file} is damaged: ${name}: ${result?.integrity_check}`);
  }
}

/** Restores into a folder without data; nothing is ever overwritten. The whole backup is checked before any file is restored. */
export async function restore(folder: string, file: string): Promise<string[]> {
  const lock = lockFolder(folder);
  const work = new WorkFolder(folder, 'restore');
  try {
    const manifest = await extract(file, work.path);
    await check(work.path, file, manifest);
    const names = Object.keys(manifest.files);
    const there = [...DATABASES, KEY_FILE].find((name) => existsSync(join(folder, name)));
    if (there)
      refuse(`${folder} holds ${there} already; restore into an empty folder (GATEHOUSE_DATA_DIR), or move it away first`);
    if (names.includes(IDENTITY)) closeStatusLists(join(work.path, IDENTITY));
    work.install(names);
    return names;
  } finally {
    work.remove();
    lock.release();
  }
}
