// start, identity, wallet, migrate: the services and their databases.
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
  // Before the databases, as every start does: none is ever without its key.
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
    more: 'The first start makes the data folder, the master key and the administrator. Stop it with Ctrl-C or SIGTERM.',
    run: () => runServices(settings()),
  },
  {
    words: 'identity',
    about: 'run the identity service alone',
    run() {
      const { shared, identity } = settings();
      return runServices({ shared, identity });
    },
  },
  {
    words: 'wallet',
    about: 'run the wallet node alone, with an OpenID provider of your own',
    more: 'GATEHOUSE_WALLET_OIDC_ISSUER and GATEHOUSE_WALLET_OIDC_CLIENT_ID name it.',
    run() {
      const { shared, wallet } = settings();
      return runServices({ shared, wallet });
    },
  },
  { words: 'migrate', about: 'bring the databases to this version, and end', run: migrate },
];
