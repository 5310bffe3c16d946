// Assignments of application roles: /v3/OS-ROLES/users/..., /v3/OS-ROLES/organizations/...

import { Answer } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import {
  AllowedApplications,
  AllowedRoles,
  OrganizationAssignmentList,
  UserAssignmentList,
  UserPermissionsReply,
} from './app-roles.schema.ts';
import type { AppAssignments } from './assignments.rules.ts';

const tag = 'Role assignments in applications';

const INCLUDE_NAMES = 'true: with the names of users, organizations and roles.';
const OF_USERS = filterDocumentation(
  ['user_id', 'organization_id', 'application_id', 'role_id', 'user_name', 'organization_name', 'role_name'],
  [],
  {
    include_names: INCLUDE_NAMES,
    default_organization: 'With user_id: only assignments in the default organization of the user. The value is ignored.',
  },
);
const OF_ORGANIZATIONS = filterDocumentation(
  ['organization_id', 'application_id', 'role_id', 'organization_name', 'role_name'],
  [],
  {
    include_names: INCLUDE_NAMES,
  },
);

interface AssignmentParams {
  readonly user_id: string;
  readonly organization_id?: string;
  readonly application_id: string;
  readonly role_id: string;
}

export function mountAppAssignments(app: IdentityApp, { appAssignments }: { appAssignments: AppAssignments }): void {
  const ofUser = ({ caller, params }: { caller: Caller; params: AssignmentParams }) =>
    appAssignments.target(caller, {
      userId: params.user_id,
      ...(params.organization_id === undefined ? {} : { organizationId: params.organization_id }),
      applicationId: params.application_id,
      roleId: params.role_id,
    });
  const ofOrganization = ({ caller, params }: { caller: Caller; params: Required<Omit<AssignmentParams, 'user_id'>> }) =>
    appAssignments.target(caller, {
      organizationId: params.organization_id,
      applicationId: params.application_id,
      roleId: params.role_id,
    });

  app.get(
    '/v3/OS-ROLES/users/role_assignments',
    {
      id: 'listUserAppAssignments',
      summary: 'List role assignments of users',
      description: 'Filtered by user, organization, application and role.',
      tag,
      rule: 'list_user_assignments',
      target: ({ caller, query }) => appAssignments.listTarget(caller, query, 'app_user_roles'),
      documentation: OF_USERS,
      reply: { 200: UserAssignmentList },
    },
    async (call) => {
      const page = await appAssignments.listOfUsers(call.query, call.target);
      return listOf(call, 'role_assignments', { ...page, items: page.items.map(({ id: _, ...row }) => row) });
    },
  );

  const userPaths = [
    {
      path: '/v3/OS-ROLES/users/:user_id/applications/:application_id/roles/:role_id',
      name: 'User',
      where: ' in their default organization',
    },
    {
      path: '/v3/OS-ROLES/users/:user_id/organizations/:organization_id/applications/:application_id/roles/:role_id',
      name: 'UserIn',
      where: ' in an organization',
    },
  ] as const;
  for (const { path, name, where } of userPaths) {
    app.put(
      path,
      {
        id: `addAppRoleTo${name}`,
        summary: `Give a user a role${where}`,
        tag,
        rule: 'add_role_to_user',
        target: ofUser,
        reply: { 200: null },
      },
      ({ caller, target }) => appAssignments.assign(caller, target),
    );
    app.delete(
      path,
      {
        id: `removeAppRoleFrom${name}`,
        summary: `Take a role from a user${where}`,
        tag,
        rule: 'remove_role_from_user',
        target: ofUser,
        reply: { 204: null },
      },
      ({ caller, target }) => appAssignments.unassign(caller, target),
    );
  }

  app.get(
    '/v3/OS-ROLES/organizations/role_assignments',
    {
      id: 'listOrganizationAppAssignments',
      summary: 'List role assignments of organizations',
      description: 'Filtered by organization, application and role.',
      tag,
      rule: 'list_organization_assignments',
      target: ({ caller, query }) => appAssignments.listTarget(caller, query, 'app_organization_roles'),
      documentation: OF_ORGANIZATIONS,
      reply: { 200: OrganizationAssignmentList },
    },
    async (call) => {
      const page = await appAssignments.listOfOrganizations(call.query, call.target);
      return listOf(call, 'role_assignments', { ...page, items: page.items.map(({ id: _, ...row }) => row) });
    },
  );
  const organization = '/v3/OS-ROLES/organizations/:organization_id/applications/:application_id/roles/:role_id';
  app.put(
    organization,
    {
      id: 'addAppRoleToOrganization',
      summary: 'Give an organization a role',
      description: 'Members of the organization can then be given the role in it.',
      tag,
      rule: 'add_role_to_organization',
      target: ofOrganization,
      reply: { 200: null },
    },
    ({ caller, target }) => appAssignments.assignToOrganization(caller, target),
  );
  app.delete(
    organization,
    {
      id: 'removeAppRoleFromOrganization',
      summary: 'Take a role from an organization',
      description: 'Users of the organization lose the roles that depended on it.',
      tag,
      rule: 'remove_role_from_organization',
      target: ofOrganization,
      reply: { 204: null },
    },
    ({ caller, target }) => appAssignments.unassignFromOrganization(caller, target),
  );

  app.get(
    '/v3/OS-ROLES/users/:user_id/applications/:application_id/permissions',
    {
      id: 'getUserPermissions',
      summary: 'Show the roles and permissions of a user in an application',
      description: 'What a proxy asks: in their own organization, and in each other one. Answered from memory.',
      fromMemory: true,
      tag,
      rule: 'get_user_permissions',
      target: ({ caller, params }) => appAssignments.permissionsTarget(caller, params.user_id, params.application_id),
      reply: { 200: UserPermissionsReply },
    },
    ({ target: { text, bytes } }) => new Answer({ text, bytes }),
  );
}

