// admin-password, master-key, token-key, keys, consumer: secrets of the service, made anew.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addMasterKey, createSealOrFail, masterKeys, openDataFolder, storeMasterKeys } from '../data-folder.ts';
import { removeFirstPassword } from '../first-password.ts';
import { serviceActor } from '../identity/audit/index.ts';
import { ConfigError } from '../platform/config/index.ts';
import { lockFolder } from '../platform/database/index.ts';
import { newMasterKey } from '../platform/seal/index.ts';
import type { RunOptions } from '../run.ts';
import type { Resealed } from '../wallet/service.ts';
import type { Command } from './command.ts';
import { print, settings, withService } from './support.ts';

/** Where there is a wallet. */
async function resealWalletOf({ shared, wallet }: Required<RunOptions>, folder: string): Promise<Resealed> {
  if (!wallet.databaseUrl && !existsSync(join(folder, 'wallet.sqlite'))) return { count: 0, damaged: [] };
  const keys = masterKeys(shared, folder, wallet.databaseUrl !== undefined);
  const { resealWallet } = await import('../wallet/service.ts');
  return resealWallet({ config: wallet, dataDir: folder, seal: createSealOrFail(keys) });
}

/** Some are named; whoever wants to know the others purges these first. */
const MAX_LISTED = 20;

/** Nothing is lost for good by a rotation: the former key stays for as long as there is something it might open once it is mended. */
const damagedRowsMessage = (damaged: readonly string[], stays: string): string =>
  `${damaged.length} rows of the wallet cannot be opened and stay as they are: ${damaged.slice(0, MAX_LISTED).join(', ')}${damaged.length > MAX_LISTED ? ', ...' : ''}\n` +
  `${stays} until they are purged and this is run again`;

async function rotateMasterKey(): Promise<void> {
  const options = settings();
  const { shared } = options;
  if (shared.masterKey) {
    if (!shared.oldMasterKeys) {
      throw new ConfigError(
        'GATEHOUSE_OLD_MASTER_KEYS: give the former key there and the new one as GATEHOUSE_MASTER_KEY to every replica, then run this again',
      );
    }
    return withService(options, async (service, folder) => {
      const own = await service.reseal();
      const { count, damaged } = await resealWalletOf(options, folder);
      const done = `${own + count} secrets sealed under the new master key`;
      if (damaged.length === 0) return `${done}; GATEHOUSE_OLD_MASTER_KEYS can go`;
      return `${done}\n${damagedRowsMessage(damaged, 'keep GATEHOUSE_OLD_MASTER_KEYS')}`;
    });
  }
  const folder = openDataFolder(shared.dataDir);
  const lock = lockFolder(folder);
  const [current] = addMasterKey(folder, masterKeys(shared, folder, options.identity.databaseUrl !== undefined));
  lock.release();
  await withService(options, async (service) => {
    const own = await service.reseal();
    const { count, damaged } = await resealWalletOf(options, folder);
    const done = `a new master key is in force; ${own + count} secrets sealed under it`;
    if (damaged.length > 0) return `${done}\n${damagedRowsMessage(damaged, 'the former key stays in master.key')}`;
    storeMasterKeys(folder, [current!]);
    return done;
  });
}

/** One that was given is not shown again. */
async function resetAdminPassword(): Promise<void> {
  const options = settings();
  const { adminPassword: given } = options.identity;
  await withService(options, async (service, folder) => {
    const password = await service.resetAdminPassword(given);
    removeFirstPassword(folder);
    return given === undefined ? password : 'the password of admin is that of GATEHOUSE_ADMIN_PASSWORD now';
  });
}

export const secretCommands: readonly Command[] = [
  {
    words: 'admin-password',
    about: 'set the password of the built-in administrator: that of GATEHOUSE_ADMIN_PASSWORD, or a new one, printed',
    more: 'What the former password opened ends: tokens, sessions, sign-ins under way.',
    whileRunning: 'whoever is signed in as admin can change it on the page /account of the running service',
    run: resetAdminPassword,
  },
  { words: 'master-key new', about: 'print a new master key', run: () => print(newMasterKey()) },
  {
    words: 'master-key rotate',
    about: 'put a new master key in force and seal everything anew',
    more: 'With GATEHOUSE_MASTER_KEY: give the former key as GATEHOUSE_OLD_MASTER_KEYS, and the new one to every replica, first.',
    run: rotateMasterKey,
  },
  {
    words: 'token-key rotate',
    about: 'replace the key that seals tokens; tokens stay valid',
    run: () =>
      withService(settings(), async (service) => {
        await service.tokenKeys.rotate({ force: true });
        return 'a new token key was made; it is used in a minute, when every replica knows it';
      }),
  },
  {
    words: 'keys rotate',
    about: 'announce new keys for the OpenID provider; they sign in an hour',
    run: () =>
      withService(settings(), async (service) => {
        await service.openidKeys.rotate();
        return 'new keys were made; they are published now and sign in an hour, when clients know them';
      }),
  },
  {
    words: 'consumer rotate-secret',
    about: 'give an application a new secret, and print it',
    args: [{ name: 'ID', about: 'the id of the application' }],
    whileRunning: 'ask the running service: POST /v3/OS-OAUTH2/consumers/ID/secret',
    run: ({ args: [id] }) =>
      withService(settings(), async (service) => (await service.consumers.rotateSecretOf(serviceActor, id!)).plainSecret),
  },
];
