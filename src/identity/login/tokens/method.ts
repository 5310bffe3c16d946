// A login method: verifies its part of the request and finds the user.
import type { Gate } from '../../../platform/limits/index.ts';
import type { AuthMethod, DelegationRef, TokenRecord } from '../../access/context/index.ts';
import type { Credentials as StoredCredentials } from '../../delegation/credentials/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { Devices, Factor } from '../../directory/two-factor/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AuthIdentity } from './auth.schema.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

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

/** The result of one method. */
export interface MethodResult {
  readonly user: UserWithExpiry;
  readonly methods: readonly AuthMethod[];
  /** A code, a remembered device or a recovery code was verified. */
  readonly second?: boolean;
  /** The token that was used, for the method `token`. */
  readonly parent?: TokenRecord;
  /** Expiry of the access token that was used, in milliseconds. */
  readonly notAfter?: number;
  /** The application of that access token. */
  readonly applicationId?: string;
  /** How the person signed in before they gave the application that token. The new token says it; nothing is decided by it. */
  readonly signInMethods?: readonly AuthMethod[];
  /** What gives the rights of the new token, if not the user's own roles alone. */
  readonly delegation?: DelegationRef;
}

/** `mayTryCode`: whether another method succeeded for the user, in this request or an earlier one of the same login. */
export type LoginMethod = (
  deps: MethodDeps,
  identity: AuthIdentity,
  attempt: LoginAttempt,
  mayTryCode: (user: UserWithExpiry) => boolean | Promise<boolean>,
) => Promise<MethodResult>;

/** The data of a method in the request. */
export function requireMethodData<T>(method: string, data: T | undefined): T {
  return data ?? fail('request.invalid_field', { field: `auth.identity.${method}`, why: 'it is a required property' });
}

/** Records the user of a login for its audit event. */
export function setSubject({ subject }: LoginAttempt, user: { readonly id: string } | undefined): void {
  if (subject && user) subject.userId = user.id;
}
