// The `gatehouse` command.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backup, restore } from './backup.ts';
import { addMasterKey, keepMasterKeys, masterKeys, openDataFolder, sealWith } from './data-folder.ts';
import { theService } from './identity/audit/index.ts';
import { openDatabase } from './identity/service.ts';
import { identitySettings } from './identity/settings.ts';
import { qrCode } from './identity/two-factor/index.ts';
import { ConfigError, describe, load, refuseUnknownKeys } from './platform/config/index.ts';
import { FolderInUse, lockFolder } from './platform/database/index.ts';
import { Fault } from './platform/faults/index.ts';
import { createLog } from './platform/log/index.ts';
import { newMasterKey, UnknownMasterKey } from './platform/seal/index.ts';
import { createIdentity, type RunOptions, runServices } from './run.ts';
import { sharedSettings } from './settings.ts';
import { version } from './version.ts';
import { walletSettings } from './wallet/settings.ts';

const USAGE = `gatehouse ${version}

  gatehouse start               run both services
  gatehouse identity            run the identity service alone
  gatehouse wallet              run the wallet node alone, with an OpenID provider of your own
  gatehouse migrate             bring the databases to this version, and end
  gatehouse backup FILE         write the data folder into one file, also while the service runs (SQLite)
  gatehouse restore FILE        put a backup into an empty data folder
  gatehouse config              print the settings in force, secrets masked
  gatehouse openapi identity|wallet
                                print the OpenAPI document
  gatehouse admin-password      set the password of the built-in administrator: that of GATEHOUSE_ADMIN_PASSWORD, or a new one, printed
  gatehouse master-key new      print a new master key
  gatehouse master-key rotate   put a new master key in force and seal everything anew
  gatehouse token-key rotate    replace the key that seals tokens; tokens stay valid
  gatehouse keys rotate         announce new keys for the OpenID provider; they sign in an hour
  gatehouse consumer rotate-secret ID
                                give an application a new secret, and print it
  gatehouse scim token create --domain DOMAIN [--name NAME]
                                make a token for a provisioning connection of a domain (its id or name), and print it once
  gatehouse scim token list     print the connections, when each was made and last used
  gatehouse scim token revoke ID
                                end a connection at once
  gatehouse two-factor qr [--svg]
                                read an otpauth:// address from standard input and show it as a QR code

Settings: docs/config.md
`;

class UsageError extends Error {}

const out = (text: string): void => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);

function settings(): Required<RunOptions> {
  refuseUnknownKeys(process.env, sharedSettings, identitySettings, walletSettings);
  return {
    shared: load(sharedSettings, process.env),
    identity: load(identitySettings, process.env),
    wallet: load(walletSettings, process.env),
  };
}

function config(): void {
  const { shared, identity, wallet } = settings();
  out(
    [...describe(sharedSettings, shared), ...describe(identitySettings, identity), ...describe(walletSettings, wallet)].join(
      '\n',
    ),
  );
}

async function migrate(): Promise<void> {
  const { shared, identity, wallet } = settings();
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl && wallet.databaseUrl ? undefined : lockFolder(folder);
  // Before the databases, as every start does: none is ever without its key.
  if (lock) masterKeys(shared, folder, false);
  await (await openDatabase(identity, folder)).close();
  out('identity: up to date');
  const { openWalletDatabase } = await import('./wallet/service.ts');
  await (await openWalletDatabase(wallet, folder)).close();
  out('wallet: up to date');
  lock?.release();
}

/** Runs one command on the service's data, without serving. */
async function withService(
  { shared, identity }: Required<RunOptions>,
  work: (service: Awaited<ReturnType<typeof createIdentity>>, folder: string) => Promise<string>,
): Promise<void> {
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl ? undefined : lockFolder(folder);
  const service = await createIdentity(identity, { shared, folder, log: createLog('silent') });
  try {
    out(await work(service, folder));
  } finally {
    await service.stop(0);
    lock?.release();
  }
}

/** Where there is a wallet. */
async function resealWalletOf({ shared, wallet }: Required<RunOptions>, folder: string): Promise<number> {
  if (!wallet.databaseUrl && !existsSync(join(folder, 'wallet.sqlite'))) return 0;
  const keys = masterKeys(shared, folder, wallet.databaseUrl !== undefined);
  const { resealWallet } = await import('./wallet/service.ts');
  return resealWallet({ config: wallet, dataDir: folder, seal: sealWith(keys) });
}

async function rotateMasterKey(): Promise<void> {
  const options = settings();
  const { shared } = options;
  if (shared.masterKey) {
    if (!shared.oldMasterKeys) {
      throw new ConfigError(
        'GATEHOUSE_OLD_MASTER_KEYS: give the former key there and the new one as GATEHOUSE_MASTER_KEY to every replica, then run this again',
      );
    }
    return withService(
      options,
      async (service, folder) =>
        `${(await service.reseal()) + (await resealWalletOf(options, folder))} secrets sealed under the new master key; GATEHOUSE_OLD_MASTER_KEYS can go`,
    );
  }
  const folder = openDataFolder(shared.dataDir);
  const lock = lockFolder(folder);
  const [current] = addMasterKey(folder, masterKeys(shared, folder, options.identity.databaseUrl !== undefined));
  lock.release();
  await withService(options, async (service) => {
    const count = (await service.reseal()) + (await resealWalletOf(options, folder));
    keepMasterKeys(folder, [current!]);
    return `a new master key is in force; ${count} secrets sealed under it`;
  });
}

