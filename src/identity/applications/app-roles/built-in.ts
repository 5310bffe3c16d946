// The built-in application: the internal permissions that let users manage an application, and the internal roles that have them.
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
  /** For whoever registers an application. */
  provider: Object.keys(INTERNAL_PERMISSIONS) as InternalPermission[],
  /** For those who use it and may assign its public roles. */
  purchaser: ['get-assign-public-roles'],
};

const BUILT_IN_IDS = new Set<string>([
  BUILT_IN_APPLICATION,
  ...Object.keys(INTERNAL_PERMISSIONS),
  ...Object.keys(INTERNAL_ROLES),
]);

/** The service depends on these, so they cannot be changed or deleted. */
export const isBuiltIn = (id: string): boolean => BUILT_IN_IDS.has(id);
