// Registration: a user is created disabled, with two organizations, and activated by a key. Nothing is sent to the user; the calling
// program does that.
import { seconds } from '../../../platform/clock.ts';
import type { Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { AttemptOrigin, Gate } from '../../../platform/limits/index.ts';
import { findProject } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import { insertOwnedProject, OWNER } from '../../directory/grants/index.ts';
import type { Projects } from '../../directory/projects/index.ts';
import { findRoleByName } from '../../directory/roles/index.ts';
import { findUser, isOwnName, type Users, type UserWithExpiry } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { checkRequired, fieldUsesOf } from './fields.ts';
import { NAMES, type RegistrationKeys } from './keys.rules.ts';
import type { RegisterUser } from './registration.schema.ts';
import { findRegistration, insertRegistration, type KeyPurpose } from './registration.store.ts';
import type { Waiting } from './waiting.rules.ts';

type NewUser = Static<typeof RegisterUser>['user'];

const CLOUD = ' cloud';
/** Keystone's limit for names of projects is 64. */
const MAX_USERNAME = 64 - CLOUD.length;

function usernameOf({ username, name }: NewUser): string {
  const text = (username ?? name).trim();
  if ([...text].length > MAX_USERNAME) {
    const why = `organizations are named after it, so it must have ${MAX_USERNAME} characters at most`;
    fail('request.bad_value', { field: 'username', why });
  }
  return text;
}

/** Enabling a user, in whichever way, sets the time of activity. Someone who was disabled after that must not come back by a key. */
const wasActive = ({ last_active_at }: UserRow): boolean => last_active_at !== null;

export function createRegistration({
  db,
  clock,
  change,
  users,
  projects,
  gate,
  keys,
  domainSettings,
  waiting,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly users: Users;
  readonly projects: Projects;
  readonly gate: Gate;
  readonly keys: RegistrationKeys;
  readonly domainSettings: Pick<DomainSettingsOf, 'ofDomain'>;
  readonly waiting: Pick<Waiting, 'isAsked' | 'begin'>;
}) {
  /**
   * Checked before the transaction, too: a wrong key must not cost a password hash. The right key is accepted even after many wrong ones:
   * all people come from the address of the portal, and a key is too long to be guessed.
   */
  async function checkKey(origin: AttemptOrigin, { id }: UserRow, purpose: KeyPurpose, key: string): Promise<void> {
    const [account, kind] = [`registration ${id}`, NAMES[purpose]];
    const found = await keys.look(id, purpose, key);
    if (found !== 'valid') gate.checkSecret(origin, account);
    if (found === 'unknown') {
      gate.wrongSecret(origin, account);
      fail('registration.key_not_found', { kind, id });
    }
    if (found === 'ended') fail('registration.key_ended', { kind });
  }

  async function checkFields(reader: Reader, domainId: string, body: NewUser): Promise<void> {
    const domain = (await findProject(reader, domainId)) ?? fail('domain.not_found', { id: domainId });
    checkRequired(fieldUsesOf(domainSettings.ofDomain(domain)), body);
  }

  async function register(
    caller: Caller,
    domainId: string,
    body: NewUser,
  ): Promise<{ user: UserWithExpiry; activationKey: string }> {
    const username = usernameOf(body);
    // The activation key is mailed to the address, or to the name if there is none.
    if (typeof body.email === 'string' && !isOwnName(body.name, [body.email])) fail('user.name_is_address');
    const parent = await projects.checkPosition({ domainId, parent: undefined }, { name: username });
    await checkFields(db.read, domainId, body);
    const [projectId, cloudProjectId] = [newId(), newId()];
    const { activation_key: _key, ...rest } = body;
    const newUser = { ...rest, username, enabled: false, default_project_id: projectId, cloud_project_id: cloudProjectId };
    const organizations = [
      { id: projectId, body: { name: username, enabled: false, ...{ is_default: true } } },
      { id: cloudProjectId, body: { name: `${username}${CLOUD}`, enabled: false, ...{ is_cloud_project: true } } },
    ];
    let activationKey = '';
    const inTransaction = async (transaction: Change, userId: string): Promise<void> => {
      await checkFields(transaction.tx, domainId, body);
      if (!(await findRoleByName(transaction.tx, OWNER))) fail('role.not_found', { id: OWNER });
      for (const { id, body } of organizations) await insertOwnedProject(transaction, clock, userId, body, parent, { id });
      await insertRegistration(transaction.tx, {
        user_id: userId,
        project_id: projectId,
        cloud_project_id: cloudProjectId,
        created_at: seconds(clock),
      });
      activationKey = await keys.make(transaction, userId, 'activation');
      transaction.audit('user.registered', { kind: 'user', id: userId }, { domain_id: domainId });
    };
    const user = await users.create(caller, domainId, newUser, { inTransaction });
    return { user, activationKey };
  }

  /** The state of the user is checked with the row locked, so that it cannot change before the key is made. */
  const makeKey = (
    caller: Caller,
    id: string,
    purpose: KeyPurpose,
    check: (transaction: Change, user: UserRow) => Promise<void>,
  ): Promise<string> =>
    change(caller, async (transaction) => {
      const missing = () => fail('user.not_found', { id });
      await check(transaction, (await users.lock(transaction.tx, id)) ?? missing());
      transaction.audit(purpose === 'activation' ? 'user.activation_key_made' : 'user.reset_token_made', { kind: 'user', id });
      return failOnBrokenReference(missing, () => keys.make(transaction, id, purpose));
    });

  const newActivationKey = (caller: Caller, { id }: UserRow): Promise<string> =>
    makeKey(caller, id, 'activation', async ({ tx }, user) => {
      if (user.enabled === 1) fail('registration.active', { id });
      if (!(await findRegistration(tx, id))) fail('registration.not_found', { id });
      if (wasActive(user)) fail('registration.over', { id });
    });

  async function newResetToken(caller: Caller, user: UserWithExpiry): Promise<string> {
    const { id } = user;
    if (await users.isInDirectory(id)) fail('directory.password', { id });
    // Also inactive: in a disabled domain, or without a login for too long.
    if (!(await users.isActive(user))) fail('registration.inactive', { id });
    return makeKey(caller, id, 'reset', async (_transaction, { enabled }) => {
      if (enabled === 0) fail('registration.inactive', { id });
    });
  }

  const checkNotActive = (user: UserRow): void => {
    if (user.enabled === 1 || wasActive(user)) fail('registration.key_ended', { kind: NAMES.activation });
  };

  /** The key proves the address; the rest is for an administrator. */
  const beginWaiting = (caller: Caller, { id }: UserRow, key: string): Promise<UserWithExpiry> =>
    change(caller, async (transaction) => {
      checkNotActive((await users.lock(transaction.tx, id)) ?? fail('user.not_found', { id }));
      await keys.use(transaction, id, 'activation', key);
      await waiting.begin(transaction, id);
      return (await findUser(transaction.tx, id))!;
    });

  /** User and organizations are enabled together or not at all. */
  async function activate(caller: Caller, origin: AttemptOrigin, user: UserWithExpiry, key: string): Promise<UserWithExpiry> {
    const { id } = user;
    await checkKey(origin, user, 'activation', key);
    if (await waiting.isAsked(db.read, user.domain_id)) return beginWaiting(caller, user, key);
    return users.revise(caller, user, (row) => {
      checkNotActive(row);
      return {
        body: { enabled: true },
        beforeWrite: async (transaction) => {
          // It may be asked for since.
          if (await waiting.isAsked(transaction.tx, user.domain_id)) fail('registration.inactive', { id });
          await keys.use(transaction, id, 'activation', key);
        },
        inTransaction: async (transaction) => {
          const { project_id, cloud_project_id } =
            (await findRegistration(transaction.tx, id)) ?? fail('registration.not_found', { id });
          for (const projectId of [project_id, cloud_project_id]) await projects.enable(transaction, projectId);
          transaction.audit('user.activated', { kind: 'user', id });
        },
      };
    });
  }

  /** A password that breaks the rules does not use up the token. */
  async function resetPassword(
    caller: Caller,
    origin: AttemptOrigin,
    user: UserWithExpiry,
    { token, password }: { readonly token: string; readonly password: string },
  ): Promise<UserWithExpiry> {
    const { id } = user;
    await checkKey(origin, user, 'reset', token);
    if (!(await users.isActive(user))) fail('registration.inactive', { id });
    return users.revise(caller, user, ({ enabled }) => {
      if (enabled === 0) fail('registration.inactive', { id });
      return {
        body: { password },
        beforeWrite: (transaction) => keys.use(transaction, id, 'reset', token),
        inTransaction: async ({ audit }) => audit('user.password_reset', { kind: 'user', id }),
      };
    });
  }

  return { register, newActivationKey, activate, newResetToken, resetPassword };
}

export type Registration = ReturnType<typeof createRegistration>;
