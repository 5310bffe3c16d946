// clouds.yaml as the functional tests of OpenStack's clients expect it: the names are those of a development set-up (DevStack).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGION, type RunningService } from './service.ts';

const DEMO_PASSWORD = 'the password of the demo user';

const cloud = (name: string, url: string, auth: Readonly<Record<string, string>>): string => `  ${name}:
    region_name: ${REGION}
    identity_api_version: '3'
    auth:
      auth_url: ${url}/v3
      user_domain_id: default
${Object.entries(auth)
  .map(([key, value]) => `      ${key}: ${JSON.stringify(value)}\n`)
  .join('')}`;

/** Makes the two demo users, each a member of a project of its own, and writes clouds.yaml into the folder of the service. */
export async function writeClouds({ url, adminPassword, folder }: RunningService): Promise<void> {
  const identity = {
    methods: ['password'],
    password: { user: { name: 'admin', domain: { id: 'default' }, password: adminPassword } },
  };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  let token = '';
  const send = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${url}/v3/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { 'x-auth-token': token } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    token ||= answer.headers.get('x-subject-token') ?? '';
    return text === '' ? {} : JSON.parse(text);
  };
  await send('POST', 'auth/tokens', { auth: { identity, scope } });
  const [role] = (await send('GET', 'roles?name=member')).roles;
  for (const name of ['demo', 'alt_demo']) {
    const { project } = await send('POST', 'projects', { project: { name, domain_id: 'default' } });
    const { user } = await send('POST', 'users', { user: { name, password: DEMO_PASSWORD, domain_id: 'default' } });
    await send('PUT', `projects/${project.id}/users/${user.id}/roles/${role.id}`);
  }
  const admin = { username: 'admin', password: adminPassword };
  const inProject = (name: string) => ({ project_name: name, project_domain_id: 'default' });
  const clouds = [
    cloud('devstack-admin', url, { ...admin, ...inProject('admin') }),
    cloud('devstack-system-admin', url, { ...admin, system_scope: 'all' }),
    cloud('devstack', url, { username: 'demo', password: DEMO_PASSWORD, ...inProject('demo') }),
    cloud('devstack-alt', url, { username: 'alt_demo', password: DEMO_PASSWORD, ...inProject('alt_demo') }),
  ];
  writeFileSync(join(folder, 'clouds.yaml'), `clouds:\n${clouds.join('')}`);
}
