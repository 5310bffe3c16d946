// The steps of a sign-in in a browser: the password, and a second factor if one is set up. Rules, limits and events are the same as
// for other logins.

import { createHash } from 'node:crypto';
import { Fault } from '../../../platform/faults/index.ts';
import { DEFAULT_DOMAIN } from '../../access/context/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { PasskeyUse } from '../../directory/passkeys/index.ts';
import type { Guesser } from '../../directory/passwords/index.ts';
import type { Devices, Factor } from '../../directory/two-factor/index.ts';
import { unknownUserKey } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { PartialLogin, Scopes } from '../../login/tokens/index.ts';
import type { EnteredBy } from '../../login/wallet-sign-in/index.ts';
import { createExpiredPasswords, type ExpiredPasswordDeps } from './expired-passwords.ts';
import { createFactorSignIn, type FactorSignInDeps } from './factor-sign-in.ts';
import { createPasskeySignIn, type PasskeySignInDeps } from './passkey-sign-in.ts';
import { createWalletSignInStep, type WalletSignInStepDeps } from './wallet-sign-in.ts';

export type { LoginAttempt } from '../../directory/logins/index.ts';

/** The cookie of a remembered device. */
export interface DeviceCookie {
  readonly deviceId: string;
  readonly deviceToken: string;
}

export interface BrowserSignInResult extends PartialLogin {
  readonly complete: boolean;
  /** Set for a remembered device: it gets a new token with every use. */
  readonly device?: DeviceCookie | undefined;
  /** The passkey that was used. */
  readonly passkey?: Pick<PasskeyUse, 'passkeyId' | 'isSynced'> | undefined;
  /** The credential of ours that was shown. */
  readonly credential?: EnteredBy | undefined;
}

/** One cookie for each user of a shared browser. The name does not reveal the user. */
export const deviceCookieName = (userId: string): string =>
  `gatehouse_device_${createHash('sha256').update(userId).digest('hex').slice(0, 12)}`;

export interface SignInDeps extends PasskeySignInDeps, FactorSignInDeps, WalletSignInStepDeps {
  readonly factor: Factor;
  readonly devices: Devices;
  readonly scopes: Scopes;
  readonly credentials: ExpiredPasswordDeps['credentials'];
}

