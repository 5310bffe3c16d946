// What an application of the town does with the generated client. Every path, body and field here is checked by the types that
// openapi-typescript made from the documents.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths as IdentityPaths } from './identity.d.ts';
import type { paths as WalletPaths } from './wallet.d.ts';

type User = components['schemas']['User'];
type NewUser = components['schemas']['NewUser'];

const { IDENTITY = '', WALLET = '', ADMIN_PASSWORD = '', AUDIENCE = '' } = process.env;
const identity = createClient<IdentityPaths>({ baseUrl: IDENTITY });
const wallet = createClient<WalletPaths>({ baseUrl: WALLET });

/** The body of a good answer. */
function good<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): NonNullable<Data> {
  assert.ok(response.ok, `${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<Data>;
}

async function logIn(name: string, password: string): Promise<{ token: string; userId: string }> {
  const answer = await identity.POST('/v3/auth/tokens', {
    body: { auth: { identity: { methods: ['password'], password: { user: { name, domain: { id: 'default' }, password } } } } },
  });
  const { token } = good(answer);
  return { token: answer.response.headers.get('x-subject-token')!, userId: token.user.id };
}

async function people(): Promise<{ ada: User; project: string; group: string }> {
  const { project } = good(await identity.POST('/v3/projects', { body: { project: { name: 'Library', tags: ['culture'] } } }));
  const body: NewUser = {
    name: 'ada',
    password: 'the password of ada',
    email: 'ada@town.example',
    default_project_id: project.id,
  };
  const { user } = good(await identity.POST('/v3/users', { body: { user: body } }));
  assert.equal(user.email, 'ada@town.example');
  const { group } = good(await identity.POST('/v3/groups', { body: { group: { name: 'Librarians' } } }));
  good(
    await identity.PUT('/v3/groups/{group_id}/users/{user_id}', { params: { path: { group_id: group.id, user_id: user.id } } }),
  );
  const { users } = good(await identity.GET('/v3/users', { params: { query: { name: 'ada' } } }));
  assert.deepEqual(
    users.map(({ id }) => id),
    [user.id],
  );
  return { ada: user, project: project.id, group: group.id };
}

/** A base role, granted to a person on a project. */
async function grant(userId: string, projectId: string): Promise<void> {
  const { roles } = good(await identity.GET('/v3/roles', { params: { query: { name: 'member' } } }));
  const path = { project_id: projectId, user_id: userId, role_id: roles[0]!.id };
  good(await identity.PUT('/v3/projects/{project_id}/users/{user_id}/roles/{role_id}', { params: { path } }));
  const { role_assignments: assignments } = good(
    await identity.GET('/v3/role_assignments', { params: { query: { 'user.id': userId, include_names: 'true' } } }),
  );
  assert.equal(assignments[0]?.role.name, 'member');
}

/** An application with a role and a permission, assigned to the person in the project. */
async function application(userId: string, projectId: string): Promise<{ id: string; secret: string }> {
  const { consumer } = good(
    await identity.POST('/v3/OS-OAUTH2/consumers', {
      body: { consumer: { name: 'Orders', grant_type: 'client_credentials' } },
    }),
  );
  const application_id = consumer.id;
  const { role } = good(await identity.POST('/v3/OS-ROLES/roles', { body: { role: { name: 'Buyer', application_id } } }));
  const { permission } = good(
    await identity.POST('/v3/OS-ROLES/permissions', {
      body: { permission: { name: 'Place orders', application_id, action: 'POST', resource: '/orders' } },
    }),
  );
  good(
    await identity.PUT('/v3/OS-ROLES/roles/{role_id}/permissions/{permission_id}', {
      params: { path: { role_id: role.id, permission_id: permission.id } },
    }),
  );
  good(
    await identity.PUT(
      '/v3/OS-ROLES/users/{user_id}/organizations/{organization_id}/applications/{application_id}/roles/{role_id}',
      { params: { path: { user_id: userId, organization_id: projectId, application_id, role_id: role.id } } },
    ),
  );
  const may = good(
    await identity.GET('/v3/OS-ROLES/users/{user_id}/applications/{application_id}/permissions', {
      params: { path: { user_id: userId, application_id } },
    }),
  );
  const everything = [...may.permissions, ...may.organizations.flatMap(({ permissions }) => permissions)];
  assert.deepEqual(
    everything.map(({ name }) => name),
    ['Place orders'],
  );
  return { id: consumer.id, secret: consumer.secret };
}

async function validate(subject: string): Promise<void> {
  const { token } = good(await identity.GET('/v3/auth/tokens', { params: { header: { 'X-Subject-Token': subject } } }));
  assert.equal(token.user.name, 'ada');
  good(await identity.DELETE('/v3/auth/tokens', { params: { header: { 'X-Subject-Token': subject } } }));
  const { error, response } = await identity.GET('/v3/auth/tokens', { params: { header: { 'X-Subject-Token': subject } } });
  assert.equal(response.status, 404);
  assert.equal(error?.error.code, 404);
}

/** An access token with which the application uses a wallet of its own. */
async function walletToken({ id, secret }: { id: string; secret: string }): Promise<string> {
  const tokens = good(
    await identity.POST('/openid/token', {
      body: { grant_type: 'client_credentials', resource: AUDIENCE },
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      bodySerializer: (body) => new URLSearchParams(body as unknown as Record<string, string>).toString(),
    }),
  );
  return tokens.access_token;
}

async function keysAndDids(): Promise<void> {
  const key = good(await wallet.POST('/api/v1/wallet/keys', { body: { algorithm: 'ES256', alias: 'Signing' } }));
  const did = good(await wallet.POST('/api/v1/wallet/dids', { body: { method: 'web', path: 'library', keyIds: [key.id] } }));
  const published = good(await wallet.POST('/api/v1/wallet/dids/{id}/publish', { params: { path: { id: did.id } }, body: {} }));
  assert.equal(published.state, 'published');
  const document = good(await wallet.GET('/dids/{name}/did.json', { params: { path: { name: 'library' } } }));
  assert.equal(document.id, did.did);
  const taken = await wallet.POST('/api/v1/wallet/dids', { body: { method: 'web', path: 'library' } });
  assert.deepEqual([taken.response.status, taken.error?.code], [409, 'did-exists']);
}

const administrator = await logIn('admin', ADMIN_PASSWORD);
identity.use({
  onRequest: ({ request }) => {
    if (!request.headers.has('Authorization')) request.headers.set('X-Auth-Token', administrator.token);
    return request;
  },
});
const { ada, project } = await people();
await grant(ada.id, project);
const consumer = await application(ada.id, project);
await validate((await logIn('ada', 'the password of ada')).token);
const token = await walletToken(consumer);
wallet.use({
  onRequest: ({ request }) => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return request;
  },
});
await keysAndDids();
console.log('logged in, made people, a project, a grant, an application with a role, and in the wallet a key and a DID');
