// The content of a token (login/tokens/token-format.ts).
import type { AuthContext } from './auth-context.ts';
import type { DelegationRef } from './delegation.ts';
import type { Scope } from './scope.ts';

/**
 * How a user authenticated, and what that is in a login: `first` begins one, `second` goes with one, `exchange` stands for a login from before,
 * `passed on` is a program that uses what a user gave it. Stored as bits in the token format, so the order must not change.
 */
const METHOD_KINDS = {
  password: 'first',
  token: 'exchange',
  totp: 'second',
  oauth2: 'exchange',
  application_credential: 'passed on',
  external: 'first',
  mapped: 'first',
  passkey: 'first',
  oauth1: 'passed on',
  ec2credential: 'passed on',
  wallet: 'first',
} as const satisfies Readonly<Record<string, 'first' | 'second' | 'exchange' | 'passed on'>>;

export type AuthMethod = keyof typeof METHOD_KINDS;
type MethodKind = (typeof METHOD_KINDS)[AuthMethod];
export const METHODS = Object.keys(METHOD_KINDS) as readonly AuthMethod[];

export const kindOf = (method: AuthMethod): MethodKind => METHOD_KINDS[method];

/** The methods of a login as one word, always in the same order: a label of metrics. */
export const methodNames = (methods: readonly AuthMethod[]): string =>
  METHODS.filter((method) => methods.includes(method)).join('+') || 'none';

export interface TokenRecord {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly scope: Scope;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly generation: number;
  readonly auditId: string;
  readonly parentAuditId: string | undefined;
  /** Time of the login in milliseconds, for a token made from another token: of ours, or of another provider. */
  readonly loginAt?: number;
  /** The application, for a token made from an OAuth2 access token, directly or through other tokens. */
  readonly applicationId?: string;
  /** What gives its rights, if not the user's own roles alone. */
  readonly delegation?: DelegationRef;
  /** A Keystone issued it. It has no generation of its own; it may be bound to a certificate of a client. */
  readonly foreign?: { readonly thumbprint?: string };
}

/** A valid token, with what its user may do in its scope. */
export interface VerifiedToken {
  readonly record: TokenRecord;
  readonly authContext: AuthContext;
}