export function createSignIn(deps: SignInDeps) {
  const { auth, factor, devices, users, scopes } = deps;
  const { isCredentialGood, ...byWallet } = createWalletSignInStep(deps);
  const anonymous = (attempt: LoginAttempt): Guesser & LoginAttempt => ({ ...attempt, userId: null });
  const guesserOf = ({ userId, epoch }: PartialLogin, attempt: LoginAttempt): Guesser => ({ ...attempt, userId, epoch });

  /** The domain by name or id; the default domain when empty. */
  const domainOf = async (typed: string): Promise<string> =>
    typed === '' ? DEFAULT_DOMAIN : ((await scopes.domainId({ name: typed })) ?? typed);

  /**
   * Finds a user by name. Without a domain, the default domain comes first, then a unique name in any domain. Guesses for a user of
   * another domain are then counted as for an unknown name of the default domain: otherwise the limits would reveal that the user
   * exists.
   */
  async function findUser(
    name: string,
    domain: string,
  ): Promise<{ user: { readonly id: string } | undefined; countedAs?: string }> {
    if (domain !== '') return { user: await users.findByName(await domainOf(domain), name) };
    // Always runs both queries, so the time does not reveal the result.
    const [user, found] = await Promise.all([users.findByName(DEFAULT_DOMAIN, name), users.findInAllDomains(name)]);
    if (user) return { user };
    return { user: found.length === 1 ? found[0] : undefined, countedAs: unknownUserKey(DEFAULT_DOMAIN, name) };
  }

  /** Guesses from a remembered device are counted for the device: guesses of others do not slow them down. */
  async function fromDevice(
    user: { readonly id: string } | undefined,
    attempt: LoginAttempt,
    deviceOf: (userId: string) => DeviceCookie | undefined,
  ): Promise<LoginAttempt> {
    const cookie = user && deviceOf(user.id);
    return cookie && (await devices.isRemembered(user.id, cookie)) ? { ...attempt, device: cookie.deviceId } : attempt;
  }

  /** A remembered device replaces the code. Its token is renewed. */
  async function byDevice(
    step: PartialLogin,
    cookie: DeviceCookie | undefined,
    attempt: LoginAttempt,
  ): Promise<BrowserSignInResult> {
    const user = cookie && (await users.find(step.userId));
    if (!cookie || !user) return { ...step, complete: false };
    const by = guesserOf(step, attempt);
    if ((await devices.check(by, step.userId, cookie)) !== 'good') return { ...step, complete: false };
    const device = await devices.renew(by, step.userId, cookie);
    return {
      ...step,
      methods: [...step.methods, 'totp'],
      complete: await auth.completeSignIn(user, step, attempt, 'device'),
      device,
    };
  }

  return {
    ...createPasskeySignIn(deps),
    ...createFactorSignIn(deps),
    nextSteps: deps.nextSteps,
    ...byWallet,
    ...createExpiredPasswords({ ...deps, findUser, domainOf }),
    findUser,

    async password(
      login: { readonly name: string; readonly domain: string; readonly password: string },
      attempt: LoginAttempt,
      deviceOf: (userId: string) => DeviceCookie | undefined,
    ): Promise<BrowserSignInResult> {
      const { user: found, countedAs } = await findUser(login.name, login.domain);
      // An unknown name takes the same path, and the same time.
      const isNamed = login.domain !== '' || !found;
      const who = isNamed ? { name: login.name, domain: { id: await domainOf(login.domain) } } : { id: found.id };
      const identity = { methods: ['password'], password: { user: { ...who, password: login.password } } };
      const from = { ...(await fromDevice(found, attempt, deviceOf)), countedAs, ofAnyDomain: login.domain === '' };
      const { user, methods, generation, complete } = await auth.signIn(identity, from);
      const step = { userId: user.id, methods, epoch: user.epoch, generation };
      return complete ? { ...step, complete } : byDevice(step, deviceOf(user.id), attempt);
    },

    /** A person whom another provider vouched for. */
    async byProvider(userId: string, attempt: LoginAttempt): Promise<BrowserSignInResult> {
      const find = async () => users.find(userId);
      const { user, methods, generation, complete } = await auth.signInWith('mapped', find, attempt);
      return { userId: user.id, methods, epoch: user.epoch, generation, complete };
    },

    async code(partialLogin: PartialLogin, passcode: string, attempt: LoginAttempt): Promise<BrowserSignInResult> {
      const identity = { methods: ['totp'], totp: { user: { id: partialLogin.userId, passcode } } };
      const { methods, complete } = await auth.signIn(identity, attempt, partialLogin);
      return { ...partialLogin, methods, complete };
    },

    async recoveryCode(partialLogin: PartialLogin, code: string, attempt: LoginAttempt): Promise<BrowserSignInResult> {
      const { userId, methods } = partialLogin;
      const user = await users.find(userId);
      await auth.recordLogin(attempt, ['recovery_code'], async ({ subject }) => {
        if (user && subject) subject.userId = userId;
        if (!user || !(await factor.acceptRecoveryCode(anonymous(attempt), userId, code)))
          fail('auth.required', undefined, { reason: 'recovery code wrong' });
      });
      const complete = user !== undefined && (await auth.completeSignIn(user, partialLogin, attempt, 'recovery_code'));
      return { ...partialLogin, methods: [...methods, 'totp'], complete };
    },

    /** Whether the result of an earlier step is still valid. */
    async isStillValid(partialLogin: PartialLogin & Pick<BrowserSignInResult, 'credential'>): Promise<boolean> {
      const { userId, credential } = partialLogin;
      if (credential && !(await isCredentialGood(userId, credential))) return false;
      const user = await users.find(userId);
      try {
        return user !== undefined && (await auth.isStillValid(user, partialLogin));
      } catch (error) {
        if (error instanceof Fault && error.code === 'auth.required') return false;
        throw error;
      }
    },

    remember: (partialLogin: PartialLogin, userAgent: string, attempt: LoginAttempt): Promise<DeviceCookie> =>
      devices.remember(guesserOf(partialLogin, attempt), partialLogin.userId, userAgent),
  };
}

export type SignIn = ReturnType<typeof createSignIn>;
