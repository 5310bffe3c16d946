// What a user may do in one scope, as token checks need it. Cached until something it depends on changes.
import type { Delegation, DelegationRef } from './delegation.ts';
import type { KeptToken } from './kept-token.ts';
import type { Scope } from './scope.ts';

export interface Ref {
  readonly id: string;
  readonly name: string;
}

export interface AuthContext {
  readonly user: Ref & { readonly domain: Ref; readonly passwordExpiresAt: number | null };
  readonly scope: Scope;
  readonly project: (Ref & { readonly domain: Ref; readonly isDomain: boolean }) | undefined;
  readonly domain: Ref | undefined;
  readonly roles: readonly Ref[];
  readonly roleNames: ReadonlySet<string>;
  /** The setting `enforce_scope`: the role `admin` counts only where it was granted (personas.ts). */
  readonly enforcesScope: boolean;
  /** Sum of the epochs of user, project and domains. A token with a different sum is revoked. */
  readonly generation: number;
  /** When an epoch of this sum changed the last time, in milliseconds; 0 for never. Tokens of others that were issued before have ended. */
  readonly endedAt: number;
  /** The epoch of the user alone. It changes when the password changes or the account is disabled. */
  readonly userEpoch: number;
  /** The part of the sum that does not depend on the scope: user and domain of the user. */
  readonly userGeneration: number;
  /** Stays good though its generation is another. */
  readonly keptToken?: KeptToken;
  /** Time in seconds when this expires, because the account becomes inactive, or a membership or a delegation ends; null for never. */
  readonly validUntil: number | null;
  /** Where the rights come from, if not from the user's own roles alone. */
  readonly delegation?: DelegationRef & Delegation;
  /** Cache tags of the rows it was read from. A change of any of them drops it. */
  readonly tags: readonly string[];
}

/** Cache key of the context of one user in one scope, by one delegation. */
export function authContextKey(userId: string, scope: Scope, delegation?: DelegationRef): string {
  const key = 'id' in scope ? `${userId} ${scope.kind}:${scope.id}` : `${userId} ${scope.kind}`;
  return delegation ? `${key} ${delegation.kind}:${delegation.id}` : key;
}

export const tagOf = {
  user: (id: string): string => `user:${id}`,
  group: (id: string): string => `group:${id}`,
  /** Domains are projects. */
  project: (id: string): string => `project:${id}`,
  /** Tokens of people who came through the provider depend on these three. */
  identityProvider: (id: string): string => `identity_provider:${id}`,
  providerLink: (id: string): string => `provider_link:${id}`,
  mapping: (id: string): string => `mapping:${id}`,
  delegation: ({ kind, id }: DelegationRef): string => `${kind}:${id}`,
  /** Roles, implied roles and the catalog: every context depends on them, and they rarely change. */
  everything: 'everything',
  /** Row counts: dropped when a row is created or deleted. */
  census: (table: 'users' | 'groups' | 'projects'): string => `census:${table}`,
} as const;
