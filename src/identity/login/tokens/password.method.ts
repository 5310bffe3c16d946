// The method `password`. A second factor can be sent with it: a code, a remembered device, or a recovery code.

import { loginRefused, refusalReason } from '../../directory/logins/index.ts';
import { fail } from '../../ground/faults.ts';
import { findLoginUser, type LoginMethod, setSubject } from './method.ts';
import { isCodeValid } from './totp.method.ts';

export const loginByPassword: LoginMethod<'password'> = async (deps, { user: body }, attempt) => {
  const { users, factor, devices } = deps;
  const loginUser = await findLoginUser(deps, body, 'password');
  setSubject(attempt, loginUser.user);
  const { verification_code: code, device_data: device, recovery_code: recovery } = body;
  const pair = device && { deviceId: device.device_id, deviceToken: device.device_token };
  // Also asked for an unknown user, so that both take the same time.
  const isRemembered = pair && (await devices.isRemembered(loginUser.user?.id ?? '', pair));
  const ofAnyDomain = attempt.ofAnyDomain ?? body.id !== undefined;
  const by = { ...attempt, userId: null, device: isRemembered ? pair.deviceId : attempt.device, ofAnyDomain };
  const { check, user } = await users.checkPassword({ ...loginUser, name: body.name }, body.password, by);
  setSubject(attempt, user);
  if (check === 'expired') fail('auth.password_expired', { id: user!.id });
  if (check !== 'good' || !user) throw loginRefused(refusalReason(check));
  if (code !== undefined && !(await isCodeValid(deps, by, user.id, code))) throw loginRefused('verification code wrong');
  if (pair && (await devices.check(by, user.id, pair)) !== 'good') throw loginRefused('device unknown or stolen');
  if (recovery !== undefined && !(await factor.acceptRecoveryCode(by, user.id, recovery)))
    throw loginRefused('recovery code wrong');
  const second = code !== undefined || device !== undefined || recovery !== undefined;
  // As at the pages: a remembered device or a recovery code stands for a code, also later, when the token is to change a way in.
  return { user, methods: second ? ['password', 'totp'] : ['password'] };
};
