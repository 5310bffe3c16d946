// How a person signs in at a browser: the password, and a second factor where one is set up. The same rules, limits and
// events as everywhere else; this only orders the steps.

import { createHash } from 'node:crypto';
import { Fault } from '../../../platform/faults/index.ts';
import { fail } from '../../faults.ts';
import type { LoginAttempt } from '../../logins/index.ts';
import type { Guesser } from '../../passwords/index.ts';
import type { AuthRules, PartialLogin, Scopes } from '../../tokens/index.ts';
import type { Devices, Factor } from '../../two-factor/index.ts';
import { type Users, unknownUserKey } from '../../users/index.ts';

export type { LoginAttempt } from '../../logins/index.ts';

/** A remembered device, as its cookie has it. */
export interface DeviceCookie {
  readonly deviceId: string;
  readonly deviceToken: string;
}

export interface Step extends PartialLogin {
  readonly complete: boolean;
  /** The device was known; it gets a new token with every use. */
  readonly device?: DeviceCookie | undefined;
}

/** One cookie for each user of a shared browser, by a name that does not tell who they are. */
export const deviceCookieName = (userId: string): string =>
  `gatehouse_device_${createHash('sha256').update(userId).digest('hex').slice(0, 12)}`;

export interface SignInDeps {
  readonly auth: AuthRules;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly users: Users;
  readonly scopes: Scopes;
}

const DEFAULT_DOMAIN = 'default';

export function createSignIn({ auth, factor, devices, users, scopes }: SignInDeps) {
  const stranger = (attempt: LoginAttempt): Guesser & LoginAttempt => ({ ...attempt, userId: null });
  const person = ({ userId, epoch }: PartialLogin, attempt: LoginAttempt): Guesser => ({ ...attempt, userId, epoch });

  /** By name or id, as people type it; what they leave blank is the default one. */
  const domainOf = async (typed: string): Promise<string> =>
    typed === '' ? DEFAULT_DOMAIN : ((await scopes.domainId({ name: typed })) ?? typed);

  /**
   * People type a name; which domain it is in they say only when it is not clear. Guesses at somebody of another domain are then counted
   * as those at a name nobody has in the default one: else the counts would tell that there is somebody.
   */
  async function whoIs(name: string, domain: string): Promise<{ user: { readonly id: string } | undefined; countedAs?: string }> {
    if (domain !== '') return { user: await users.findByName(await domainOf(domain), name) };
    // Both, whatever the first finds: what is asked takes as long for everybody.
    const [user, found] = await Promise.all([users.findByName(DEFAULT_DOMAIN, name), users.findInAllDomains(name)]);
    if (user) return { user };
    return { user: found.length === 1 ? found[0] : undefined, countedAs: unknownUserKey(DEFAULT_DOMAIN, name) };
  }

  /** Guesses from a device the account remembers are counted by the device, and not slowed by those of others. */
  async function fromDevice(
    user: { readonly id: string } | undefined,
    attempt: LoginAttempt,
    deviceOf: (userId: string) => DeviceCookie | undefined,
  ): Promise<LoginAttempt> {
    const cookie = user && deviceOf(user.id);
    return cookie && (await devices.isRemembered(user.id, cookie)) ? { ...attempt, device: cookie.deviceId } : attempt;
  }

  /** A device that is remembered stands in for the code, and is renewed. */
  async function byDevice(step: PartialLogin, cookie: DeviceCookie | undefined, attempt: LoginAttempt): Promise<Step> {
    const user = cookie && (await users.find(step.userId));
    if (!cookie || !user) return { ...step, complete: false };
    const by = person(step, attempt);
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
    async password(
      given: { readonly name: string; readonly domain: string; readonly password: string },
      attempt: LoginAttempt,
      deviceOf: (userId: string) => DeviceCookie | undefined,
    ): Promise<Step> {
      const { user: found, countedAs } = await whoIs(given.name, given.domain);
      // Nobody of that name: goes the same way, and takes as long.
      const who = found ? { id: found.id } : { name: given.name, domain: { id: await domainOf(given.domain) } };
      const identity = { methods: ['password'], password: { user: { ...who, password: given.password } } };
      const from = { ...(await fromDevice(found, attempt, deviceOf)), countedAs };
      const { user, methods, generation, complete } = await auth.signIn(identity, from);
      const step = { userId: user.id, methods, epoch: user.epoch, generation };
      return complete ? { ...step, complete } : byDevice(step, deviceOf(user.id), attempt);
    },

    async code(proved: PartialLogin, passcode: string, attempt: LoginAttempt): Promise<Step> {
      const identity = { methods: ['totp'], totp: { user: { id: proved.userId, passcode } } };
      const { methods, complete } = await auth.signIn(identity, attempt, proved);
      return { ...proved, methods, complete };
    },

    async recoveryCode(proved: PartialLogin, code: string, attempt: LoginAttempt): Promise<Step> {
      const { userId, methods } = proved;
      const user = await users.find(userId);
      await auth.recordLogin(attempt, ['recovery_code'], async ({ subject }) => {
        if (user && subject) subject.userId = userId;
        if (!user || !(await factor.acceptRecoveryCode(stranger(attempt), userId, code)))
          fail('auth.required', undefined, { reason: 'recovery code wrong' });
      });
      const complete = user !== undefined && (await auth.completeSignIn(user, proved, attempt, 'recovery_code'));
      return { ...proved, methods: [...methods, 'totp'], complete };
    },

    /** Whether what was proved at an earlier page still counts. */
    async stands(proved: PartialLogin): Promise<boolean> {
      const user = await users.find(proved.userId);
      try {
        return user !== undefined && (await auth.isStillValid(user, proved));
      } catch (error) {
        if (error instanceof Fault && error.code === 'auth.required') return false;
        throw error;
      }
    },

    /** For a password that has expired: the old one proves who it is, and is guessed at no faster than at a sign-in. */
    async changePassword(
      given: { readonly name: string; readonly domain: string; readonly password: string },
      fresh: string,
      attempt: LoginAttempt,
    ): Promise<void> {
      const { user, countedAs } = await whoIs(given.name, given.domain);
      // What was typed counts as an account where there is none, in the same words as at a sign-in.
      const whose = user ? { id: user.id } : { unknown: unknownUserKey(await domainOf(given.domain), given.name) };
      await users.changePassword({ ...stranger(attempt), countedAs }, whose, given.password, fresh);
    },

    remember: (proved: PartialLogin, userAgent: string, attempt: LoginAttempt): Promise<DeviceCookie> =>
      devices.remember(person(proved, attempt), proved.userId, userAgent),
  };
}

export type SignIn = ReturnType<typeof createSignIn>;
