// Users: reading, creating, changing and deleting them.

import type { Query } from '../../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { type Access, type AuthMethod, authContextKey, type DirectoryGuard } from '../../access/context/index.ts';
import {
  type Caller,
  type Facts,
  type FreshLogin,
  type IdentityTarget,
  type RankGuard,
  targetOf,
  visibleDomain,
} from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, single } from '../../ground/resource/index.ts';
import type { LoginEvents } from '../logins/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { createPasswordCheck } from './check-password.rules.ts';
import { createClosing } from './closing.rules.ts';
import { confirmEmail, usersByMainEmail } from './confirmed-email.ts';
import { createUserCreation } from './create.rules.ts';
import { createManyUsers } from './create-many.rules.ts';
import { createPasswordExpiry } from './expire-password.rules.ts';
import { createImportedPeople } from './imported.rules.ts';
import { createMarkActive } from './mark-active.rules.ts';
import { createUserNames } from './names.rules.ts';
import { createOwnEmails } from './own-email.rules.ts';
import { createOwnPasswords } from './own-password.rules.ts';
import { createOwnProfiles } from './own-profile.rules.ts';
import { createReferenceChecks } from './references.ts';
import { createUserRevision } from './revise.rules.ts';
import type { UserChanges } from './revision.ts';
import { createTokenRevocation } from './revoke-tokens.rules.ts';
import { createUserCache } from './user-cache.ts';
import { pageOfUsers } from './users.lists.ts';
import {
  accountsAtProviders,
  findUser,
  findUserByName,
  findUsers,
  findUsersByName,
  type LockCriterion,
  lockUser,
  mayBeFromProvider,
  setDefaultProject,
  type UserWithExpiry,
} from './users.store.ts';
import { fillMissingWords } from './words.store.ts';

/** In one transaction of the background work. With more, requests would have to wait. */
const WORDS_BATCH = 100;

export const userFacts = ({ id, domain_id }: UserRow): Facts => ({ domainId: domain_id, userId: id });

const targetOfUser = (id: string, user: UserWithExpiry | undefined): IdentityTarget<UserWithExpiry> =>
  targetOf(user, userFacts, () => fail('user.not_found', { id }));

/**
 * `revokeAccess`: ends sessions, devices and links of a user, in the transaction that revokes the tokens; `endSessions`: sessions only.
 * `onEmailChanged`, `onPasswordChanged`, `onDisabled` and `onEnabled` are called in the transaction of the change.
 */
