// A delegation: somebody passes on what they may do, or a part of it. A token that comes from one names it. What the delegation gives is
// read together with the AuthContext, so the token ends with the delegation, with the accounts it depends on, and with the roles.
import type { Reader } from '../../ground/database/index.ts';
import type { AccessRule } from './access-rules.ts';
import type { Scope } from './scope.ts';

/** Stored as numbers in the token format, so the order must not change. */
export const DELEGATION_KINDS = ['trust', 'application_credential', 'oauth1', 'ec2', 'federation'] as const;
export type DelegationKind = (typeof DELEGATION_KINDS)[number];

/** A login at another provider by which a Keystone issued a token. */
export interface KeystoneLogin {
  readonly userId: string;
  readonly providerId: string;
  readonly protocolId: string;
}

const KEYSTONE_LOGIN = 'keystone';

/** As the id of a delegation of the kind `federation`. None of these ids has a line feed, nor has that of a session of ours. */
export const keystoneLoginId = ({ userId, providerId, protocolId }: KeystoneLogin): string =>
  [KEYSTONE_LOGIN, userId, providerId, protocolId].join('\n');

/** Undefined for a session of ours. */
export function keystoneLoginOf(id: string): KeystoneLogin | undefined {
  const [kind, userId, providerId, protocolId] = id.split('\n');
  if (kind !== KEYSTONE_LOGIN || userId === undefined || providerId === undefined || protocolId === undefined) return undefined;
  return { userId, providerId, protocolId };
}

/** As a token names it. */
export interface DelegationRef {
  readonly kind: DelegationKind;
  readonly id: string;
}

/** Whether a program uses what a user passed on. Whoever came through another provider is the user in person. */
export const delegatesRights = (delegation: DelegationRef | undefined): boolean =>
  delegation !== undefined && delegation.kind !== 'federation';

/** What a delegation gives, as it is stored now. */
export interface Delegation {
  /** The user whom its tokens name. */
  readonly userId: string;
  /** Who uses it, if that is somebody else. Keystone's tokens name them. */
  readonly usedBy?: string;
  /** The user whose roles are passed on: the trustor of a trust, and otherwise the same user. */
  readonly giverId: string;
  /** Further users whose accounts must be active, such as the trustee of a trust with impersonation. */
  readonly alsoActive: readonly string[];
  /** The only scope it is for. Undefined when its tokens may be exchanged for other scopes. */
  readonly scope: Scope | undefined;
  /** The roles that are passed on, with those they imply; undefined for all roles of the giver. */
  readonly roleIds: readonly string[] | undefined;
  /** What happens when the giver has lost one of these roles: everything ends, or only that role. */
  readonly lostRole: 'ends all' | 'ends the role';
  /** A number that changes when the secret of the delegation does, which ends its tokens. */
  readonly epoch?: number;
  /** When something else that it depends on ended tokens, in milliseconds. */
  readonly endedAt?: number | undefined;
  /** Time in seconds; null for never. */
  readonly expiresAt: number | null;
  /** Until when it is as it was read, in seconds; null for as long as nothing changes. Its tokens do not end then. */
  readonly readUntil?: number | null;
  /** Cache tags of the rows it was read from. */
  readonly tags: readonly string[];
  /** Parts of the token as clients see it, beside `user` and within it. */
  readonly tokenSection: Readonly<Record<string, unknown>>;
  readonly userSection: Readonly<Record<string, unknown>>;
  /** Whether its tokens may create and delete application credentials and trusts. */
  readonly isUnrestricted: boolean;
  /** The only requests that its tokens may send; undefined for all. */
  readonly accessRules: readonly AccessRule[] | undefined;
}

/** Undefined when it does not exist any more. The module that stores the delegations has it. */
export type DelegationReader = (reader: Reader, id: string) => Promise<Delegation | undefined>;
export type DelegationReaders = Readonly<Partial<Record<DelegationKind, DelegationReader>>>;
