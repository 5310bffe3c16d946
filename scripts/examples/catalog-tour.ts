// Calls the operations about what belongs to services and endpoints: policies and limits.
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

export async function tourPolicies(api: Recorder, endpointId: string): Promise<void> {
  const call = api.call.bind(api);
  const { policy } = await call('POST', '/v3/policies', {
    body: { policy: { type: 'application/json', blob: '{"papers:read": "role:reader"}' } },
  });
  const one = `/v3/policies/${policy.id}`;
  await call('GET', '/v3/policies');
  await call('GET', one);
  await call('PATCH', one, { body: { policy: { blob: '{"papers:read": "role:member"}' } } });
  await call('PUT', `${one}/OS-ENDPOINT-POLICY/endpoints/${endpointId}`);
  await call('GET', `${one}/OS-ENDPOINT-POLICY/endpoints`);
  await call('GET', `/v3/endpoints/${endpointId}/OS-ENDPOINT-POLICY/policy`);
}
