import assert from 'node:assert/strict';
import { names, type OpenStackClient } from '../client.ts';

export async function domains(client: OpenStackClient): Promise<void> {
  await client.read("domain create --description 'up there' north", 'the domain is shown', (domain) => {
    assert.equal(domain.name, 'north');
    assert.equal(domain.description, 'up there');
    assert.equal(domain.enabled, true);
  });
  await client.refused('domain create north', 'the name is taken', /HTTP 409/);
  await client.read('domain list', 'has the new domain and the default one', (list) => {
    assert.ok(names(list).includes('north') && names(list).includes('Default'));
  });
  await client.refused('domain delete north', 'an enabled domain is not deleted', /HTTP 403/);
  await client.run("domain set --description 'up here' --disable north", 'the domain is changed');
  await client.read('domain show north', 'is disabled, with the new description', (domain) => {
    assert.equal(domain.enabled, false);
    assert.equal(domain.description, 'up here');
  });
  await client.run('domain delete north', 'the domain is deleted');
  await client.refused('domain show north', 'it is gone', /No domain/);
}
