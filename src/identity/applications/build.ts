// Applications, their roles, and the wallets that are trusted.
import type { Delegation } from '../delegation/build.ts';
import { createApis } from './apis/index.ts';
import { createAppAssignments, createAppRoles, createManagers, createUserPermissions } from './app-roles/index.ts';
import { createConsumers } from './consumers/index.ts';
import { readWalletProviders } from './wallet-providers/index.ts';

export function buildApplications(below: Delegation) {
  const userPermissions = createUserPermissions(below);
  const managers = createManagers({ userPermissions });
  const management = {
    ...managers,
    manages: (caller, id) => managers.hasPermission(caller, id, 'manage-application'),
    managedApplications: (caller) => managers.managedApplications(caller, 'manage-application'),
    managedBy: (userId) => managers.managedBy(userId, 'manage-application'),
  } satisfies Parameters<typeof createConsumers>[0]['management'];
  return {
    ...below,
    userPermissions,
    apis: createApis({ ...below, userPermissions }),
    managers,
    managedApplications: management.managedApplications,
    consumers: createConsumers({ ...below, management }),
    appRoles: createAppRoles({ ...below, managers }),
    appAssignments: createAppAssignments({ ...below, userPermissions }),
    walletProviders: readWalletProviders(below),
  };
}

export type Applications = ReturnType<typeof buildApplications>;
