// A login method: checks its part of the request, and says what it proves. What is checked of every login is in login-checks.ts.
import type { Gate } from '../../../platform/limits/index.ts';
import type { AuthMethod, DelegationRef } from '../../access/context/index.ts';
import type { Credentials as StoredCredentials } from '../../delegation/credentials/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { Devices, Factor } from '../../directory/two-factor/index.ts';
import { type Users, type UserWithExpiry, unknownUserKey } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AuthIdentity, UserRef } from './auth.schema.ts';
import type { Scopes } from './scopes.ts';
import type { IssueOptions, Tokens } from './tokens.ts';

export interface MethodDeps {
  readonly tokens: Tokens;
  readonly users: Users;
  readonly scopes: Scopes;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly credentials: StoredCredentials;
  readonly gate: Gate;
  /** The user and the id of an application credential whose secret is right. */
  applicationCredential(
    find: { readonly id: string } | { readonly userId: string; readonly name: string },
    secret: string,
    attempt: LoginAttempt,
  ): Promise<{ readonly user: UserWithExpiry; readonly id: string } | undefined>;
  /** The user and the id of an access token of OAuth1 whose consumer signed the request. Fails otherwise. */
  oauth1(request: LoginAttempt['signedRequest']): Promise<{ readonly user: UserWithExpiry; readonly id: string }>;
  /** Resolves an access token that can be used to log in: its user, its application, and its expiry. */
  accessToken(text: string): Promise<
    | {
        readonly user: UserWithExpiry;
        readonly clientId: string;
        readonly expiresAt: number;
        readonly signInMethods: readonly AuthMethod[];
      }
    | undefined
  >;
}

/** What somebody has proved. */
export interface LoginProof {
  /** As they were before what they sent was checked. */
  readonly user: UserWithExpiry;
  /** What was shown now. */
  readonly methods: readonly AuthMethod[];
  /** What gives the rights of the new token, if not the user's own roles alone; and the state of its secret, if that was checked. */
  readonly delegation?: DelegationRef | undefined;
  readonly delegationEpoch?: number;
  /** How the person signed in before they gave an application its access token. The new token says it; nothing is decided by it. */
  readonly signInMethods?: readonly AuthMethod[];
  /** What the new token says beside this. It also has the methods of its `parent`. */
  readonly token?: Omit<IssueOptions, 'methods'>;
}

/** The parts of a request, by the methods that read them. That of `oauth1` is its signature, in the attempt. */
export type MethodData = Pick<AuthIdentity, 'application_credential' | 'oauth2' | 'password' | 'token' | 'totp'> & {
  oauth1?: object;
};
export type MethodName = keyof MethodData;

/** `mayTryCode`: whether another method succeeded for the user, in this request or an earlier one of the same login. */
export type LoginMethod<Name extends MethodName> = (
  deps: MethodDeps,
  data: NonNullable<MethodData[Name]>,
  attempt: LoginAttempt,
  mayTryCode: (user: UserWithExpiry) => boolean | Promise<boolean>,
) => Promise<LoginProof>;

/** Records the user of a login for its audit event. */
export function setSubject({ subject }: LoginAttempt, user: { readonly id: string } | undefined): void {
  if (subject && user) subject.userId = user.id;
}

/** The user of a login, by id, or by name and domain. */
interface LoginUser {
  readonly user: UserWithExpiry | undefined;
  /** Key for counting attempts. It is the same for all spellings of a name; otherwise the counts would reveal which users exist. */
  readonly key: string;
  /** The domain in which the name was looked up. */
  readonly domainId?: string | undefined;
}

export async function findLoginUser(
  { users, scopes }: MethodDeps,
  { id, name, domain }: UserRef,
  method: string,
): Promise<LoginUser> {
  const refuse = (field: string, why: string): never =>
    fail('request.invalid_field', { field: `auth.identity.${method}.user.${field}`, why });
  if (id !== undefined) return { user: await users.find(id), key: id };
  if (name === undefined) return refuse('name', 'an id or a name is required');
  if (domain?.id === undefined && domain?.name === undefined)
    return refuse('domain', 'a name needs the id or name of its domain');
  const domainId = await scopes.domainId(domain);
  const user = domainId === undefined ? undefined : await users.findByName(domainId, name);
  return { user, key: user?.id ?? unknownUserKey(domainId ?? domain.name!, name), domainId };
}
