// What users and organizations may assign and manage by the roles they hold.
import { type Caller, findProject, type IdentityTarget, knowsOf } from '../access/index.ts';
import type { Database } from '../database.ts';
import { fail } from '../faults.ts';
import { findUser } from '../users/index.ts';
import { applicationsWith, assignableByApplication } from './allowed.ts';
import type { AssignmentDeps } from './assignment-authority.ts';
import type { InternalPermission } from './built-in.ts';
import { rolesByApplication } from './holdings.store.ts';

/** A user inside an organization, or the organization itself. */
export interface Holder {
  readonly userId?: string;
  readonly organizationId: string;
}

export async function holderTarget({ db }: AssignmentDeps, holder: Holder): Promise<IdentityTarget<Holder>> {
  const { userId, organizationId } = holder;
  const [user, organization] = await Promise.all([
    userId === undefined ? true : findUser(db.read, userId),
    findProject(db.read, organizationId),
  ]);
  const get = () => {
    if (!user) fail('user.not_found', { id: userId! });
    if (!organization) fail('organization.not_found', { id: organizationId });
    return holder;
  };
  return { facts: { userId, projectId: organizationId }, get };
}

/** Their roles by application, as far as the caller knows of it. */
async function heldBy(db: Database, caller: Caller, holder: Holder): Promise<Map<string, string[]>> {
  const held = await rolesByApplication(db.read, holder);
  return new Map([...held].filter(([applicationId]) => knowsOf(caller, applicationId)));
}

export const allowedRoles = async ({ db }: AssignmentDeps, caller: Caller, holder: Holder): Promise<Record<string, string[]>> =>
  assignableByApplication(db.read, await heldBy(db, caller, holder));

export const allowedApplications = async (
  { db }: AssignmentDeps,
  caller: Caller,
  holder: Holder,
  permission: InternalPermission,
): Promise<string[]> => applicationsWith(db.read, await heldBy(db, caller, holder), permission);