/** Old clients call these to decide which buttons to show. */
export function mountAllowed(app: IdentityApp, { appAssignments }: { appAssignments: AppAssignments }): void {
  const kinds = [
    { path: 'allowed', name: 'Applications', permission: 'manage-application', what: 'manage' },
    { path: 'allowed_roles', name: 'RoleApplications', permission: 'manage-roles', what: 'manage the roles of' },
  ] as const;
  const assignees = [
    { assignee: '/v3/OS-ROLES/users/:user_id/organizations/:organization_id', of: 'OfUser', who: 'a user' },
    { assignee: '/v3/OS-ROLES/organizations/:organization_id', of: 'OfOrganization', who: 'an organization' },
  ] as const;
  const target = ({ params }: { params: { user_id?: string; organization_id: string } }) =>
    appAssignments.assigneeTarget({
      ...(params.user_id === undefined ? {} : { userId: params.user_id }),
      organizationId: params.organization_id,
    });

  for (const { assignee, of, who } of assignees)
    app.get(
      `${assignee}/roles/allowed`,
      {
        id: `listAssignableRoles${of}`,
        summary: `List the roles ${who} may assign`,
        description: 'Ids of roles by application.',
        tag,
        rule: 'list_allowed_roles',
        target,
        reply: { 200: AllowedRoles },
      },
      async (call) => ({ allowed_roles: await appAssignments.allowedRoles(call.caller, call.target) }),
    );
  for (const { path, name, permission, what } of kinds)
    for (const { assignee, of, who } of assignees)
      app.get(
        `${assignee}/applications/${path}`,
        {
          id: `list${name}${of}`,
          summary: `List the applications ${who} may ${what}`,
          description: 'Ids of applications.',
          tag,
          rule: 'list_allowed_applications',
          target,
          reply: { 200: AllowedApplications },
        },
        async (call) => ({
          allowed_applications: await appAssignments.allowedApplications(call.caller, call.target, permission),
        }),
      );
}
