// Sign-in of people who asked for the deletion of their account. Their account is disabled: they can keep it, and do nothing else.
import type { AuthMethod } from '../../access/context/index.ts';
import type { Credentials } from '../../delegation/credentials/index.ts';
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { PasskeyPolicy, Passkeys } from '../../directory/passkeys/index.ts';
import type { Guesser } from '../../directory/passwords/index.ts';
import type { Factor } from '../../directory/two-factor/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import { type AuthRules, isCodeValid } from '../../login/tokens/index.ts';
import type { AccountDeletion } from '../../provisioning/account-deletion/index.ts';

export interface KeepAccountLoginDeps {
  readonly accountDeletion: AccountDeletion;
  readonly auth: AuthRules;
  readonly users: Users;
  readonly factor: Factor;
  readonly credentials: Credentials;
  readonly passkeys: Passkeys;
  readonly passkeyPolicy: PasskeyPolicy;
}

/** The login of somebody who may keep their account: what they proved so far, and the state of the account at that time. */
export interface KeepAccountLogin {
  readonly userId: string;
  readonly epoch: number;
  readonly methods: readonly AuthMethod[];
  /** When the account is deleted, in seconds. */
  readonly dueAt: number;
}

const PURPOSE = 'keep the account';

export function createKeepAccountLogins(deps: KeepAccountLoginDeps) {
  const { accountDeletion, auth, users, passkeys, passkeyPolicy } = deps;
  const anonymous = (attempt: LoginAttempt): Guesser & LoginAttempt => ({ ...attempt, userId: null });

  async function find(userId: string): Promise<{ user: UserWithExpiry; dueAt: number } | undefined> {
    const pending = await accountDeletion.find(userId);
    const user = pending?.domain_enabled === 1 ? await users.find(userId) : undefined;
    return user && { user, dueAt: pending!.due_at };
  }

  /** Runs a further step, unless the account changed since the first one. */
  const further = (
    login: KeepAccountLogin,
    method: 'totp' | 'recovery_code' | 'passkey',
    attempt: LoginAttempt,
    check: (by: Guesser & LoginAttempt, user: UserWithExpiry) => Promise<boolean>,
  ): Promise<KeepAccountLogin> =>
    auth.recordLogin(attempt, [method], async (recorded) => {
      const { user } = (await find(login.userId)) ?? {};
      if (user && recorded.subject) recorded.subject.userId = user.id;
      if (user?.epoch !== login.epoch || !(await check(anonymous(recorded), user))) throw loginRefused(`${method} wrong`);
      return { ...login, methods: [...login.methods, method === 'passkey' ? method : 'totp'] };
    });

  return {
    /** Undefined for all others: then the password was not checked. */
    async password(
      found: { readonly userId: string } & Pick<LoginAttempt, 'countedAs' | 'ofAnyDomain'>,
      password: string,
      attempt: LoginAttempt,
    ): Promise<KeepAccountLogin | undefined> {
      const { user, dueAt } = (await find(found.userId)) ?? {};
      if (!user || dueAt === undefined) return undefined;
      const { countedAs, ofAnyDomain } = found;
      const by = { ...anonymous(attempt), countedAs, ofAnyDomain, purpose: PURPOSE };
      const owner = { user, key: user.id, domainId: user.domain_id, isLeaving: true };
      await users.confirmPassword(owner, password, by, ['good', 'expired']);
      return { userId: user.id, epoch: user.epoch, methods: ['password'], dueAt };
    },

    code: (login: KeepAccountLogin, code: string, attempt: LoginAttempt): Promise<KeepAccountLogin> =>
      further(login, 'totp', attempt, (by, { id }) => isCodeValid(deps, by, id, code)),

    recoveryCode: (login: KeepAccountLogin, code: string, attempt: LoginAttempt): Promise<KeepAccountLogin> =>
      further(login, 'recovery_code', attempt, (by, { id }) => deps.factor.acceptRecoveryCode(by, id, code)),

    /** After the password. */
    secondPasskey: (
      login: KeepAccountLogin,
      text: string,
      challenges: readonly string[],
      attempt: LoginAttempt,
    ): Promise<KeepAccountLogin> =>
      further(
        login,
        'passkey',
        attempt,
        async (by, user) =>
          (await passkeyPolicy.isAllowed(user)) &&
          (await passkeys.verify(text, { challenges, userId: user.id, mustVerify: false }, by)) !== undefined,
      ),

    /** Alone: it also verifies the person. Undefined for all others: then it was not checked. */
    async passkey(text: string, challenges: readonly string[], attempt: LoginAttempt): Promise<KeepAccountLogin | undefined> {
      const { user, dueAt } = (await find((await passkeys.ownerOf(text)) ?? '')) ?? {};
      if (!user || dueAt === undefined) return undefined;
      await auth.recordLogin(attempt, ['passkey'], async (recorded) => {
        const use = await passkeys.verify(text, { challenges, userId: user.id, mustVerify: true }, recorded);
        if (!use || !(await passkeyPolicy.isAllowed(user))) throw loginRefused('passkey wrong');
      });
      return { userId: user.id, epoch: user.epoch, methods: ['passkey'], dueAt };
    },

    /** After another provider vouched for the person. */
    async byProvider(userId: string): Promise<KeepAccountLogin | undefined> {
      const { user, dueAt } = (await find(userId)) ?? {};
      return user && dueAt !== undefined ? { userId, epoch: user.epoch, methods: ['mapped'], dueAt } : undefined;
    },

    /** Fails when the account was deleted or changed since. */
    keep: ({ userId, epoch }: KeepAccountLogin, { requestId }: LoginAttempt): Promise<void> =>
      accountDeletion.cancel({ userId, requestId, epoch }, userId),
  };
}

export type KeepAccountLogins = ReturnType<typeof createKeepAccountLogins>;
