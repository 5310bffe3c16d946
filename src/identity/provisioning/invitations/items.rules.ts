// What an invitation gives: a role in an organization, groups, and roles of applications. Each is allowed by the rule of the call that
// gives it directly, asked for the inviter within the transaction: when the invitation is made, and again when it is accepted.
import { Fault } from '../../../platform/faults/index.ts';
import { findProject } from '../../access/context/index.ts';
import { type Action, type Caller, type IdentityTarget, permit, type RankGuard } from '../../access/rules/index.ts';
import type { AppAssignments } from '../../applications/app-roles/index.ts';
import type { Grants } from '../../directory/grants/index.ts';
import { findGroup, type Groups } from '../../directory/groups/index.ts';
import { findRole } from '../../directory/roles/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { InvitationRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type ApplicationRole, applicationRolesOf, groupIdsOf } from './invitations.schema.ts';

/** What it gives, without who gets it. */
export type InvitationItems = Pick<
  InvitationRow,
  'domain_id' | 'organization_id' | 'role_id' | 'group_ids' | 'application_roles'
>;

/** Gives it to a user, in the transaction. */
type Give = (transaction: Change, userId: string) => Promise<void>;

interface Item {
  /** For audit events. */
  readonly detail: Readonly<Record<string, string>>;
  readonly action: Action;
  target(tx: Tx, inviter: Caller): Promise<IdentityTarget<Give>>;
}

interface ItemDeps {
  readonly grants: Grants;
  readonly groups: Groups;
  readonly appAssignments: AppAssignments;
  readonly refuseIfOutranked: RankGuard;
}

/** Someone who has no account yet will be in the domain of the invitation, so its rules are known. */
function organizationItem({ grants }: ItemDeps, domainId: string, organizationId: string, roleId: string): Item {
  return {
    detail: { organization_id: organizationId, role_id: roleId },
    action: 'identity:create_grant',
    async target(tx) {
      const organization = await findProject(tx, organizationId);
      const role = await findRole(tx, roleId);
      const isThere = organization?.is_domain === 0 && role !== undefined;
      return {
        facts: isThere ? { domains: [domainId, organization.domain_id], ...(await grants.roleFacts(tx, role)) } : { domains: [] },
        get() {
          if (organization?.is_domain !== 0) fail('organization.not_found', { id: organizationId });
          const request = { targetRow: organization, role: role ?? fail('role.not_found', { id: roleId }) };
          const context = { target: { kind: 'project', id: organizationId }, inherited: false } as const;
          grants.checkRoleDomain({ ...request, context });
          return async (transaction, userId) => {
            await grants.createIn(transaction, { ...request, context: { ...context, actor: { kind: 'user', id: userId } } });
          };
        },
      };
    },
  };
}

function groupItem({ groups, refuseIfOutranked }: ItemDeps, domainId: string, groupId: string): Item {
  const action = 'identity:add_user_to_group';
  return {
    detail: { group_id: groupId },
    action,
    async target(tx, inviter) {
      const group = await findGroup(tx, groupId);
      if (group) await refuseIfOutranked(tx, inviter, action, { groupId });
      return {
        facts: group ? { domains: [group.domain_id, domainId] } : {},
        get() {
          if (!group) fail('group.not_found', { id: groupId });
          return (transaction, userId) => groups.addIn(transaction, inviter, { groupId, userId });
        },
      };
    },
  };
}

function applicationRoleItem({ appAssignments }: ItemDeps, organizationId: string, item: ApplicationRole): Item {
  const { application_id: applicationId, role_id: roleId } = item;
  return {
    detail: { organization_id: organizationId, application_id: applicationId, role_id: roleId },
    action: 'add_role_to_user',
    async target(tx, inviter) {
      const { facts, get } = await appAssignments.futureTarget(tx, inviter, { organizationId, applicationId, roleId });
      return {
        facts,
        get() {
          const assignment = get();
          return (transaction, userId) => appAssignments.assignIn(transaction, inviter, { ...assignment, userId });
        },
      };
    },
  };
}

/** A role of an application in an organization has no effect for someone who is not in the organization. */
interface ItemGroups {
  readonly organization: Item | undefined;
  readonly groups: readonly Item[];
  readonly applicationRoles: readonly Item[];
}

function itemsOf(deps: ItemDeps, row: InvitationItems): ItemGroups {
  const { domain_id: domainId, organization_id: organizationId, role_id: roleId } = row;
  const inOrganization = organizationId !== null && roleId !== null;
  return {
    organization: inOrganization ? organizationItem(deps, domainId, organizationId, roleId) : undefined,
    groups: groupIdsOf(row).map((id) => groupItem(deps, domainId, id)),
    applicationRoles: inOrganization
      ? applicationRolesOf(row).map((item) => applicationRoleItem(deps, organizationId, item))
      : [],
  };
}

/** Why it cannot be given by anyone; undefined if it is there. */
function missing({ get }: IdentityTarget<Give>): Fault | undefined {
  try {
    get();
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.status < 500) return error;
    throw error;
  }
}

export function createItems(deps: ItemDeps) {
  return {
    /** Fails unless everything is there and the caller may give it. A caller who may not see something learns nothing about it. */
    async check(tx: Tx, caller: Caller, row: InvitationItems): Promise<void> {
      const { organization, groups, applicationRoles } = itemsOf(deps, row);
      for (const item of [...(organization ? [organization] : []), ...groups, ...applicationRoles]) {
        const target = await item.target(tx, caller);
        permit(caller, item.action, target.facts);
        target.get();
      }
    },

    /**
     * Returns what is still there, as functions that give it. What is gone is skipped with an audit event: nobody can give it any more,
     * and the person should not have to wait for the inviter. Fails if the inviter may no longer give one of the others.
     */
    async prepare(
      transaction: Change,
      inviter: Caller,
      id: string,
      row: InvitationItems,
    ): Promise<{ readonly gives: readonly Give[]; readonly joinsOrganization: boolean }> {
      const { organization, groups, applicationRoles } = itemsOf(deps, row);
      const skip = (item: Item, reason: string): void =>
        transaction.audit('invitation.item_skipped', { kind: 'invitation', id }, { ...item.detail, reason }, 'failure');
      const giveOf = async (item: Item): Promise<Give | undefined> => {
        const target = await item.target(transaction.tx, inviter);
        const problem = missing(target);
        if (problem) {
          skip(item, problem.code);
          return undefined;
        }
        permit(inviter, item.action, target.facts);
        return target.get();
      };
      const gives: Give[] = [];
      const joins = organization && (await giveOf(organization));
      if (joins) gives.push(joins);
      for (const item of joins ? [...groups, ...applicationRoles] : groups) {
        const give = await giveOf(item);
        if (give) gives.push(give);
      }
      if (!joins) for (const item of applicationRoles) skip(item, 'organization.not_found');
      return { gives, joinsOrganization: joins !== undefined };
    },
  };
}

export type InvitationItemRules = ReturnType<typeof createItems>;
