// A provisioning connection to a service that a runner started.
import type { RunningService } from '../support/service.ts';

async function call(service: RunningService, path: string, body: unknown, token?: string): Promise<Response> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token } : {}) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** The token of a connection to a new, empty domain: suites count resources. */
export async function connect(service: RunningService): Promise<string> {
  const user = { name: 'admin', password: service.adminPassword, domain: { id: 'default' } };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: 'admin', domain: { id: 'default' } } },
  };
  const admin = (await call(service, '/v3/auth/tokens', { auth })).headers.get('x-subject-token')!;
  const made = await call(service, '/v3/domains', { domain: { name: 'provisioned' } }, admin);
  const { domain } = (await made.json()) as { domain: { id: string } };
  const connected = await call(service, '/v3/OS-SCIM/connections', { connection: { domain_id: domain.id } }, admin);
  return ((await connected.json()) as { connection: { token: string } }).connection.token;
}
