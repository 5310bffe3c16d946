// The method `password`. The second factor may come with it: a code, a remembered device, or a recovery code.
import { fail } from '../faults.ts';
import { reasonOf, refused } from '../logins/index.ts';
import type { PasswordOptions } from '../passwords/index.ts';
import { parsed } from '../resource/index.ts';
import { meantUser } from './meant-user.ts';
import { given, type Prover, tell } from './method.ts';
import { codeIsGood } from './totp.method.ts';

export const proveByPassword: Prover = async (deps, identity, attempt) => {
  const { passwords, users, factor, devices } = deps;
  const sent = given('password', identity.password).user;
  const { user: meant, key } = await meantUser(deps, sent, 'password');
  tell(attempt, meant);
  const { verification_code: code, device_data: device, recovery_code: recovery } = sent;
  const pair = device && { deviceId: device.device_id, deviceToken: device.device_token };
  const known = meant && pair && (await devices.knows(meant.id, pair)) ? pair.deviceId : attempt.device;
  const by = { ...attempt, userId: null, device: known };
  const options = parsed<PasswordOptions & Record<string, unknown>>(meant?.options ?? '{}');
  const { countedAs } = attempt;
  const whose = meant ? { id: meant.id, options, open: await users.isOpen(meant), countedAs } : { unknown: key };
  const check = await passwords.check(sent.password, whose, by);
  if (check === 'expired') fail('auth.password_expired', { id: meant!.id });
  if (check !== 'good' || !meant) throw refused(reasonOf(check));
  if (code !== undefined && !(await codeIsGood(deps, by, meant.id, code))) throw refused('verification code wrong');
  if (pair && (await devices.check(by, meant.id, pair)) !== 'good') throw refused('device unknown or stolen');
  if (recovery !== undefined && !(await factor.proveRecoveryCode(by, meant.id, recovery))) throw refused('recovery code wrong');
  return {
    user: meant,
    methods: code === undefined ? ['password'] : ['password', 'totp'],
    second: code !== undefined || device !== undefined || recovery !== undefined,
  };
};
