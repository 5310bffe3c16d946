// start, identity, wallet, migrate: run the services and update their databases.
import { masterKeys, openDataFolder } from '../data-folder.ts';
import { openDatabase } from '../identity/service.ts';
import { lockFolder } from '../platform/database/index.ts';
import { runServices } from '../run.ts';
import type { Command } from './command.ts';
import { print, settings } from './support.ts';

async function migrate(): Promise<void> {
  const { shared, identity, wallet } = settings();
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl && wallet.databaseUrl ? undefined : lockFolder(folder);
  // Before the databases, as every start does: a database must never exist without its key.
  if (lock) masterKeys(shared, folder, false);
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
    about: 'run both services',
    more: 'The first start creates the data folder, the master key and the administrator. Stop it with Ctrl-C or SIGTERM.',
    run: () => runServices(settings()),
  },
  {
    words: 'identity',
    about: 'run only the identity service',
    run() {
      const { shared, identity } = settings();
      return runServices({ shared, identity });
    },
  },
  {
    words: 'wallet',
    about: 'run only the wallet node, with your own OpenID provider',
    more: 'Set GATEHOUSE_WALLET_OIDC_ISSUER and GATEHOUSE_WALLET_OIDC_CLIENT_ID.',
    run() {
      const { shared, wallet } = settings();
      return runServices({ shared, wallet });
    },
  },
  { words: 'migrate', about: 'update the databases to this version', run: migrate },
];
