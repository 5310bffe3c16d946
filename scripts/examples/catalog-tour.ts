// Calls the operations about what belongs to services and endpoints: the endpoints of projects, policies and limits.
import { LOGO } from '../../test/support/pictures.ts';
import type { Recorder } from './recorder.ts';

export async function tourLimits(api: Recorder, serviceId: string, projectId: string): Promise<void> {
  const call = api.call.bind(api);
  const boxes = { service_id: serviceId, resource_name: 'boxes' };
  const { registered_limits: made } = await call('POST', '/v3/registered_limits', {
    body: { registered_limits: [{ ...boxes, default_limit: 10, description: 'Boxes of papers' }] },
  });
  const registered = `/v3/registered_limits/${made[0].id}`;
  await call('GET', '/v3/registered_limits');
  await call('GET', registered);
  await call('PATCH', registered, { body: { registered_limit: { default_limit: 20 } } });
  const { limits } = await call('POST', '/v3/limits', {
    body: { limits: [{ ...boxes, project_id: projectId, resource_limit: 500 }] },
  });
  const limit = `/v3/limits/${limits[0].id}`;
  await call('GET', limit);
  await call('PATCH', limit, { body: { limit: { resource_limit: 400, description: 'The library keeps the old ones' } } });
  await call('GET', '/v3/limits/model');
  // With the token of a project, its own are listed.
  await call('GET', '/v3/limits');
}

export async function tourPolicies(api: Recorder, policyId: string, endpointId: string): Promise<void> {
  const call = api.call.bind(api);
  const one = `/v3/policies/${policyId}`;
  await call('PUT', `${one}/OS-ENDPOINT-POLICY/endpoints/${endpointId}`);
  await call('GET', `${one}/OS-ENDPOINT-POLICY/endpoints`);
  await call('GET', `/v3/endpoints/${endpointId}/OS-ENDPOINT-POLICY/policy`);
}

export async function tourEndpointFilter(api: Recorder, groupId: string, endpointId: string, projectId: string): Promise<void> {
  const call = api.call.bind(api);
  const one = `/v3/OS-EP-FILTER/endpoint_groups/${groupId}`;
  await call('PUT', `${one}/projects/${projectId}`);
  await call('GET', `${one}/projects/${projectId}`);
  await call('GET', `${one}/projects`);
  await call('GET', `${one}/endpoints`);
  const project = `/v3/OS-EP-FILTER/projects/${projectId}`;
  await call('PUT', `${project}/endpoints/${endpointId}`);
  await call('GET', `${project}/endpoints`);
  await call('GET', `${project}/endpoint_groups`);
  await call('GET', `/v3/OS-EP-FILTER/endpoints/${endpointId}/projects`);
  await call('DELETE', `${project}/endpoints/${endpointId}`);
  await call('DELETE', `${one}/projects/${projectId}`);
}

export async function tourDomainConfig(api: Recorder, domainId: string): Promise<void> {
  const call = api.call.bind(api);
  const config = `/v3/domains/${domainId}/config`;
  const ldap = { url: 'ldap://directory.town.example', user_tree_dn: 'ou=People,dc=town,dc=example' };
  await call('PUT', config, { body: { config: { identity: { driver: 'ldap' }, ldap } } });
  await call('PUT', config, { body: { config: { identity: { driver: 'ldap' }, ldap } } });
  for (const path of ['', '/ldap', '/ldap/url']) await call('GET', `${config}${path}`);
  await call('PATCH', config, { body: { config: { ldap: { suffix: 'dc=town,dc=example' } } } });
  await call('PATCH', `${config}/ldap`, { body: { config: { ldap: { page_size: 500 } } } });
  await call('PATCH', `${config}/ldap/url`, { body: { config: { url: 'ldaps://directory.town.example' } } });
  const directory = `/v3/OS-SERVICE/domains/${domainId}/directory`;
  await call('GET', directory);
  await call('POST', `${directory}/read`);
  const nobody = { 'ldap.url': 'ldap://127.0.0.1:1', 'ldap.suffix': 'dc=town,dc=example' };
  await call('POST', `${directory}/test`, { body: { test: { settings: nobody } } });
  await call('DELETE', config);
  const settings = `/v3/OS-SERVICE/domains/${domainId}/settings`;
  await call('GET', settings);
  await call('PATCH', settings, { body: { settings: { 'passwords.expires_days': '90', 'passkeys.policy': null } } });
  await call('PATCH', settings, { body: { settings: { 'passwords.expires_days': null } } });
  const look = `/v3/OS-SERVICE/domains/${domainId}/look`;
  for (const kind of ['logo', 'favicon']) {
    await call('PUT', `${look}/${kind}`, { body: { picture: LOGO.logo } });
    await call('GET', `${look}/${kind}`);
    await call('DELETE', `${look}/${kind}`);
  }
  await call('POST', `${look}/preview`, { body: { look: { name: 'Harbour', color: '#aa0000' } } });
  for (const path of ['', '/identity', '/identity/driver']) await call('GET', `/v3/domains/config${path}/default`);
  const compliance = '/v3/domains/default/config/security_compliance';
  await call('GET', compliance);
  await call('GET', `${compliance}/password_regex`);
}
