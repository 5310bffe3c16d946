// Applications, their roles, and their access tokens.

import { applicationsOfUser, createAppRoles, createManagers, createUserPermissions } from '../applications/app-roles/index.ts';
import { createConsumers } from '../applications/consumers/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createAccessTokens, createAccounts, createDelegation } from '../openid/provider/index.ts';
import { createAuditEvents } from '../operations/audit-events/index.ts';
import type { Core } from './core.ts';

/** Applications, their roles, and their access tokens. */
export function buildApplications({ deps, users, access, records, pictures }: Core, { seal, issuer }: ModuleOptions) {
  const { db, clock } = deps;
  const userPermissions = createUserPermissions(deps);
  const managers = createManagers({ userPermissions, applicationsOf: (userId) => applicationsOfUser(db.read, userId) });
  const consumers = createConsumers({
    ...deps,
    seal,
    management: {
      ...managers,
      manages: (caller, id) => managers.hasPermission(caller, id, 'manage-application'),
      managedApplications: (caller) => managers.managedApplications(caller, 'manage-application'),
      managedBy: (userId) => managers.managedBy(userId, 'manage-application'),
    },
  });
  const appRoles = createAppRoles({ ...deps, managers });
  const accounts = createAccounts({ users, userPermissions, pictures, issuer });
  const accessTokens = createAccessTokens({ db, clock, records, access, accounts, userPermissions });
  const delegation = createDelegation({ db, clock, access, accessTokens, records });
  const auditEvents = createAuditEvents({
    ...deps,
    managedApplications: (caller) => managers.managedApplications(caller, 'manage-application'),
  });
  return { auditEvents, managers, userPermissions, consumers, appRoles, accounts, accessTokens, delegation };
}

export type Applications = ReturnType<typeof buildApplications>;
