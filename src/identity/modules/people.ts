// What people do without an administrator, and what they are invited to.

import { Throttle } from '../../platform/limits/index.ts';
import { createAppAssignments } from '../applications/app-roles/index.ts';
import { createGrants } from '../directory/grants/index.ts';
import { createGroups } from '../directory/groups/index.ts';
import { hasPassword } from '../directory/passwords/index.ts';
import type { Reader, UserRow } from '../ground/database/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { parseJson } from '../ground/resource/index.ts';
import {
  ATTEMPTS_LIMIT,
  createAcceptance,
  createInvitations,
  type InvitationDeps,
  MAILS_LIMIT,
} from '../provisioning/invitations/index.ts';
import {
  createEmailChange,
  createMailRequests,
  createPasswordRecovery,
  createSelfRegistration,
} from '../provisioning/people/index.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';

/** What people do without an administrator. */
export function buildPeople(core: Core, options: ModuleOptions) {
  const { deps, users } = core;
  const requests = createMailRequests({ ...deps, rateLimits: options.rateLimits });
  /** An account of a directory or of another provider has no password here. */
  const canResetPassword = async (user: UserRow, reader: Reader = deps.db.read): Promise<boolean> => {
    const { lock_password: isLocked } = parseJson<{ lock_password?: boolean }>(user.options);
    return isLocked !== true && !(await users.isInDirectory(user.id, reader)) && hasPassword(reader, user.id);
  };
  const passwordRecovery = createPasswordRecovery({ ...deps, ...core, requests, issuer: options.issuer, canResetPassword });
  const selfRegistration = createSelfRegistration({ ...deps, ...core, requests, issuer: options.issuer });
  const emailChange = createEmailChange({ ...deps, ...core, requests, issuer: options.issuer });
  return { passwordRecovery, selfRegistration, emailChange, peopleSettled: requests.settled };
}

/** Groups, grants and assignments, and invitations, which give them. */
export function buildInvitations(core: Core, { userPermissions }: Applications, options: ModuleOptions) {
  const { deps, shield, links, mail, domainSettings, access, users, passwords } = core;
  const throttle = (limit: typeof MAILS_LIMIT) => new Throttle(options.rateLimits ? limit : undefined, deps.clock);
  const groups = createGroups({ ...deps, shield, directory: core.directories.guard });
  const grants = createGrants({ ...deps, access });
  const appAssignments = createAppAssignments({ ...deps, userPermissions });
  const parts = { ...deps, domainSettings, links, mail, grants, groups, appAssignments, shield, issuer: options.issuer };
  const invitationDeps: InvitationDeps = { ...parts, mails: throttle(MAILS_LIMIT) };
  const invitations = createInvitations(invitationDeps);
  const acceptance = createAcceptance({ ...invitationDeps, access, users, passwords, attempts: throttle(ATTEMPTS_LIMIT) });
  return { groups, grants, appAssignments, invitations, acceptance };
}

export type People = ReturnType<typeof buildPeople>;
