import assert from 'node:assert/strict';
import type { OpenStackClient } from '../client.ts';

export async function catalog(client: OpenStackClient): Promise<void> {
  await client.read('catalog list', 'has the identity service with three endpoints', (list) => {
    const identity = list.find(({ Type }: { Type: string }) => Type === 'identity');
    const { Endpoints: endpoints } = identity as { Endpoints: { interface: string; region: string }[] };
    assert.deepEqual(endpoints.map((one) => one.interface).sort(), ['admin', 'internal', 'public']);
    assert.ok(endpoints.every(({ region }) => region === 'RegionOne'));
  });
  await client.read('catalog show identity', 'the same by its type', (service) => {
    assert.equal(service.type, 'identity');
    assert.equal(service.endpoints.length, 3);
  });

  await client.read("region create --description 'the islands' Islands", 'the region is shown', (region) => {
    assert.equal(region.region, 'Islands');
    assert.equal(region.description, 'the islands');
    assert.equal(region.parent_region, null);
  });
  await client.read('region create --parent-region Islands Atoll', 'a region within a region', (region) =>
    assert.equal(region.parent_region, 'Islands'),
  );
  await client.read('region list --parent-region Islands', 'only what is within', (list) =>
    assert.deepEqual(
      list.map(({ Region }: { Region: string }) => Region),
      ['Atoll'],
    ),
  );
  await client.run("region set --description 'the far islands' Islands", 'the region is changed');
  await client.read('region show Islands', 'the new description', (region) =>
    assert.equal(region.description, 'the far islands'),
  );

  await client.read("service create --name harbour --description 'for ships' shipping", 'the service is shown', (service) => {
    assert.equal(service.name, 'harbour');
    assert.equal(service.type, 'shipping');
    assert.equal(service.enabled, true);
  });
  await client.run("service set --name port --description 'for all ships' --disable harbour", 'the service is changed');
  await client.read('service show port', 'the new name and description, disabled', (service) => {
    assert.equal(service.description, 'for all ships');
    assert.equal(service.type, 'shipping');
    assert.equal(service.enabled, false);
  });
  await client.run('service set --enable port', 'the service is enabled');
  await client.read('service list --long', 'has the service, enabled', (list) => {
    assert.equal(list.find(({ Name }: { Name: string }) => Name === 'port').Enabled, true);
  });

  const endpoint = await client.read(
    'endpoint create --region Atoll shipping public http://127.0.0.1:1/%(project_id)s',
    'the endpoint is shown',
    (made) => {
      assert.equal(made.region, 'Atoll');
      assert.equal(made.interface, 'public');
      assert.equal(made.service_type, 'shipping');
      assert.equal(made.enabled, true);
    },
  );
  const values = { endpoint: endpoint.id };
  await client.read('endpoint list --service shipping --interface public --region Atoll', 'has just that one', (list) => {
    assert.equal(list.length, 1);
    assert.equal(list[0].ID, endpoint.id);
  });
  await client.read('catalog show shipping', 'with the project in its address', (service) =>
    assert.match(service.endpoints[0].url, /^http:\/\/127\.0\.0\.1:1\/[0-9a-f]{32}$/),
  );
  await client.refused('region delete Atoll', 'a region with an endpoint is not deleted', /HTTP 403/);
  await client.run('endpoint set --url http://127.0.0.1:2 --disable {endpoint}', 'the endpoint is changed', values);
  await client.read(
    'endpoint show {endpoint}',
    'the new address, disabled',
    (shown) => {
      assert.equal(shown.url, 'http://127.0.0.1:2');
      assert.equal(shown.enabled, false);
    },
    values,
  );
  await client.read('catalog show shipping', 'a disabled endpoint is not in the catalog', (service) =>
    assert.deepEqual(service.endpoints, []),
  );
  await client.run('endpoint delete {endpoint}', 'the endpoint is deleted', values);
  await client.run('service delete port', 'the service is deleted');
  await client.run('region delete Atoll Islands', 'both regions are deleted');
  await client.read('region list', 'they are gone', (list) =>
    assert.deepEqual(
      list.map(({ Region }: { Region: string }) => Region),
      ['RegionOne'],
    ),
  );
}
