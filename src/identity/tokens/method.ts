// A method of a login: it takes what a request brought for it, and proves by it who is there.
import type { Gate } from '../../platform/limits/index.ts';
import type { AuthMethod, TokenRecord } from '../access/index.ts';
import type { Credentials as StoredCredentials } from '../credentials/index.ts';
import { fail } from '../faults.ts';
import type { Attempt } from '../logins/index.ts';
import type { Passwords } from '../passwords/index.ts';
import type { Devices, Factor } from '../two-factor/index.ts';
import type { Users, UserWithExpiry } from '../users/index.ts';
import type { Identity } from './auth.schema.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

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

/** What one method proved. */
export interface Proven {
  readonly user: UserWithExpiry;
  readonly methods: readonly AuthMethod[];
  /** A code, a remembered device or a recovery code was good. */
  readonly second?: boolean;
  /** The token it was proved with, if one was. */
  readonly parent?: TokenRecord;
  /** When what it was proved with ends (milliseconds): an access token of an application. */
  readonly notAfter?: number;
  /** The application that access token was given to. */
  readonly applicationId?: string;
}

/** `mayTryCode`: whether the user proved something else, in this request or in an earlier one of the same login. */
export type Prover = (
  deps: MethodDeps,
  identity: Identity,
  attempt: Attempt,
  mayTryCode: (user: UserWithExpiry) => boolean | Promise<boolean>,
) => Promise<Proven>;

/** What the request brought for a method it names. */
export function given<T>(method: string, data: T | undefined): T {
  return data ?? fail('request.invalid_field', { field: `auth.identity.${method}`, why: 'it is a required property' });
}

export function tell({ whom }: Attempt, user: { readonly id: string } | undefined): void {
  if (whom && user) whom.userId = user.id;
}
