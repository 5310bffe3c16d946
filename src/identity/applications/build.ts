// Applications, their roles, and the wallets that are trusted.
import { Throttle, type ThrottleRule } from '../../platform/limits/index.ts';
import type { Delegation } from '../delegation/build.ts';
import { createApis } from './apis/index.ts';
import { createAppAssignments, createAppRoles, createManagers, createUserPermissions } from './app-roles/index.ts';
import { createClientRegistration, FETCHES_LIMIT, HOST_FETCHES_LIMIT, REGISTRATIONS_LIMIT } from './client-registration/index.ts';
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
  const consumers = createConsumers({ ...below, management });
  const throttle = (rule: ThrottleRule) => new Throttle(below.rateLimits ? rule : undefined, below.clock);
  const registrations = throttle(REGISTRATIONS_LIMIT);
  const fetches = { byAddress: throttle(FETCHES_LIMIT), byHost: throttle(HOST_FETCHES_LIMIT) };
  return {
    ...below,
    userPermissions,
    apis: createApis({ ...below, userPermissions }),
    managers,
    managedApplications: management.managedApplications,
    consumers,
    clientRegistration: createClientRegistration({ ...below, consumers, registrations, fetches }),
    appRoles: createAppRoles({ ...below, managers }),
    appAssignments: createAppAssignments({ ...below, userPermissions }),
    walletProviders: readWalletProviders(below),
  };
}

export type Applications = ReturnType<typeof buildApplications>;
