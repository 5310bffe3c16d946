// Directories (LDAP) of all domains: logins, the rows of their users and groups, and the refusal of changes.
import type { QueueClient } from '../../platform/limits/index.ts';
import type { DirectoryGuard } from '../access/index.ts';
import type { DomainSettingsOf } from '../domain-settings/index.ts';
import type { Deps } from '../resource/index.ts';
import { findUserEntry } from './directories.store.ts';
import type { Directory } from './directory.ts';
import type { DirectoryUser } from './entries.ts';
import { createWriteGuard } from './guard.ts';
import { createGroupKeeping } from './keep-groups.rules.ts';
import { createUserKeeping, type KeepDeps } from './keep-users.rules.ts';
import { createOpened, isDirectory, mappedOf } from './opened.ts';
import { createReadings } from './readings.ts';
import { createSynchronize } from './synchronize.ts';

/** An account whose password is in a directory. */
export interface DirectoryAccount {
  /** Returns the user id when the password is right and the user enabled. Updates the user and their groups. */
  authenticate(password: string, client: QueueClient): Promise<string | undefined>;
}

interface Named {
  readonly domainId: string | undefined;
  readonly name: string | undefined;
}

export function createDirectories(deps: KeepDeps & Pick<Deps, 'config'> & { readonly domainSettings: DomainSettingsOf }) {
  const { db, log, domainSettings } = deps;
  const directories = createOpened(deps);
  const keeping = { ...createUserKeeping(deps), ...createGroupKeeping(deps) };
  const readings = createReadings({
    ...deps,
    syncSeconds: deps.config.directorySyncSeconds,
    directories,
    synchronize: createSynchronize({ ...keeping, log }),
  });

  async function keepOne({ ldap }: Directory, domainId: string, user: DirectoryUser): Promise<string | undefined> {
    return (await keeping.keepUsers({ domainId, mapped: mappedOf(ldap).users }, [user])).get(user.localId);
  }

  type Find = (directory: Directory) => Promise<DirectoryUser | undefined>;

  /** All questions to the directory come first; then the rows are written. */
  async function authenticate(domainId: string, find: Find, password: string, client: QueueClient): Promise<string | undefined> {
    const directory = await directories.of(domainId);
    if (!directory) return undefined;
    const user = await find(directory);
    const isRight = await directory.authenticate(user, password, client);
    if (!isRight || !user) return undefined;
    const groups = user.enabled ? await directory.groupsOf(user) : [];
    const id = await keepOne(directory, domainId, user);
    if (id === undefined || !user.enabled) return undefined;
    const kept = await keeping.keepGroups({ domainId, mapped: mappedOf(directory.ldap).groups }, groups);
    await keeping.keepGroupsOf(domainId, id, new Set(kept.values()));
    return id;
  }

  const guard: DirectoryGuard = {
    ...createWriteGuard(deps),
    async refresh(domainId, { userName } = {}) {
      const directory = domainId === undefined ? undefined : await directories.of(domainId);
      if (!directory || domainId === undefined) return;
      if (userName === undefined) return readings.notTooOld(domainId);
      const user = await directory.findUserByName(userName);
      if (user) await keepOne(directory, domainId, user);
    },
  };

  const accountIn = (domainId: string, find: Find): DirectoryAccount => ({
    authenticate: (password, client) => authenticate(domainId, find, password, client),
  });

  return {
    guard,

    /** Undefined for an account that is not in a directory. A user without a row is looked up by name. */
    async accountOf(user: { readonly id: string } | undefined, { domainId, name }: Named): Promise<DirectoryAccount | undefined> {
      if (!domainSettings.hasDirectories) return undefined;
      if (user) {
        const entry = await findUserEntry(db.read, user.id);
        if (!entry || !isDirectory(await domainSettings.of(entry.domain_id))) return undefined;
        return accountIn(entry.domain_id, (directory) => directory.findUser(entry.local_id));
      }
      if (domainId === undefined || name === undefined || !isDirectory(await domainSettings.of(domainId))) return undefined;
      return accountIn(domainId, (directory) => directory.findUserByName(name));
    },

    /** Fails on invalid settings, but not when a directory does not answer. */
    async start(): Promise<void> {
      for (const domainId of await directories.domains()) await directories.of(domainId);
      readings.start();
    },

    stop: (): Promise<void> => readings.stop(directories.close),
  };
}

export type Directories = ReturnType<typeof createDirectories>;
