// Test data for applications: an application, its roles, and users with their own organizations.
import assert from 'node:assert/strict';
import { type TestApi, uniqueName } from './api.ts';

export async function makeApplication(api: TestApi, values: Record<string, unknown> = {}, token?: string): Promise<any> {
  const answer = await api.post(
    '/v3/OS-OAUTH2/consumers',
    { consumer: { name: uniqueName('app'), ...values } },
    token === undefined ? {} : { token },
  );
  assert.equal(answer.status, 200, answer.text);
  return answer.body.consumer;
}

export async function makeRole(
  api: TestApi,
  application: { id: string },
  values: Record<string, unknown> = {},
  token?: string,
): Promise<any> {
  const role = { name: uniqueName('role'), application_id: application.id, ...values };
  const answer = await api.post('/v3/OS-ROLES/roles', { role }, token === undefined ? {} : { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.role;
}

export async function makePermission(
  api: TestApi,
  application: { id: string },
  values: Record<string, unknown> = {},
): Promise<any> {
  const permission = { name: uniqueName('permission'), application_id: application.id, ...values };
  const answer = await api.post('/v3/OS-ROLES/permissions', { permission });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.permission;
}

/** A user with their own organization, as registration creates them. */
export async function makePerson(api: TestApi) {
  const organization = await api.make('project', { name: uniqueName('own') });
  return {
    ...(await api.persona(['member'], { project: organization.id }, { default_project_id: organization.id })),
    organization,
  };
}

/** An organization with these users as members. */
export async function makeOrganization(api: TestApi, ...members: readonly { user: { id: string } }[]): Promise<any> {
  const organization = await api.make('project', { name: uniqueName('organization') });
  const member = await api.roleId('member');
  for (const { user } of members) await api.put(`/v3/projects/${organization.id}/users/${user.id}/roles/${member}`);
  return organization;
}

interface AssignmentRefs {
  readonly user?: { id: string };
  readonly organization?: { id: string };
  readonly application: { id: string };
  readonly role: { id: string };
}

/** The path of a role assignment of a user, of a user in an organization, or of an organization. */
export function assignmentPath({ user, organization, application, role }: AssignmentRefs): string {
  const holder = [user && `users/${user.id}`, organization && `organizations/${organization.id}`].filter(Boolean).join('/');
  return `/v3/OS-ROLES/${holder}/applications/${application.id}/roles/${role.id}`;
}

export async function assign(api: TestApi, where: AssignmentRefs): Promise<void> {
  const answer = await api.put(assignmentPath(where));
  assert.equal(answer.status, 200, answer.text);
}
