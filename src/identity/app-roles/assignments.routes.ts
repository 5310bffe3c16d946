// Who holds roles of applications: /v3/OS-ROLES/users/..., /v3/OS-ROLES/organizations/...

import { Answer } from '../../platform/http/index.ts';
import { andThen } from '../../platform/soon.ts';
import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
import {
  AllowedApplications,
  AllowedRoles,
  Holdings,
  OrganizationAssignmentList,
  UserAssignmentList,
} from './app-roles.schema.ts';
import type { AppAssignments } from './assignments.rules.ts';

const tag = 'Role assignments in applications';

const OF_USERS = filtered(['user_id', 'organization_id', 'application_id', 'role_id'], [], {
  default_organization: 'With user_id, whatever the value: only those in the organization of their own.',
});
const OF_ORGANIZATIONS = filtered(['organization_id', 'application_id', 'role_id']);

interface AssignmentParams {
  readonly user_id: string;
  readonly organization_id?: string;
  readonly application_id: string;
  readonly role_id: string;
}

export function mountAppAssignments(app: IdentityApp, { appAssignments }: { appAssignments: AppAssignments }): void {
  const ofUser = ({ user_id, organization_id, application_id, role_id }: AssignmentParams) => ({
    userId: user_id,
    ...(organization_id === undefined ? {} : { organizationId: organization_id }),
    applicationId: application_id,
    roleId: role_id,
  });
  const ofOrganization = ({ organization_id, application_id, role_id }: Required<Omit<AssignmentParams, 'user_id'>>) => ({
    organizationId: organization_id,
    applicationId: application_id,
    roleId: role_id,
  });

  app.get(
    '/v3/OS-ROLES/users/role_assignments',
    { summary: 'List role assignments of users', tag, described: OF_USERS, reply: { 200: UserAssignmentList } },
    async (call) => {
      const page = await appAssignments.listOfUsers(call.caller, call.query);
      return listOf(call, 'role_assignments', { ...page, items: page.items.map(({ id: _, ...row }) => row) });
    },
  );

  const inDefault = '/v3/OS-ROLES/users/:user_id/applications/:application_id/roles/:role_id';
  const inOrganization = '/v3/OS-ROLES/users/:user_id/organizations/:organization_id/applications/:application_id/roles/:role_id';
  app.put(
    inDefault,
    { summary: 'Give a user a role, in their own organization', tag, reply: { 200: null } },
    async ({ caller, params }) => appAssignments.assign(caller, ofUser(params)),
  );
  app.delete(
    inDefault,
    { summary: 'Take a role from a user, in their own organization', tag, reply: { 204: null } },
    async ({ caller, params }) => appAssignments.unassign(caller, ofUser(params)),
  );
  app.put(
    inOrganization,
    { summary: 'Give a user a role inside an organization', tag, reply: { 200: null } },
    async ({ caller, params }) => appAssignments.assign(caller, ofUser(params)),
  );
  app.delete(
    inOrganization,
    { summary: 'Take a role from a user inside an organization', tag, reply: { 204: null } },
    async ({ caller, params }) => appAssignments.unassign(caller, ofUser(params)),
  );

  app.get(
    '/v3/OS-ROLES/organizations/role_assignments',
    {
      summary: 'List role assignments of organizations',
      tag,
      described: OF_ORGANIZATIONS,
      reply: { 200: OrganizationAssignmentList },
    },
    async (call) => {
      const page = await appAssignments.listOfOrganizations(call.caller, call.query);
      return listOf(call, 'role_assignments', { ...page, items: page.items.map(({ id: _, ...row }) => row) });
    },
  );
  const organization = '/v3/OS-ROLES/organizations/:organization_id/applications/:application_id/roles/:role_id';
  app.put(organization, { summary: 'Give an organization a role', tag, reply: { 200: null } }, async ({ caller, params }) =>
    appAssignments.assignToOrganization(caller, ofOrganization(params)),
  );
  app.delete(
    organization,
    { summary: 'Take a role from an organization, and from its users what depended on it', tag, reply: { 204: null } },
    async ({ caller, params }) => appAssignments.unassignFromOrganization(caller, ofOrganization(params)),
  );

  app.get(
    '/v3/OS-ROLES/users/:user_id/applications/:application_id/permissions',
    {
      summary: 'Ask what a user may do in an application: roles and permissions, also in each organization',
      fromMemory: true,
      tag,
      reply: { 200: Holdings },
    },
    ({ caller, params }) =>
      andThen(
        appAssignments.holdings(caller, params.user_id, params.application_id),
        ({ text, bytes }) => new Answer({ text, bytes }),
      ),
  );
}

/** What the old clients ask before they show a button. */
export function mountAllowed(app: IdentityApp, { appAssignments }: { appAssignments: AppAssignments }): void {
  const user = '/v3/OS-ROLES/users/:user_id/organizations/:organization_id';
  const organization = '/v3/OS-ROLES/organizations/:organization_id';

  app.get(
    `${user}/roles/allowed`,
    { summary: 'Roles a user may assign', tag, reply: { 200: AllowedRoles } },
    async ({ caller, params }) => ({
      allowed_roles: await appAssignments.allowedRoles(caller, params.organization_id, params.user_id),
    }),
  );
  app.get(
    `${organization}/roles/allowed`,
    { summary: 'Roles an organization may assign', tag, reply: { 200: AllowedRoles } },
    async ({ caller, params }) => ({
      allowed_roles: await appAssignments.allowedRoles(caller, params.organization_id),
    }),
  );
  const kinds = [
    { path: 'allowed', permission: 'manage-application', what: 'manage' },
    { path: 'allowed_roles', permission: 'manage-roles', what: 'manage the roles of' },
  ] as const;
  for (const { path, permission, what } of kinds) {
    app.get(
      `${user}/applications/${path}`,
      { summary: `Applications a user may ${what}`, tag, reply: { 200: AllowedApplications } },
      async ({ caller, params }) => ({
        allowed_applications: await appAssignments.allowedApplications(
          caller,
          permission,
          params.organization_id,
          params.user_id,
        ),
      }),
    );
    app.get(
      `${organization}/applications/${path}`,
      { summary: `Applications an organization may ${what}`, tag, reply: { 200: AllowedApplications } },
      async ({ caller, params }) => ({
        allowed_applications: await appAssignments.allowedApplications(caller, permission, params.organization_id),
      }),
    );
  }
}
