// Concurrent changes to one resource: none overwrites the others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase, uniqueName } from './support/api.ts';
import { makeApplication } from './support/applications.ts';

const FIELDS = Array.from({ length: 12 }, (_, index) => `field_${index}`);

onEachDatabase('Changes that come together', (api) => {
  const things: Record<string, () => Promise<{ path: string; envelope: string }>> = {
    'a user': async () => ({ path: `/v3/users/${(await api.make('user', { name: uniqueName('u') })).id}`, envelope: 'user' }),
    'a project': async () => ({
      path: `/v3/projects/${(await api.make('project', { name: uniqueName('p') })).id}`,
      envelope: 'project',
    }),
    'a domain': async () => ({
      path: `/v3/domains/${(await api.make('domain', { name: uniqueName('d') })).id}`,
      envelope: 'domain',
    }),
    'a group': async () => ({ path: `/v3/groups/${(await api.make('group', { name: uniqueName('g') })).id}`, envelope: 'group' }),
    'a role': async () => ({ path: `/v3/roles/${(await api.make('role', { name: uniqueName('r') })).id}`, envelope: 'role' }),
    'a region': async () => ({ path: `/v3/regions/${(await api.make('region', {})).id}`, envelope: 'region' }),
    'a service': async () => ({
      path: `/v3/services/${(await api.make('service', { type: 'test' })).id}`,
      envelope: 'service',
    }),
    'an endpoint': async () => {
      const service = await api.make('service', { type: 'test' });
      const endpoint = await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://test' });
      return { path: `/v3/endpoints/${endpoint.id}`, envelope: 'endpoint' };
    },
    'a consumer': async () => ({ path: `/v3/OS-OAUTH2/consumers/${(await makeApplication(api)).id}`, envelope: 'consumer' }),
  };

  for (const [name, make] of Object.entries(things)) {
    it(`keep every field of ${name}`, async () => {
      const { path, envelope } = await make();
      const answers = await Promise.all(FIELDS.map((field) => api.patch(path, { [envelope]: { [field]: field } })));
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
      const kept = (await api.get(path)).body[envelope];
      for (const field of FIELDS) assert.equal(kept[field], field);
    });
  }
});