export function createUsers(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'change'> & {
    readonly passwords: Passwords;
    readonly access: Access;
    revokeAccess(change: Change, userId: string): Promise<void>;
    endSessions(change: Change, userId: string): Promise<void>;
    onEmailChanged(change: Change, userId: string): Promise<void>;
    onPasswordChanged(change: Change, user: UserRow): Promise<void>;
    onDisabled(change: Change, userId: string): Promise<void>;
    onEnabled(change: Change, userId: string): Promise<void>;
    refuseIfOutranked: RankGuard;
    freshLogin: FreshLogin;
    logins: LoginEvents;
    directory: DirectoryGuard;
    hasPasskey(reader: Reader, userId: string): Promise<boolean>;
    hasFactor(reader: Reader, userId: string): Promise<boolean>;
    missingNow(reader: Reader, userId: string, methods: readonly AuthMethod[]): Promise<readonly string[] | undefined>;
  },
) {
  const { db, change, access, refuseIfOutranked, directory } = deps;
  const closing = createClosing(deps);
  const cachedUser = createUserCache(db);
  const names = createUserNames(db);
  const checks = createReferenceChecks(db);

  /** Enabled, not disabled for inactivity, and in an enabled domain. */
  async function isActive({ id, epoch }: UserRow): Promise<boolean> {
    const scope = { kind: 'unscoped' } as const;
    return access.cached(authContextKey(id, scope))?.userEpoch === epoch || (await access.read(id, scope)) !== undefined;
  }

  const { insert, create } = createUserCreation({ ...deps, names, checks });
  const revise = createUserRevision({ ...deps, names, checks });
  const { checkPassword, confirmPassword } = createPasswordCheck({ ...deps, isActive });
  const { changePassword, replacePassword, storeNewPassword, besideExpired } = createOwnPasswords({ ...deps, confirmPassword });

  /** `before` gets the locked row. It throws if the row is not as the caller expects, and does what goes with the removal. */
  async function remove(
    caller: Caller,
    user: UserRow,
    before?: (user: UserRow, transaction: Change) => Promise<void> | void,
  ): Promise<void> {
    const { id } = user;
    await refuseIfOutranked(db.read, caller, 'identity:delete_user', { userId: id });
    await directory.forbidDeletion('user', id);
    await change(caller, async (transaction) => {
      await before?.((await lockUser(db, transaction.tx, id)) ?? fail('user.not_found', { id }), transaction);
      await refuseIfOutranked(transaction.tx, caller, 'identity:delete_user', { userId: id });
      await directory.forbidDeletion('user', id, transaction.tx);
      await closing.erase(transaction, user);
    });
  }

  return {
    /** For reading, from the cache. */
    cachedTarget: (id: string): MaybePromise<IdentityTarget<UserWithExpiry>> =>
      andThen(cachedUser(id), (user) => targetOfUser(id, user)),
    /** For changes, read from the database. */
    target: async (id: string): Promise<IdentityTarget<UserWithExpiry>> => targetOfUser(id, await findUser(db.read, id)),
    async list(caller: Caller, query: Query, locked?: LockCriterion) {
      await directory.refresh(visibleDomain(caller) ?? single(query, 'domain_id'), { userName: single(query, 'name') });
      return pageOfUsers(db, caller, query, { locked });
    },
    create,
    createMany: createManyUsers({ ...deps, names, checks }),
    insert,
    imported: createImportedPeople({ ...deps, names, closing }),
    update: (caller: Caller, user: UserWithExpiry, body: UserChanges): Promise<UserWithExpiry> =>
      revise(caller, user, () => ({ body })),
    revise,
    remove,
    /** Parts of a change: disables, enables or deletes a user whose row the caller has locked. */
    ...closing,
    changePassword,
    replacePassword,
    storeNewPassword,
    besideExpired,
    changeEmail: createOwnEmails({ ...deps, names }),
    changeProfile: createOwnProfiles(deps),
    checkPassword,
    confirmPassword,
    expirePassword: createPasswordExpiry(deps),
    revokeTokens: createTokenRevocation(deps),
    /** Whether the user, with name, password and address, is in a directory (LDAP), where alone they can be changed. */
    isInDirectory: (id: string, reader?: Reader): Promise<boolean> => directory.isInDirectory(id, reader),
    /**
     * For somebody who signs in without a password: asks the directory they come from. Undefined when they are not in it any more, or
     * disabled there. Users who are in no directory stay as they are.
     */
    async refreshFromDirectory(user: UserWithExpiry): Promise<UserWithExpiry | undefined> {
      if (!(await directory.isInDirectory(user.id))) return user;
      return (await directory.hasEntry(user.id)) ? findUser(db.read, user.id) : undefined;
    },
    /** At each use of a session: see `DirectoryGuard`. */
    hasLeft: (id: string): Promise<boolean> => directory.hasLeft(id),
    isActive,
    markActive: createMarkActive(deps),
    confirmEmail: (transaction: Change, id: string, address: string) => confirmEmail(transaction, deps.clock, id, address),
    find: (id: string) => findUser(db.read, id),
    /** Those of these ids that exist, in no particular order. */
    findAll: (ids: readonly string[]): Promise<UserRow[]> => findUsers(db.read, ids),
    /** Until the end of the transaction, nobody else changes the row. */
    lock: (tx: Tx, id: string) => lockUser(db, tx, id),
    mayBeFromProvider,
    /** Part of creating the user. */
    setDefaultProject: ({ tx }: Change, id: string, projectId: string) => setDefaultProject(tx, id, projectId),
    accountsAtProviders: (id: string) => accountsAtProviders(db.read, id),
    fillNameForms: names.fillMissing,
    /** Some users who cannot be found by their words yet; returns how many they were. */
    fillWords: () => fillMissingWords(db, WORDS_BATCH),
    /** Users with this name in all domains. */
    findInAllDomains: (name: string, reader: Reader = db.read) => findUsersByName(reader, name),
    findByName: (domainId: string, name: string) => findUserByName(db.read, domainId, name),
    /** Users whose main e-mail address this is, whether they have proved it or not: of one domain, or of all. */
    findByEmail: (domainId: string | undefined, address: string): Promise<UserRow[]> =>
      usersByMainEmail(db.read, domainId, address),
  };
}

export type Users = ReturnType<typeof createUsers>;
