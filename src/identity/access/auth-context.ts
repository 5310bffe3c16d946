// What a user may do in one scope, as a token check needs it: read once, kept in memory until something it depends on changes.

export type Scope =
  | { readonly kind: 'unscoped' }
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'system' };

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
  /** Sum of the epochs of everything the token depends on; a token with another sum was revoked. */
  readonly generation: number;
  /** The epoch of the user alone: another one, and the password changed or the account was closed since. */
  readonly userEpoch: number;
  /** The user's part of the sum, whatever the scope: of the user and their domain. */
  readonly userGeneration: number;
  /** When this stops being true by the passing of time (seconds), if ever: an account that goes inactive. */
  readonly validUntil: number | null;
  /** Names of what it was read from; a change to any of them drops it. */
  readonly tags: readonly string[];
}

/** Names the context of one user in one scope. */
export const authContextKey = (userId: string, scope: Scope): string =>
  'id' in scope ? `${userId} ${scope.kind}:${scope.id}` : `${userId} ${scope.kind}`;

export const tagOf = {
  user: (id: string): string => `user:${id}`,
  group: (id: string): string => `group:${id}`,
  /** Domains are projects. */
  project: (id: string): string => `project:${id}`,
  /** Roles, what they imply, and the catalog: read for every context, changed rarely. */
  everything: 'everything',
  /** How many there are: dropped when one comes or goes. */
  census: (table: 'users' | 'groups' | 'projects'): string => `census:${table}`,
} as const;
