// The built-in application: internal permissions that say who manages an application, and the internal roles that carry them.
import { BUILT_IN_APPLICATION } from '../consumers/index.ts';

export const INTERNAL_PERMISSIONS = {
  'manage-application': 'Manage the application',
  'manage-roles': 'Manage roles',
  'get-assign-public-roles': 'Get and assign all public application roles',
  'manage-authorizations': 'Manage Authorizations',
  'get-assign-public-owned-roles': 'Get and assign only public owned roles',
  'get-assign-internal-roles': 'Get and assign all internal application roles',
} as const;

export type InternalPermission = keyof typeof INTERNAL_PERMISSIONS;

export const INTERNAL_ROLES: Readonly<Record<'provider' | 'purchaser', readonly InternalPermission[]>> = {
  /** Whoever registers an application. */
  provider: Object.keys(INTERNAL_PERMISSIONS) as InternalPermission[],
  /** Whoever is let in to use it and to let others of theirs in. */
  purchaser: ['get-assign-public-roles'],
};

const BUILT_IN_IDS = new Set<string>([
  BUILT_IN_APPLICATION,
  ...Object.keys(INTERNAL_PERMISSIONS),
  ...Object.keys(INTERNAL_ROLES),
]);

/** The service depends on these; nobody may change or delete them. */
export const isBuiltIn = (id: string): boolean => BUILT_IN_IDS.has(id);
