// Proving who you are: every method that is named must succeed, and all of them for the same user.

import type { Gate } from '../../platform/limits/index.ts';
import type { AuthMethod, TokenRecord } from '../access/index.ts';
import type { Credentials as StoredCredentials } from '../credentials/index.ts';
import { fail } from '../faults.ts';
import { type Attempt, reasonOf, refused } from '../logins/index.ts';
import type { Guesser, PasswordOptions, Passwords } from '../passwords/index.ts';
import { parsed } from '../resource/index.ts';
import type { Devices, Factor } from '../two-factor/index.ts';
import { nobodyKey, type Users, type UserWithExpiry } from '../users/index.ts';
import type { Identity, PasswordUser, UserRef } from './auth.schema.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

export interface Proof {
  readonly user: UserWithExpiry;
  readonly methods: ReadonlySet<AuthMethod>;
  /** A code, a remembered device or a recovery code was good. */
  readonly second: boolean;
  /** The token it was proved with, if one was. */
  readonly parent: TokenRecord | undefined;
  /** When what it was proved with ends (milliseconds): an access token of an application. */
  readonly notAfter?: number | undefined;
  /** The application that access token was given to. */
  readonly applicationId?: string | undefined;
}

interface Meant {
  readonly user: UserWithExpiry | undefined;
  /** What attempts are counted under: one for all spellings of a name, or the count would tell who exists. */
  readonly key: string;
}

/** `knewPassword`: whether an earlier request of the same login brought the password of this user. */
export type ProveIdentity = (
  identity: Identity,
  attempt: Attempt,
  knewPassword: (user: UserWithExpiry) => Promise<boolean>,
) => Promise<Proof>;

/** What proves more comes first; a method we do not serve before all, so that nothing is spent on it. */
const ORDER = ['password', 'token', 'totp'];

export interface MethodDeps {
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly users: Users;
  readonly scopes: Scopes;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly credentials: StoredCredentials;
  readonly gate: Gate;
  /** The user of an access token that may stand in for a login, the application it was given to, and when it ends. */
  accessToken(
    text: string,
  ): Promise<{ readonly user: UserWithExpiry; readonly clientId: string; readonly expiresAt: number } | undefined>;
}

