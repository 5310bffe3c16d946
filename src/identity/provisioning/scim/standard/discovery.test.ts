import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../../test/support/api.ts';
import {
  assertScimRefused,
  connect,
  ENTERPRISE,
  GROUP,
  LIST,
  ORGANIZATION,
  SCIM_JSON,
  type ScimClient,
  USER,
} from '../../../../../test/support/scim.ts';

onUsualDatabase('SCIM discovery', (api) => {
  let scim: ScimClient;
  before(async () => {
    scim = (await connect(api)).scim;
  });

  it('says what the service can do', async () => {
    const answer = await scim.get('/ServiceProviderConfig');
    const config = assertOk(answer);
    assert.equal(answer.headers.get('content-type'), SCIM_JSON);
    assert.deepEqual(config.schemas, ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig']);
    for (const feature of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag']) {
      assert.equal(config[feature].supported, true, feature);
    }
    assert.deepEqual(config.bulk, { supported: true, maxOperations: 1000, maxPayloadSize: 1_048_576 });
    assert.equal(config.filter.maxResults, 1000);
    assert.deepEqual([config.pagination.cursor, config.pagination.index], [true, true]);
    assert.deepEqual(
      config.authenticationSchemes.map(({ type }: { type: string }) => type),
      ['oauthbearertoken', 'httpheader'],
    );
    assert.equal(config.meta.location, `${api.url}/scim/v2/ServiceProviderConfig`);
    assert.deepEqual((await scim.get('/serviceProviderConfig')).body, config);
  });

  it('lists the kinds of resources, and shows each by its id in any case', async () => {
    const { schemas, totalResults, Resources } = await scim.list('/ResourceTypes');
    assert.deepEqual([schemas, totalResults], [[LIST], 5]);
    const shown = Resources.map(({ id, endpoint, schema }: any) => [id, endpoint, schema]);
    assert.deepEqual(shown, [
      ['User', '/Users', USER],
      ['Group', '/Groups', GROUP],
      ['Organization', '/Organizations', ORGANIZATION],
      ['Role', '/Roles', 'urn:okta:scim:schemas:core:1.0:Role'],
      ['Entitlement', '/Entitlements', 'urn:okta:scim:schemas:core:1.0:Entitlement'],
    ]);
    assert.deepEqual(Resources[0].schemaExtensions, [{ schema: ENTERPRISE, required: false }]);
    for (const type of Resources) {
      assert.equal(type.meta.location, `${api.url}/scim/v2/ResourceTypes/${type.id}`);
      for (const id of [type.id, type.id.toUpperCase(), type.id.toLowerCase()]) {
        assert.deepEqual(await scim.show(`/ResourceTypes/${id}`), type);
      }
    }
  });

  it('lists the schemas, and shows each by its URN in any case', async () => {
    const { totalResults, Resources } = await scim.list('/Schemas');
    assert.equal(totalResults, 6);
    assert.deepEqual(
      Resources.map(({ id }: { id: string }) => id),
      [
        USER,
        ENTERPRISE,
        GROUP,
        ORGANIZATION,
        'urn:okta:scim:schemas:core:1.0:Role',
        'urn:okta:scim:schemas:core:1.0:Entitlement',
      ],
    );
    for (const schema of Resources) {
      assert.equal(schema.meta.location, `${api.url}/scim/v2/Schemas/${schema.id}`);
      assert.ok(schema.attributes.length > 0);
      assert.deepEqual(await scim.show(`/Schemas/${schema.id}`), schema);
      assert.deepEqual(await scim.show(`/schemas/${schema.id.toUpperCase()}`), schema);
    }
    const password = Resources[0].attributes.find(({ name }: { name: string }) => name === 'password');
    assert.deepEqual([password.returned, password.mutability], ['never', 'writeOnly']);
  });

  it('shows every attribute a user can have in the schemas', async () => {
    const { body: user } = await scim.get(`/Users/${(await scim.makeUser({ title: 'x', [ENTERPRISE]: { division: 'y' } })).id}`);
    const { Resources } = await scim.list('/Schemas');
    const namesIn = (id: string): string[] =>
      Resources.find((schema: any) => schema.id === id).attributes.map(({ name }: { name: string }) => name);
    const common = ['schemas', 'id', 'externalId', 'meta', ENTERPRISE];
    for (const key of Object.keys(user)) assert.ok([...common, ...namesIn(USER)].includes(key), key);
    for (const key of Object.keys(user[ENTERPRISE])) assert.ok(namesIn(ENTERPRISE).includes(key), key);
  });

  it('refuses a filter with 403', async () => {
    for (const path of ['/Schemas', '/ResourceTypes']) assertScimRefused(await scim.get(`${path}?filter=id%20pr`), 403);
  });

  it('is 404 for what there is not, with SCIM’s body', async () => {
    for (const path of ['/Nothing', '/Schemas/urn:none', '/ResourceTypes/Device', '/Users/a/b', '', '/', '/Users/x/groups']) {
      assertScimRefused(await scim.get(path), 404);
    }
  });

  it('is 405 for methods that a path does not have, with SCIM’s body and those it has', async () => {
    const wrong: [string, string, RegExp][] = [
      ['PUT', '/Users', /GET, HEAD, OPTIONS, POST/],
      ['DELETE', '/Users', /GET, HEAD, OPTIONS, POST/],
      ['POST', '/Users/some', /DELETE, GET, HEAD, OPTIONS, PATCH, PUT/],
      ['GET', '/Bulk', /POST/],
      ['POST', '/Schemas', /GET, HEAD/],
      ['DELETE', '/ServiceProviderConfig', /GET, HEAD/],
      ['DELETE', '/Me', /GET, HEAD, OPTIONS, PATCH, PUT/],
    ];
    for (const [method, path, allowed] of wrong) {
      const answer = await scim.request(method, path, method === 'GET' || method === 'DELETE' ? {} : { body: {} });
      assertScimRefused(answer, 405);
      assert.match(answer.headers.get('allow') ?? '', allowed);
    }
  });
});
