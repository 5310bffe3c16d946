// The data folder and files with secrets: who may read them, and how much room there is.
import { accessSync, constants, existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES, KEY_FILE } from '../data-folder.ts';
import { type Deployment, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const MIB = 1024 * 1024;
const FULL_BYTES = 200 * MIB;
const LOW_BYTES = 1024 * MIB;
/** Those that hold secrets. Names of files that are being written have further endings. */
const SECRET = /^(.+\.sqlite(-wal|-shm)?|master\.key|admin-password)(\..*)?$/;

const others = ({ mode }: Stats): number => mode & 0o077;
const modeText = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(3, '0');
const sizeText = (bytes: number): string =>
  bytes >= 1024 * MIB ? `${(bytes / 1024 / MIB).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;

export function checkDataFolder({ folder }: Deployment): Finding[] {
  const check = 'data-folder';
  if (!existsSync(folder))
    return [warn(check, `there is no folder ${folder}`, 'set GATEHOUSE_DATA_DIR as for the service; the first start creates it')];
  const found = statSync(folder);
  if (!found.isDirectory()) return [fail(check, `${folder} is not a folder`, 'set GATEHOUSE_DATA_DIR to a folder')];
  if (others(found)) return [fail(check, `others may enter ${folder} (${modeText(found)})`, `chmod 700 ${folder}`)];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      fail(
        check,
        `this user may not use ${folder} (${reasonOf(error)})`,
        'run this as the user of the service, who must own the folder',
      ),
    ];
  }
  return [ok(check, `${folder}, for its owner only`)];
}

export function checkSecretFiles({ folder }: Deployment): Finding[] {
  const check = 'secret-files';
  if (!existsSync(folder)) return [];
  const owner = statSync(folder).uid;
  const files = readdirSync(folder).filter((name) => SECRET.test(name));
  const readable = files.filter((name) => others(statSync(join(folder, name))));
  const foreign = files.filter((name) => statSync(join(folder, name)).uid !== owner);
  if (readable.length > 0)
    return [
      fail(check, `others may read ${readable.join(', ')}`, `chmod 600 ${readable.map((name) => join(folder, name)).join(' ')}`),
    ];
  if (foreign.length > 0)
    return [
      fail(
        check,
        `${foreign.join(', ')} belong to another user than the data folder`,
        'chown them to the user of the service; run commands as that user',
      ),
    ];
  return [ok(check, files.length === 0 ? 'there are none yet' : `${files.length} files, for their owner only`)];
}

/** Settings may be in files, which hold passwords. */
export function checkSettingsFiles({ env, shared }: Deployment): Finding[] {
  const check = 'settings-files';
  const isFileKey = (key: string): boolean =>
    /^GATEHOUSE_\w+_FILE$/.test(key) && !key.endsWith('_CERT_FILE') && !key.endsWith('_VERIFIERS_FILE');
  const files = new Map(Object.entries(env).flatMap(([key, path]) => (isFileKey(key) && path ? [[key, path] as const] : [])));
  if (shared.tlsKeyFile) files.set('GATEHOUSE_TLS_KEY_FILE', shared.tlsKeyFile);
  const open = [...files].filter(([, path]) => existsSync(path) && statSync(path).mode & 0o007);
  if (open.length > 0) {
    const [names, paths] = [open.map(([key]) => key).join(', '), open.map(([, path]) => path).join(' ')];
    return [fail(check, `everybody on this machine may read the file of ${names}`, `chmod o-rwx ${paths}`)];
  }
  return [ok(check, files.size === 0 ? 'no settings are in files' : `${files.size} files, not open to everybody`)];
}

export function checkFirstPassword({ folder }: Deployment): Finding[] {
  const check = 'first-password';
  const file = join(folder, 'admin-password');
  if (!existsSync(file)) return [ok(check, 'the file with the first password is gone')];
  return [warn(check, `${file} is still there`, 'read it, store the password safely, and remove the file')];
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** A backup and a migration need room for a second copy of the databases. */
export async function checkDisk({ folder, shared, machine }: Deployment): Promise<Finding[]> {
  const check = 'disk';
  if (!existsSync(folder)) return [];
  const needed = DATABASES.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  const places = [folder, ...(shared.backupFolder && existsSync(shared.backupFolder) ? [shared.backupFolder] : [])];
  const found = await Promise.all(places.map(async (path) => ({ path, free: await machine.freeBytes(path) })));
  const { path, free } = found.toSorted((a, b) => a.free - b.free)[0]!;
  const text = `${sizeText(free)} are free at ${path}`;
  if (free < FULL_BYTES) return [fail(check, text, 'make room at once: without it nothing can be stored')];
  if (free < Math.max(LOW_BYTES, 2 * needed))
    return [
      warn(
        check,
        `${text}; the databases take ${sizeText(needed)}`,
        'make room for a second copy of the databases, which backups and updates need',
      ),
    ];
  return [ok(check, text)];
}

export const hasMasterKeyFile = (folder: string): boolean => existsSync(join(folder, KEY_FILE));
