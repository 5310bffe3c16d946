// Runs Keyrock's client library on Python 3 against a fresh service. The folder of its source is an argument.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needCommand, stop } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { startService } from '../support/service.ts';

const EXERCISE = fileURLToPath(new URL('./exercise.py', import.meta.url));
/** The packages the library imports, in current versions. */
const PACKAGES =
  'pbr iso8601 netaddr oslo.config oslo.i18n oslo.serialization oslo.utils prettytable requests six stevedore'.split(' ');

const { databaseUrl, keep, operands } = options('LIBRARY_FOLDER');
const library = resolve(operands[0]!);
if (!existsSync(join(library, 'keystoneclient/v3/contrib/fiware_roles')))
  stop(`${library} is not the source of the library: it has no keystoneclient/v3/contrib/fiware_roles`);
needCommand('python3', 'python3-venv');

const service = await startService({ databaseUrl, keep });
const python = join(service.folder, 'python/bin/python');
const run = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'inherit' }).status === 0;
const isReady =
  run('python3', '-m', 'venv', join(service.folder, 'python')) && run(python, '-m', 'pip', 'install', '--quiet', ...PACKAGES);
const isGood = isReady && run(python, EXERCISE, library, service.url, service.adminPassword);
await service.stop();
process.exit(isReady ? (isGood ? 0 : 1) : 2);
