// admin-password, master-key, token-key, keys, issuer-key, consumer: replace secrets of the service.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addMasterKey, createSealOrFail, masterKeys, openDataFolder, storeMasterKeys } from '../data-folder.ts';
import { removeFirstPassword } from '../first-password.ts';
import { serviceActor } from '../platform/audit/index.ts';
import { ConfigError } from '../platform/config/index.ts';
import { lockFolder } from '../platform/database/index.ts';
import { newMasterKey } from '../platform/seal/index.ts';
import type { RunOptions } from '../setting-rules.ts';
import type { ResealResult } from '../wallet/service.ts';
import type { Command } from './command.ts';
import { print, settings, withService } from './support.ts';

/** Does nothing if there is no wallet database. */
async function resealWalletOf({ shared, wallet }: Required<RunOptions>, folder: string): Promise<ResealResult> {
  if (!wallet.databaseUrl && !existsSync(join(folder, 'wallet.sqlite'))) return { count: 0, damaged: [] };
  const keys = masterKeys(shared, folder, wallet.databaseUrl !== undefined);
  const { resealWallet } = await import('../wallet/service.ts');
  return resealWallet({ config: wallet, dataDir: folder, seal: createSealOrFail(keys) });
}

/** At most this many damaged rows are listed. */
const MAX_LISTED = 20;

/** A rotation loses nothing: the old key is kept as long as damaged rows might still be repaired and opened with it. */
const damagedRowsMessage = (damaged: readonly string[], advice: string): string =>
  `${damaged.length} rows of the wallet cannot be opened and stay as they are: ${damaged.slice(0, MAX_LISTED).join(', ')}${damaged.length > MAX_LISTED ? ', ...' : ''}\n` +
  `${advice} until they are purged and this is run again`;

async function rotateMasterKey(): Promise<void> {
  const options = settings();
  const { shared } = options;
  if (shared.masterKey) {
    if (!shared.oldMasterKeys) {
      throw new ConfigError(
        'GATEHOUSE_OLD_MASTER_KEYS: set it to the old key, and GATEHOUSE_MASTER_KEY to the new one, on every replica; then run this again',
      );
    }
    return withService(options, async (service, folder) => {
      const own = await service.reseal();
      const { count, damaged } = await resealWalletOf(options, folder);
      const done = `${own + count} secrets are encrypted with the new master key`;
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
    const done = `a new master key is in force; ${own + count} secrets are encrypted with it`;
    if (damaged.length > 0) return `${done}\n${damagedRowsMessage(damaged, 'the former key stays in master.key')}`;
    storeMasterKeys(folder, [current!]);
    return done;
  });
}

/** Prints the new password, unless it was given by the setting. */
async function resetAdminPassword(): Promise<void> {
  const options = settings();
  const { adminPassword: configured } = options.identity;
  await withService(options, async (service, folder) => {
    const password = await service.resetAdminPassword(configured);
    removeFirstPassword(folder);
    return configured === undefined ? password : 'the password of admin is that of GATEHOUSE_ADMIN_PASSWORD now';
  });
}

export const secretCommands: readonly Command[] = [
  {
    words: 'admin-password',
    about: 'set the password of the built-in administrator to GATEHOUSE_ADMIN_PASSWORD, or to a new one and print it',
    more: 'This ends all tokens, sessions and unfinished sign-ins of the administrator.',
    whileRunning: 'sign in as admin and change it on the page /account of the running service',
    run: resetAdminPassword,
  },
  { words: 'master-key new', about: 'print a new master key', run: () => print(newMasterKey()) },
  {
    words: 'master-key rotate',
    about: 'switch to a new master key and encrypt all secrets with it',
    more: 'With GATEHOUSE_MASTER_KEY: first set the new key there and the old one as GATEHOUSE_OLD_MASTER_KEYS, on every replica.',
    whileRunning: 'ask the running service: POST /v3/OS-SERVICE/keys/master/rotate',
    run: rotateMasterKey,
  },
  {
    words: 'token-key rotate',
    about: 'replace the key that encrypts tokens; existing tokens stay valid',
    whileRunning: 'ask the running service: POST /v3/OS-SERVICE/keys/token/rotate',
    run: () =>
      withService(settings(), async (service) => {
        await service.tokenKeys.rotate({ force: true });
        return 'created a new token key; it is used in a minute, when every replica knows it';
      }),
  },
  {
    words: 'keys rotate',
    about: 'publish new keys of the OpenID provider, which sign after an hour',
    whileRunning: 'ask the running service: POST /v3/OS-SERVICE/keys/openid/rotate',
    run: () =>
      withService(settings(), async (service) => {
        await service.openidKeys.rotate();
        return 'created new keys; they are published now and used in an hour, when clients know them';
      }),
  },
  {
    words: 'issuer-key rotate',
    about: 'publish a new key of the issuer of credentials, which signs after an hour; what was issued stays valid',
    whileRunning: 'ask the running service: POST /v3/OS-SERVICE/keys/issuer/rotate',
    run: () =>
      withService(settings(), async (service) => {
        await service.issuerKeys.rotate();
        return 'created a new key; it is published now and used in an hour, when verifiers know it';
      }),
  },
  {
    words: 'consumer rotate-secret',
    about: 'replace the secret of an application, and print the new one',
    args: [{ name: 'ID', about: 'id of the application' }],
    whileRunning: 'ask the running service: POST /v3/OS-OAUTH2/consumers/ID/secret',
    run: ({ args: [id] }) =>
      withService(settings(), async (service) => (await service.consumers.rotateSecretOf(serviceActor, id!)).plainSecret),
  },
];
