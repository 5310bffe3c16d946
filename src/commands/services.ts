// start, identity, wallet, migrate: run the services and update their databases.
import { masterKeys, openDataFolder } from '../data-folder.ts';
import { lockFolder } from '../platform/database/index.ts';
import type { RunOptions } from '../setting-rules.ts';
import type { Command } from './command.ts';
import { print, settings } from './support.ts';

async function start(options: RunOptions): Promise<void> {
  const { runServices } = await import('../run.ts');
  await runServices(options);
}

async function migrate(): Promise<void> {
  const { shared, identity, wallet } = settings();
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl && wallet.databaseUrl ? undefined : lockFolder(folder);
  // Before the databases, as every start does: a database must never exist without its key.
  if (lock) masterKeys(shared, folder, false);
  const { openDatabase } = await import('../identity/service.ts');
  await (await openDatabase(identity, folder)).close();
  print('identity: up to date');
  const { openWalletDatabase } = await import('../wallet/service.ts');
  await (await openWalletDatabase(wallet, folder)).close();
  print('wallet: up to date');
  lock?.release();
}

export const serviceCommands: readonly Command[] = [
  {
    words: 'start',
    isService: true,
    about: 'run both services',
    more: 'The first start creates the data folder, the master key and the administrator. Stop it with Ctrl-C or SIGTERM.',
    run: () => start(settings()),
  },
  {
    words: 'identity',
    isService: true,
    about: 'run only the identity service',
    run() {
      const { shared, identity } = settings();
      return start({ shared, identity });
    },
  },
  {
    words: 'wallet',
    isService: true,
    about: 'run only the wallet node, with your own OpenID provider',
    more: 'Set GATEHOUSE_WALLET_OIDC_ISSUER and GATEHOUSE_WALLET_OIDC_CLIENT_ID.',
    run() {
      const { shared, wallet } = settings();
      return start({ shared, wallet });
    },
  },
  { words: 'migrate', about: 'update the databases to this version', run: migrate },
];
