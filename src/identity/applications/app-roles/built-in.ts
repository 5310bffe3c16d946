// The built-in application: the internal permissions that let users manage an application, and the internal roles that have them.
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { BUILT_IN_APPLICATION } from '../consumers/index.ts';
import { insertAppRole, insertLink, insertPermission } from './roles.store.ts';

const INTERNAL_PERMISSIONS = {
  'manage-application': 'Manage the application',
  'manage-roles': 'Manage roles',
  'get-assign-public-roles': 'Get and assign all public application roles',
  'manage-authorizations': 'Manage Authorizations',
  'get-assign-public-owned-roles': 'Get and assign only public owned roles',
  'get-assign-internal-roles': 'Get and assign all internal application roles',
} as const;

export type InternalPermission = keyof typeof INTERNAL_PERMISSIONS;

const INTERNAL_ROLES: Readonly<Record<'provider' | 'purchaser', readonly InternalPermission[]>> = {
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

/** With the built-in application, at the first start. */
export async function insertBuiltInRoles({ tx, now, invalidate }: Change): Promise<void> {
  const shared = { application_id: BUILT_IN_APPLICATION, is_internal: 1, created_at: now } as const;
  for (const [id, name] of Object.entries(INTERNAL_PERMISSIONS))
    await insertPermission(tx, { id, name, ...shared, action: null, resource: null, xml: null });
  for (const [id, permissions] of Object.entries(INTERNAL_ROLES)) {
    await insertAppRole(tx, { id, name: id, ...shared });
    for (const permission of permissions) await insertLink(tx, id, permission);
  }
  invalidate(tagOf.everything);
}
