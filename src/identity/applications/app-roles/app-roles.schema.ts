// Wire format of roles and permissions of applications, and of their assignments.
import { t } from '../../../platform/http/index.ts';
import type { AppPermissionRow, AppRoleRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const Id = t.string({ minLength: 1, maxLength: 64 });
/** A client's own id is accepted and ignored. */
const ignored = { id: t.unknown() };
const detail = {
  action: t.nullable(t.string({ maxLength: 255 })),
  resource: t.nullable(t.string({ maxLength: 2048 })),
  xml: t.nullable(t.string()),
};

const newRole = { name: 'reader', application_id: 'a0c5' };
const newPermission = { name: 'Read the reports', application_id: 'a0c5', action: 'GET', resource: '/reports' };
const NewAppRole = t.object(
  { name: Name, application_id: Id },
  { is_internal: t.boolean(), ...ignored },
  { examples: [newRole] },
);
export const CreateAppRole = t.envelope('role', NewAppRole);
const AppRoleChanges = t.open(
  {},
  { name: Name, application_id: Id, is_internal: t.boolean() },
  { examples: [{ name: 'viewer' }] },
);
export const UpdateAppRole = t.envelope('role', AppRoleChanges);
const NewPermission = t.object(
  { name: Name, application_id: Id },
  { is_internal: t.boolean(), ...detail, ...ignored },
  { examples: [newPermission] },
);
export const CreatePermission = t.envelope('permission', NewPermission);
const PermissionChanges = t.open(
  {},
  { name: Name, application_id: Id, is_internal: t.boolean(), ...detail },
  { examples: [{ action: 'POST' }] },
);
export const UpdatePermission = t.envelope('permission', PermissionChanges);

const shared = { id: t.string(), name: t.string(), application_id: t.string(), is_internal: t.boolean(), links: Links };
const AppRole = t.object(
  shared,
  {},
  {
    examples: [
      {
        id: 'e1d6',
        name: 'member',
        application_id: 'a0c5',
        is_internal: false,
        links: { self: 'http://localhost:5000/v3/OS-ROLES/roles/e1d6' },
      },
    ],
  },
);
const Permission = t.object(
  {
    ...shared,
    action: t.nullable(t.string()),
    resource: t.nullable(t.string()),
    xml: t.nullable(t.string()),
  },
  {},
  {
    examples: [
      {
        id: '5ac1',
        name: 'Read the reports',
        application_id: 'a0c5',
        is_internal: false,
        action: 'GET',
        resource: '/reports',
        xml: null,
        links: { self: 'http://localhost:5000/v3/OS-ROLES/permissions/5ac1' },
      },
    ],
  },
);
export const AppRoleEnvelope = t.envelope('role', AppRole);
export const AppRoleList = t.object({ links: ListLinks, roles: t.array(AppRole) });
export const PermissionEnvelope = t.envelope('permission', Permission);
export const PermissionList = t.object({ links: ListLinks, permissions: t.array(Permission) });

const assignmentFields = { organization_id: t.string(), application_id: t.string(), role_id: t.string() };
const exampleAssignment = { organization_id: '77b0', application_id: 'a0c5', role_id: 'e1d6' };
/** With `include_names`. */
const NamedReference = t.object({ id: t.string(), name: t.string() });
const assignmentNames = { organization: NamedReference, role: NamedReference };
const UserAssignment = t.object(
  { ...assignmentFields, user_id: t.string() },
  { ...assignmentNames, user: NamedReference },
  { examples: [{ ...exampleAssignment, user_id: '1f42' }] },
);
const OrganizationAssignment = t.object(assignmentFields, assignmentNames, { examples: [exampleAssignment] });
export const UserAssignmentList = t.object({ links: ListLinks, role_assignments: t.array(UserAssignment) });
export const OrganizationAssignmentList = t.object({ links: ListLinks, role_assignments: t.array(OrganizationAssignment) });

export const AllowedRoles = t.object(
  { allowed_roles: t.record(t.array(t.string())) },
  {},
  { examples: [{ allowed_roles: { a0c5: ['e1d6'] } }] },
);
export const AllowedApplications = t.object(
  { allowed_applications: t.array(t.string()) },
  {},
  { examples: [{ allowed_applications: ['a0c5'] }] },
);

const AssignedRole = t.object({ id: t.string(), name: t.string() });
const AssignedPermission = t.object({
  id: t.string(),
  name: t.string(),
  action: t.nullable(t.string()),
  resource: t.nullable(t.string()),
  xml: t.nullable(t.string()),
  is_internal: t.boolean(),
});
const rolesAndPermissions = { roles: t.array(AssignedRole), permissions: t.array(AssignedPermission) };
/** What a user may do in an application: in their own organization, and in each other one. */
export const UserPermissionsReply = t.object(
  { ...rolesAndPermissions, organizations: t.array(t.object({ id: t.string(), name: t.string(), ...rolesAndPermissions })) },
  {},
  {
    examples: [
      {
        roles: [{ id: 'e1d6', name: 'reader' }],
        permissions: [
          { id: '5ac1', name: 'Read the reports', action: 'GET', resource: '/reports', xml: null, is_internal: false },
        ],
        organizations: [{ id: '77b0', name: 'Library', roles: [], permissions: [] }],
      },
    ],
  },
);

export const renderAppRole = (base: string, row: AppRoleRow) => ({
  id: row.id,
  name: row.name,
  application_id: row.application_id,
  is_internal: row.is_internal === 1,
  links: { self: `${base}/v3/OS-ROLES/roles/${row.id}` },
});

export const renderPermission = (base: string, row: AppPermissionRow) => ({
  id: row.id,
  name: row.name,
  application_id: row.application_id,
  is_internal: row.is_internal === 1,
  action: row.action,
  resource: row.resource,
  xml: row.xml,
  links: { self: `${base}/v3/OS-ROLES/permissions/${row.id}` },
});

t.name({
  NewAppRole,
  CreateAppRole,
  AppRoleChanges,
  UpdateAppRole,
  NewPermission,
  CreatePermission,
  PermissionChanges,
  UpdatePermission,
  AppRole,
  Permission,
  AppRoleEnvelope,
  AppRoleList,
  PermissionEnvelope,
  PermissionList,
  NamedReference,
  UserAssignment,
  OrganizationAssignment,
  UserAssignmentList,
  OrganizationAssignmentList,
  AllowedRoles,
  AllowedApplications,
  AssignedRole,
  AssignedPermission,
  UserPermissions: UserPermissionsReply,
});
