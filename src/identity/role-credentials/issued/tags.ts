// What a credential depends on, as the caches name it.
import { tagOf } from '../../access/context/index.ts';
import { appTagOf, type RoleSelection } from '../../applications/app-roles/index.ts';
import { applicationsOf, type CredentialType, credentialTypeTag } from '../types/index.ts';
import type { Invalidation } from './revocation.store.ts';

/** The roles that are in credentials of a type. */
export const selectionOf = (type: CredentialType): RoleSelection => ({
  applicationIds: applicationsOf(type),
  roles: type.roles,
  organizations: type.organizations,
});

/** The lock of whoever issues a credential that depends on this, and of whoever changes it. */
export const lockOf = (tag: string): string => `credentials of ${tag}`;

const PREFIXES = {
  users: [tagOf.user(''), appTagOf.user('')],
  types: [credentialTypeTag('')],
  tags: [appTagOf.application(''), tagOf.project(''), tagOf.group('')],
} as const;

const isOf = (kind: keyof typeof PREFIXES, tag: string): boolean => PREFIXES[kind].some((prefix) => tag.startsWith(prefix));

/** The user and the type are columns of the credential. */
export const isStoredTag = (tag: string): boolean => isOf('tags', tag);

export const isRelevant = (tag: string): boolean =>
  tag === tagOf.everything || isOf('users', tag) || isOf('types', tag) || isOf('tags', tag);

/** Not only credentials of these users. */
export const concernsMany = (tags: readonly string[]): boolean => !tags.every((tag) => isOf('users', tag));

const idIn = (tag: string): string => tag.slice(tag.indexOf(':') + 1);

export const invalidationBy = (tags: readonly string[]): Invalidation => ({
  everything: tags.includes(tagOf.everything),
  users: [...new Set(tags.filter((tag) => isOf('users', tag)).map(idIn))],
  types: tags.filter((tag) => isOf('types', tag)).map(idIn),
  tags: tags.filter(isStoredTag),
});
