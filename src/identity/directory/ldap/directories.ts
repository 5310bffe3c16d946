// Directories (LDAP) of all domains: logins, the rows of their users and groups, and the refusal of changes.
import { createHash } from 'node:crypto';
import type { DirectoryAccount, DirectoryGuard, DirectoryLogin } from '../../access/context/index.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { DomainSettingsModule } from '../domain-settings/index.ts';
import { authoritiesOf } from './authorities.ts';
import { createDirectoryClients, isDirectory, mappedOf } from './clients.ts';
import { createUserClosing } from './close-users.rules.ts';
import { createDepartures } from './departures.ts';
import { findUserEntry, readUsers, type UserEntryRow } from './directories.store.ts';
import type { Directory } from './directory.ts';
import type { DirectoryUser } from './entries.ts';
import { followDirectories } from './following.ts';
import { createWriteGuard } from './guard.ts';
import { identify, isEntryOf } from './identity.ts';
import { createGroupKeeping } from './keep-groups.rules.ts';
import { createMemberKeeping } from './keep-members.rules.ts';
import { createUserKeeping, type KeepDeps } from './keep-users.rules.ts';
import { createLeftOut } from './left-out.ts';
import { createDirectoryManagement } from './management.rules.ts';
import { createReadings } from './readings.ts';
import { createSynchronize } from './synchronize.ts';
import { warnOfPlainText } from './warnings.ts';

export type DirectoriesDeps = Omit<KeepDeps, 'leftOut'> &
  Pick<Deps, 'config'> & {
    readonly domainSettings: DomainSettingsModule;
    readonly freshLogin: FreshLogin;
    readonly rateLimits: boolean;
    /** Ends the tokens and sessions of all people of a domain. */
    endTokensOf(change: Change, domainId: string): Promise<void>;
  };

/** Always the same for a key. Strangers cannot tell which one: they do not know the ids of the domains. */
function choose(domainIds: readonly string[], key: string): string | undefined {
  const ids = domainIds.toSorted();
  const hash = createHash('sha256')
    .update(JSON.stringify([ids, key]))
    .digest();
  return ids[hash.readUInt32BE() % ids.length];
}

type Find = (directory: Directory) => Promise<DirectoryUser | undefined>;

