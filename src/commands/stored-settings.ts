// settings, settings forget: what administrators have stored while the service ran, and the way back from it.
import { openDataFolder } from '../data-folder.ts';
import { systemClock } from '../platform/clock.ts';
import { ConfigError } from '../platform/config/index.ts';
import { lockFolder } from '../platform/database/index.ts';
import type { Command } from './command.ts';
import { print, settings, withReader } from './support.ts';

/** Without the rest of the service, which may be unable to start with what is stored. */
async function forget(key: string): Promise<void> {
  const [{ openDatabase }, { createChanges, serviceActor }, { forgetSetting, storedKeys }, { forgetDomainSetting }] =
    await Promise.all([
      import('../identity/service.ts'),
      import('../identity/ground/audit/index.ts'),
      import('../identity/ground/service-settings/index.ts'),
      import('../identity/directory/domain-settings/index.ts'),
    ]);
  const { shared, identity } = settings();
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl ? undefined : lockFolder(folder);
  const db = await openDatabase(identity, folder);
  try {
    const change = createChanges(db, systemClock);
    const isOfService = (await storedKeys(db.read)).includes(key);
    if (isOfService) await forgetSetting(change, serviceActor, key);
    else if (!(await forgetDomainSetting(db.read, change, serviceActor, key)))
      throw new ConfigError(`${key} is not stored; gatehouse settings lists what is`);
    print(`${key} is not stored any more`);
  } finally {
    await db.close();
    lock?.release();
  }
}

export const storedSettingCommands: readonly Command[] = [
  {
    words: 'settings',
    about: 'list the settings that administrators have stored while the service ran',
    run: () =>
      withReader(async (db) => {
        const [{ storedKeys }, { storedDomainKeys }] = await Promise.all([
          import('../identity/ground/service-settings/index.ts'),
          import('../identity/directory/domain-settings/index.ts'),
        ]);
        const keys = [...(await storedKeys(db)), ...(await storedDomainKeys(db))];
        print(keys.length === 0 ? 'nothing is stored' : keys.join('\n'));
      }),
  },
  {
    words: 'settings forget',
    about: 'remove a stored setting of the service or of a domain, so that its default is in force',
    more: 'For a setting with which nobody can sign in, or with which the service does not start. Setting the key in the environment has the same effect.',
    args: [{ name: 'KEY', about: 'such as GATEHOUSE_IDENTITY_PASSKEYS, or of a domain: harbour/passkeys.policy' }],
    whileRunning: 'change it in the console, or set the key in the environment and start again',
    run: ({ args: [key] }) => forget(key!),
  },
];
