// What a token says of its holder, once it was opened (tokens/token-format.ts).
import type { AuthContext, Scope } from './auth-context.ts';

/** How a user proved who they are. Bits of a byte in the format of tokens: the order stays. */
export const METHODS = ['password', 'token', 'totp', 'oauth2', 'application_credential', 'external', 'mapped'] as const;
export type AuthMethod = (typeof METHODS)[number];

/** What a token says. */
export interface TokenRecord {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly scope: Scope;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly generation: number;
  readonly auditId: string;
  readonly parentAuditId: string | undefined;
  /** Of a token made from a token: when the person logged in (milliseconds). */
  readonly loginAt?: number;
  /** Of a token made from an access token, or from such a token: the application that it was given to. */
  readonly applicationId?: string;
}

/** A token that is good now, with what its user may do in its scope. */
export interface VerifiedToken {
  readonly record: TokenRecord;
  readonly authContext: AuthContext;
}