export function createDirectories(deps: DirectoriesDeps) {
  const { db, log, domainSettings } = deps;
  const clients = createDirectoryClients(deps);
  const leftOut = createLeftOut(deps);
  const keepDeps = { ...deps, leftOut };
  const keeping = {
    ...createUserKeeping(keepDeps),
    ...createUserClosing(keepDeps),
    ...createGroupKeeping(keepDeps),
    ...createMemberKeeping(keepDeps),
  };
  const readings = createReadings({
    ...deps,
    rules: deps.config,
    clients,
    synchronize: createSynchronize({ ...deps, ...keeping, leftOut }),
  });

  async function keepOne({ ldap }: Directory, domainId: string, user: DirectoryUser): Promise<string | undefined> {
    return (await keeping.keepUsers({ domainId, mapped: mappedOf(ldap).users }, [user])).get(user.localId);
  }

  /** A group whose id another entry has, too, counts only if it is the one that was there before. */
  async function groupsOf(directory: Directory, domainId: string, user: DirectoryUser) {
    const { groups, ambiguous } = await directory.groupsOf(user);
    for (const { localId } of ambiguous) leftOut('group', domainId, localId, 'another entry has its id');
    return [...groups, ...(await keeping.groupsInPlace(domainId, ambiguous))];
  }

  /** Writes what the directory says of a user who logs in. All questions to the directory come first; then the rows are written. */
  async function accept(directory: Directory, domainId: string, user: DirectoryUser): Promise<string | undefined> {
    const groups = user.enabled ? await groupsOf(directory, domainId, user) : [];
    const id = await keepOne(directory, domainId, user);
    if (id === undefined || !user.enabled) return undefined;
    await keeping.noteLogin(id);
    const ids = await keeping.keepGroups({ domainId, mapped: mappedOf(directory.ldap).groups }, groups);
    await keeping.keepGroupsOf(domainId, id, new Set(ids.values()));
    return id;
  }

  async function findLogin(domainId: string, find: Find): Promise<DirectoryLogin> {
    const directory = await clients.of(domainId);
    const user = directory && (await find(directory));
    const rows = await readUsers(db.read, domainId, [user?.localId ?? '']);
    return {
      userId: user && identify(domainId, rows, user).row?.id,
      isPassword: async (password, isLocked, client) =>
        directory !== undefined && (await directory.authenticate(isLocked ? undefined : user, password, client)),
      accept: async () => (directory && user ? accept(directory, domainId, user) : undefined),
    };
  }

  const accountIn = (domainId: string, find: Find): DirectoryAccount => ({ find: () => findLogin(domainId, find) });

  /** The entry of a user, when the domain still has a directory. */
  async function entryOf(userId: string) {
    const entry = domainSettings.hasDirectories ? await findUserEntry(db.read, userId) : undefined;
    return entry && isDirectory(await domainSettings.of(entry.domain_id)) ? entry : undefined;
  }

  /** Undefined when the id is that of somebody else now. */
  async function findEntry(directory: Directory, entry: UserEntryRow): Promise<DirectoryUser | undefined> {
    const user = await directory.findUser(entry.local_id);
    return user && isEntryOf(entry, user) ? user : undefined;
  }

  followDirectories({ ...deps, clients, readings });

  const departures = createDepartures({ ...deps, clients, keepOne, closeUsers: keeping.closeUsers });

  const guard: DirectoryGuard = {
    ...createWriteGuard(deps),

    async accountOf({ userId, domainId, name }) {
      if (!domainSettings.hasDirectories) return undefined;
      const entry = userId === undefined ? undefined : await entryOf(userId);
      // By name when there is one: the row may have the name that the user had before.
      if (domainId !== undefined && name !== undefined && (entry || userId === undefined))
        return isDirectory(await domainSettings.of(domainId))
          ? accountIn(domainId, (directory) =>
              directory.findUserByName(name, entry?.gone_at === null ? entry.local_id : undefined),
            )
          : undefined;
      return entry && accountIn(entry.domain_id, (directory) => findEntry(directory, entry));
    },

    async askAboutNobody(where, password, client) {
      if (!domainSettings.hasDirectories) return;
      const isNamed = 'domainId' in where;
      const domainId = isNamed ? where.domainId : choose(await clients.domains(), where.key);
      const directory = domainId === undefined ? undefined : await clients.of(domainId);
      await directory?.askAboutNobody(isNamed ? 'name' : 'id', password, client);
    },

    async hasEntry(userId) {
      const entry = await entryOf(userId);
      if (!entry) return true;
      const asked = deps.clock.now();
      const login = await findLogin(entry.domain_id, (directory) => directory.findUser(entry.local_id));
      if ((await login.accept()) === userId) return true;
      await departures.closeIfGone(entry, asked);
      return false;
    },

    async hasLeft(userId) {
      const entry = await entryOf(userId);
      return entry !== undefined && departures.hasLeft(entry);
    },

    async refresh(domainId, { userName } = {}) {
      const directory = domainId === undefined ? undefined : await clients.of(domainId);
      if (!directory || domainId === undefined) return;
      if (userName === undefined) return readings.notTooOld(domainId);
      const user = await directory.findUserByName(userName);
      if (user) await keepOne(directory, domainId, user);
    },
  };

  return {
    guard,
    management: createDirectoryManagement({ ...deps, readings }),

    /** Fails on invalid settings, but not when a directory does not answer. */
    async start(): Promise<void> {
      for (const domainId of await clients.domains()) {
        const directory = await clients.of(domainId);
        if (directory) warnOfPlainText(log, domainId, directory.ldap);
      }
      readings.start();
    },

    lastReadings: readings.lastReadings,

    authorities: () => authoritiesOf(clients, domainSettings),

    stop: (): Promise<void> => readings.stop(clients.close),
  };
}

export type Directories = ReturnType<typeof createDirectories>;