async function rotateTokenKey(): Promise<void> {
  await withService(settings(), async (service) => {
    await service.tokenKeys.rotate({ force: true });
    return 'a new token key was made; it is used in a minute, when every replica knows it';
  });
}

async function rotateOpenidKeys(): Promise<void> {
  await withService(settings(), async (service) => {
    await service.openidKeys.rotate();
    return 'new keys were made; they are published now and sign in an hour, when clients know them';
  });
}

/** One that was given is not shown again. */
async function resetAdminPassword(): Promise<void> {
  const options = settings();
  const { adminPassword: given } = options.identity;
  await withService(options, async (service) => {
    const password = await service.resetAdminPassword(given);
    return given === undefined ? password : 'the password of admin is that of GATEHOUSE_ADMIN_PASSWORD now';
  });
}

async function rotateConsumerSecret(id: string): Promise<void> {
  await withService(settings(), async (service) => (await service.consumers.rotateSecretOf(theService, id)).plainSecret);
}

async function createScimToken(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...words], options: { domain: { type: 'string' }, name: { type: 'string' } } });
  const { domain, name } = values;
  if (!domain) throw new UsageError(USAGE);
  await withService(settings(), async ({ connections }) => (await connections.create(theService, domain, name)).token);
}

async function listScimTokens(): Promise<void> {
  const time = (at: number | null): string => (at === null ? 'never' : new Date(at * 1000).toISOString());
  await withService(settings(), async ({ connections }) => {
    const rows = (await connections.list()).map((row) =>
      [row.id, row.domain_name, row.name, `made ${time(row.created_at)}`, `last used ${time(row.last_used_at)}`].join('\t'),
    );
    return rows.length > 0 ? rows.join('\n') : 'there are none';
  });
}

async function revokeScimToken(id: string): Promise<void> {
  await withService(settings(), async ({ connections }) => {
    await connections.revoke(theService, id);
    return 'revoked';
  });
}

/** From standard input: an argument would show the key to everyone who lists processes. */
function showQrCode(form: 'svg' | 'terminal'): void {
  const code = qrCode(readFileSync(0, 'utf8').trim(), form);
  if (code === undefined) throw new UsageError('gatehouse: standard input must hold one otpauth://totp/ address\n');
  out(code);
}

async function printOpenApi(service: 'identity' | 'wallet'): Promise<void> {
  const { identityOpenApi, walletOpenApi } = await import('./openapi.ts');
  out(JSON.stringify(service === 'identity' ? identityOpenApi() : walletOpenApi(), null, 2));
}

const commands: Readonly<Record<string, () => void | Promise<void>>> = {
  start: () => runServices(settings()),
  identity: () => {
    const { shared, identity } = settings();
    return runServices({ shared, identity });
  },
  wallet: () => {
    const { shared, wallet } = settings();
    return runServices({ shared, wallet });
  },
  migrate,
  config,
  'openapi identity': () => printOpenApi('identity'),
  'openapi wallet': () => printOpenApi('wallet'),
  'admin-password': resetAdminPassword,
  'master-key new': () => out(newMasterKey()),
  'master-key rotate': rotateMasterKey,
  'token-key rotate': rotateTokenKey,
  'keys rotate': rotateOpenidKeys,
  'scim token list': listScimTokens,
  'two-factor qr': () => showQrCode('terminal'),
  'two-factor qr --svg': () => showQrCode('svg'),
  help: () => out(USAGE),
  '--help': () => out(USAGE),
  '-h': () => out(USAGE),
  version: () => out(version),
  '--version': () => out(version),
};

/** PostgreSQL has tools of its own, and the data folder is not where its data is. */
function folderOfSqlite(): string {
  const { shared, identity } = settings();
  if (identity.databaseUrl)
    throw new ConfigError('backup and restore are for SQLite; with PostgreSQL use pg_dump and pg_restore');
  return openDataFolder(shared.dataDir);
}

async function runBackup(file: string): Promise<void> {
  out(`${file}: ${(await backup(folderOfSqlite(), file)).join(', ')}`);
}

async function runRestore(file: string): Promise<void> {
  out(`restored: ${(await restore(folderOfSqlite(), file)).join(', ')}`);
}

/** Commands whose last words are theirs to read. */
function withArgument(words: readonly string[]): (() => Promise<void>) | undefined {
  const [first, second, third, ...rest] = words;
  if (first === 'consumer' && second === 'rotate-secret' && third && rest.length === 0) return () => rotateConsumerSecret(third);
  if (first === 'backup' && second && !third) return () => runBackup(second);
  if (first === 'restore' && second && !third) return () => runRestore(second);
  if (first !== 'scim' || second !== 'token') return undefined;
  if (third === 'create') return () => createScimToken(rest);
  return third === 'revoke' && rest.length === 1 ? () => revokeScimToken(rest[0]!) : undefined;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const command = withArgument(words) ?? commands[words.join(' ') || 'help'];
  if (!command) throw new UsageError(USAGE);
  await command();
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof FolderInUse || error instanceof UsageError;
  if (expected) {
    process.stderr.write(`${error instanceof UsageError ? '' : 'gatehouse: '}${error.message}\n`);
    process.exit(2);
  }
  if (error instanceof UnknownMasterKey) {
    process.stderr.write(
      `gatehouse: GATEHOUSE_MASTER_KEY: a secret in the database is ${error.message}; give the key the database was made with\n`,
    );
    process.exit(2);
  }
  if (error instanceof Fault) {
    // The service runs well; what was asked for is not there, or not allowed.
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exit(1);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  process.stderr.write(`gatehouse: cannot start: ${code ? `${code}: ` : ''}${message}\n`);
  process.exit(1);
});