export function createProve(deps: MethodDeps): ProveIdentity {
  const { tokens, passwords, users, scopes, factor, devices, credentials, gate } = deps;

  async function findUser({ id, name, domain }: UserRef, method: string): Promise<Meant> {
    const refuse = (field: string, why: string): never =>
      fail('request.invalid_field', { field: `auth.identity.${method}.user.${field}`, why });
    if (id !== undefined) return { user: await users.find(id), key: id };
    if (name === undefined) return refuse('name', 'an id or a name is required');
    if (domain?.id === undefined && domain?.name === undefined)
      return refuse('domain', 'a name needs the id or name of its domain');
    const within = await scopes.domainId(domain);
    const user = within === undefined ? undefined : await users.findByName(within, name);
    return { user, key: user?.id ?? nobodyKey(within ?? domain.name!, name) };
  }

  /** From the key of two-factor authentication or a TOTP credential: one second factor, whichever API made it. */
  async function codeIsGood(by: Guesser, userId: string, code: string): Promise<boolean> {
    if (await factor.isEnabled(userId)) return factor.proveCode(by, userId, code);
    return factor.guess(by, userId, 'credential_code', (inside) => credentials.acceptsCode(inside, userId, code));
  }

  async function byPassword(
    given: PasswordUser,
    attempt: Attempt,
  ): Promise<{ user: UserWithExpiry; code: boolean; second: boolean }> {
    const { user: meant, key } = await findUser(given, 'password');
    tell(attempt, meant);
    const { verification_code: code, device_data: device, recovery_code: recovery } = given;
    const pair = device && { deviceId: device.device_id, deviceToken: device.device_token };
    const known = meant && pair && (await devices.knows(meant.id, pair)) ? pair.deviceId : attempt.device;
    const by = { ...attempt, userId: null, device: known };
    const options = parsed<PasswordOptions & Record<string, unknown>>(meant?.options ?? '{}');
    const { countedAs } = attempt;
    const whose = meant ? { id: meant.id, options, open: await users.isOpen(meant), countedAs } : { unknown: key };
    const check = await passwords.check(given.password, whose, by);
    if (check === 'expired') fail('auth.password_expired', { id: meant!.id });
    if (check !== 'good' || !meant) throw refused(reasonOf(check));
    if (code !== undefined && !(await codeIsGood(by, meant.id, code))) throw refused('verification code wrong');
    if (pair && (await devices.check(by, meant.id, pair)) !== 'good') throw refused('device unknown or stolen');
    if (recovery !== undefined && !(await factor.proveRecoveryCode(by, meant.id, recovery))) throw refused('recovery code wrong');
    return {
      user: meant,
      code: code !== undefined,
      second: code !== undefined || device !== undefined || recovery !== undefined,
    };
  }

  /** Only for a user who proved something else: a stranger could spend their codes, or use up their guesses. */
  async function byCode(
    given: UserRef & { passcode: string },
    attempt: Attempt,
    mayTry: (user: UserWithExpiry) => boolean | Promise<boolean>,
  ): Promise<UserWithExpiry> {
    const { user, key } = await findUser(given, 'totp');
    tell(attempt, user);
    const mayGuess = await gate.guess(attempt, `first step of ${key}`, async () => user !== undefined && mayTry(user));
    if (!user || !mayGuess) throw refused('passcode without the password');
    if (!(await codeIsGood({ ...attempt, userId: null }, user.id, given.passcode))) throw refused('passcode wrong');
    return user;
  }

  async function byToken(text: string): Promise<{ record: TokenRecord; user: UserWithExpiry }> {
    const verified = await tokens.verify(text);
    // Keystone's clients tell a token that is gone (404) from a login that is refused (401).
    if (!verified) fail('token.not_found');
    const user = await users.find(verified.record.userId);
    if (user?.epoch !== verified.view.userEpoch) fail('token.not_found');
    return { record: verified.record, user };
  }

  function given<T>(method: string, data: T | undefined): T {
    return data ?? fail('request.invalid_field', { field: `auth.identity.${method}`, why: 'it is a required property' });
  }

  return async (identity, attempt, knewPassword) => {
    const methods = new Set<AuthMethod>();
    const found = new Map<string, UserWithExpiry>();
    // As they were at the first method: what changed since then was not checked by it.
    const add = (user: UserWithExpiry): void => void (found.has(user.id) || found.set(user.id, user));
    let second = false;
    let parent: TokenRecord | undefined;
    let notAfter: number | undefined;
    let applicationId: string | undefined;
    for (const method of [...new Set(identity.methods)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))) {
      if (method === 'password') {
        const proved = await byPassword(given(method, identity.password).user, attempt);
        add(proved.user);
        methods.add('password');
        if (proved.code) methods.add('totp');
        second ||= proved.second;
      } else if (method === 'totp') {
        const mayTry = found.size > 0 ? ({ id }: UserWithExpiry) => found.has(id) : knewPassword;
        const user = await byCode(given(method, identity.totp).user, attempt, mayTry);
        add(user);
        methods.add('totp');
        second = true;
      } else if (method === 'token') {
        const { record, user } = await byToken(given(method, identity.token).id);
        parent = record;
        add(user);
        for (const one of ['token' as const, ...parent.methods]) methods.add(one);
      } else if (method === 'oauth2') {
        const held = await deps.accessToken(given(method, identity.oauth2).access_token_id);
        if (!held) throw refused('access token unknown, ended or without the scope all_info');
        add(held.user);
        tell(attempt, held.user);
        methods.add('oauth2');
        notAfter = held.expiresAt;
        applicationId = held.clientId;
      } else fail('auth.method_unsupported');
    }
    const [user] = found.values();
    if (found.size !== 1 || !user) throw refused('methods name different users');
    return { user, methods, second, parent, notAfter, applicationId };
  };
}

function tell({ whom }: Attempt, user: { readonly id: string } | undefined): void {
  if (whom && user) whom.userId = user.id;
}
