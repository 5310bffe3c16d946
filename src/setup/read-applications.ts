// Reads applications with their roles, permissions, links and assignments.
import type { Body } from './client.ts';
import type { Key } from './model.ts';
import { type Json, OPENID_FIELDS } from './schema.ts';
import { pathId, type State, textOf } from './state.ts';

/** Applications of the service itself: the internal roles, and the wallet node. */
export const OWN_APPLICATIONS: ReadonlySet<string> = new Set(['idm_admin_app', 'gatehouse_wallet']);

const OWN = { keep: 'it belongs to the service', builtIn: true };
const FIXED = ['id', 'name', 'links', 'extra', 'secret', 'previous_secret_expires_at', 'response_type'];
/** Fields of the file. What else an application has is an attribute. */
const KNOWN = ['description', 'client_type', 'grant_type', 'kind', 'redirect_uris', 'scopes', ...Object.keys(OPENID_FIELDS)];

function applicationFields(body: Body) {
  const entries = Object.entries(body).filter(([name]) => !FIXED.includes(name));
  return {
    name: textOf(body, 'name'),
    ...Object.fromEntries(
      entries.map(([name, value]) => [KNOWN.includes(name) ? name : `attributes.${name}`, value as Json] as const),
    ),
  };
}

interface Named {
  readonly id: string;
  readonly key: Key;
  readonly isInScope: boolean;
}

/** Names of applications are not unique. Those with a common name, and those that the file names by id, have their id as key. */
async function readConsumers(state: State): Promise<Map<string, Named>> {
  const bodies = await state.client.list('/v3/OS-OAUTH2/consumers', 'consumers');
  const counts = new Map<string, number>();
  for (const body of bodies) counts.set(textOf(body, 'name'), (counts.get(textOf(body, 'name')) ?? 0) + 1);
  const { applications, applicationIds } = state.need;
  const known = new Map<string, Named>();
  for (const body of bodies) {
    const id = textOf(body, 'id');
    const name = textOf(body, 'name');
    const byId = applicationIds.has(id) || (counts.get(name)! > 1 && !applications?.has(name));
    const key = byId ? `#${id}` : name;
    known.set(id, {
      id,
      key: [key],
      isInScope: (applications?.has(key) ?? true) && !(applications === undefined && OWN_APPLICATIONS.has(id)),
    });
    state.add({
      kind: 'application',
      key: [key],
      id,
      url: `/v3/OS-OAUTH2/consumers/${pathId(id)}`,
      fields: applicationFields(body),
      ...(OWN_APPLICATIONS.has(id) ? OWN : {}),
    });
  }
  return known;
}

interface Part extends Named {
  readonly applicationId: string;
}

async function readParts(state: State, known: ReadonlyMap<string, Named>, kind: 'application_role' | 'permission') {
  const list = kind === 'permission' ? 'permissions' : 'roles';
  const parts = new Map<string, Part>();
  for (const body of await state.client.list(`/v3/OS-ROLES/${list}`, list)) {
    const id = textOf(body, 'id');
    const application = known.get(textOf(body, 'application_id'));
    if (!application) continue;
    const key = [...application.key, textOf(body, 'name')];
    parts.set(id, { id, key, applicationId: application.id, isInScope: application.isInScope });
    state.add({
      kind,
      key,
      id,
      url: `/v3/OS-ROLES/${list}/${pathId(id)}`,
      fields: {
        internal: body.is_internal === true,
        ...(kind === 'permission'
          ? { action: (body.action ?? null) as Json, resource: (body.resource ?? null) as Json, xml: (body.xml ?? null) as Json }
          : {}),
      },
      ...(OWN_APPLICATIONS.has(application.id) ? OWN : {}),
    });
  }
  return parts;
}

async function readLinks(state: State, roles: ReadonlyMap<string, Part>, permissions: ReadonlyMap<string, Part>): Promise<void> {
  const inScope = [...roles.values()].filter((role) => role.isInScope);
  const lists = await state.client.each(inScope, ({ id }) =>
    state.client.list(`/v3/OS-ROLES/roles/${pathId(id)}/permissions`, 'permissions'),
  );
  for (const [index, role] of inScope.entries())
    for (const body of lists[index]!) {
      const permission = permissions.get(textOf(body, 'id'));
      if (!permission) continue;
      const path = `/v3/OS-ROLES/roles/${pathId(role.id)}/permissions/${pathId(permission.id)}`;
      state.add({ kind: 'role_permission', key: [...role.key, ...permission.key], id: path, url: path, fields: {} });
    }
}

async function readAssignments(
  state: State,
  kind: 'organization_assignment' | 'user_assignment',
  known: ReadonlyMap<string, Named>,
  roles: ReadonlyMap<string, Part>,
): Promise<void> {
  const { client } = state;
  const who = kind === 'user_assignment' ? 'users' : 'organizations';
  const inScope = [...known.values()].filter((one) => one.isInScope);
  await client.each(inScope, async (application) => {
    const rows = await client.list(
      `/v3/OS-ROLES/${who}/role_assignments?application_id=${pathId(application.id)}`,
      'role_assignments',
    );
    for (const row of rows) {
      const role = roles.get(textOf(row, 'role_id'));
      const organization = await state.lookUp('organization', textOf(row, 'organization_id'));
      const user = kind === 'user_assignment' ? await state.lookUp('user', textOf(row, 'user_id')) : [];
      // Deleted since the list was read.
      if (!role || !organization || !user) continue;
      const start = kind === 'user_assignment' ? `users/${pathId(textOf(row, 'user_id'))}/` : '';
      const path = `/v3/OS-ROLES/${start}organizations/${pathId(textOf(row, 'organization_id'))}/applications/${pathId(application.id)}/roles/${pathId(role.id)}`;
      state.add({
        kind,
        key: [...application.key, ...role.key, ...organization, ...user],
        id: path,
        url: path,
        fields: {},
        ...(textOf(row, 'user_id') === client.me.userId ? { keep: 'it is your own' } : {}),
      });
    }
  });
}

export async function readApplications(state: State): Promise<void> {
  const known = await readConsumers(state);
  if (!state.needs('application_role', 'permission', 'role_permission', 'organization_assignment', 'user_assignment')) return;
  const roles = await readParts(state, known, 'application_role');
  if (state.needs('permission', 'role_permission')) {
    const permissions = await readParts(state, known, 'permission');
    if (state.needs('role_permission')) await readLinks(state, roles, permissions);
  }
  for (const kind of ['organization_assignment', 'user_assignment'] as const)
    if (state.needs(kind)) await readAssignments(state, kind, known, roles);
}
