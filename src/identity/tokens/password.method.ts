// The method `password`. A second factor can be sent with it: a code, a remembered device, or a recovery code.

import { addressKey } from '../../platform/limits/index.ts';
import { fail } from '../faults.ts';
import { type LoginAttempt, loginRefused, refusalReason } from '../logins/index.ts';
import type { Guesser, PasswordCheck, PasswordOptions } from '../passwords/index.ts';
import { parseJson } from '../resource/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import type { PasswordUser } from './auth.schema.ts';
import { findLoginUser, type LoginUser } from './login-user.ts';
import { type LoginMethod, type MethodDeps, requireMethodData, setSubject } from './method.ts';
import { isCodeValid } from './totp.method.ts';

interface Checked {
  readonly check: PasswordCheck;
  readonly user: UserWithExpiry | undefined;
}

/** Asks the directory the user is in; otherwise compares with the password stored here. */
async function checkPassword(
  deps: MethodDeps,
  { user: known, key, domainId }: LoginUser,
  body: PasswordUser,
  by: Guesser & LoginAttempt,
): Promise<Checked> {
  const { passwords, users, directories } = deps;
  const options = parseJson<PasswordOptions & Record<string, unknown>>(known?.options ?? '{}');
  const { countedAs } = by;
  const accountOf = (active: boolean) => (known ? { id: known.id, options, active, countedAs } : { unknown: key });
  const inDirectory = await directories.accountOf(known, { domainId, name: body.name });
  if (!inDirectory) {
    const account = accountOf(known !== undefined && (await users.isActive(known)));
    return { check: await passwords.check(body.password, account, by), user: known };
  }
  let user: UserWithExpiry | undefined;
  const isRight = async (): Promise<boolean> => {
    const id = await inDirectory.authenticate(body.password, { key: addressKey(by.address), signal: by.signal });
    user = id === undefined ? undefined : await users.find(id);
    return user !== undefined && (await users.isActive(user));
  };
  const check = await passwords.checkInDirectory({ password: body.password, account: accountOf(true), isRight }, by);
  // The user's tokens were revoked while the directory was asked.
  if (check === 'good' && known && user?.epoch !== known.epoch) throw loginRefused('the user changed during the login');
  return { check, user };
}

export const loginByPassword: LoginMethod = async (deps, identity, attempt) => {
  const { factor, devices } = deps;
  const body = requireMethodData('password', identity.password).user;
  const loginUser = await findLoginUser(deps, body, 'password');
  setSubject(attempt, loginUser.user);
  const { verification_code: code, device_data: device, recovery_code: recovery } = body;
  const pair = device && { deviceId: device.device_id, deviceToken: device.device_token };
  const isRemembered = loginUser.user && pair && (await devices.isRemembered(loginUser.user.id, pair));
  const by = { ...attempt, userId: null, device: isRemembered ? pair.deviceId : attempt.device };
  const { check, user } = await checkPassword(deps, loginUser, body, by);
  setSubject(attempt, user);
  if (check === 'expired') fail('auth.password_expired', { id: user!.id });
  if (check !== 'good' || !user) throw loginRefused(refusalReason(check));
  if (code !== undefined && !(await isCodeValid(deps, by, user.id, code))) throw loginRefused('verification code wrong');
  if (pair && (await devices.check(by, user.id, pair)) !== 'good') throw loginRefused('device unknown or stolen');
  if (recovery !== undefined && !(await factor.acceptRecoveryCode(by, user.id, recovery)))
    throw loginRefused('recovery code wrong');
  return {
    user,
    methods: code === undefined ? ['password'] : ['password', 'totp'],
    second: code !== undefined || device !== undefined || recovery !== undefined,
  };
};
