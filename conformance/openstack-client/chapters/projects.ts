import assert from 'node:assert/strict';
import { names, type OpenStackClient } from '../client.ts';

export async function projects(client: OpenStackClient): Promise<void> {
  await client.read('domain create west', 'a domain for projects', (domain) => assert.equal(domain.name, 'west'));
  const bridge = await client.read(
    "project create --domain default --description 'across the river' --tag steel --tag long --property height=40 bridge",
    'the project is shown, with its tags and its property',
    (project) => {
      assert.equal(project.name, 'bridge');
      assert.equal(project.description, 'across the river');
      assert.equal(project.domain_id, 'default');
      assert.equal(project.parent_id, 'default');
      assert.equal(project.enabled, true);
      assert.equal(project.is_domain, false);
      assert.deepEqual([...project.tags].sort(), ['long', 'steel']);
      assert.equal(project.height, '40');
    },
  );
  await client.refused('project create --domain default bridge', 'the name is taken', /HTTP 409/);
  await client.read('project create --domain default --or-show bridge', 'shows the one that is there', (project) =>
    assert.equal(project.id, bridge.id),
  );
  await client.read('project create --domain west bridge', 'another domain may have the name', (project) => {
    assert.notEqual(project.id, bridge.id);
    assert.notEqual(project.domain_id, 'default');
  });
  const values = { bridge: bridge.id };
  await client.read(
    'project create --domain default --parent {bridge} pillar',
    'a project below a project',
    (project) => assert.equal(project.parent_id, bridge.id),
    values,
  );
  await client.read('project list --long --domain west', 'only what is in the domain', (list) => {
    assert.deepEqual(names(list), ['bridge']);
    assert.equal(list[0].Enabled, true);
  });
  await client.read(
    'project list --parent {bridge}',
    'only what is below',
    (list) => assert.deepEqual(names(list), ['pillar']),
    values,
  );
  await client.read('project list --tags steel,long', 'only what has both tags', (list) =>
    assert.deepEqual(names(list), ['bridge']),
  );
  await client.read('project list --my-projects', 'where the administrator has a role', (list) =>
    assert.deepEqual(names(list), ['admin']),
  );
  await client.read('project show --domain default --parents pillar', 'the projects above', (project) =>
    assert.ok(Object.keys(project.parents).includes(bridge.id)),
  );
  await client.read('project show --domain default --children bridge', 'the projects below', (project) =>
    assert.equal(Object.keys(project.subtree).length, 1),
  );
  await client.run(
    "project set --name viaduct --description 'over the valley' --tag high {bridge}",
    'the project is changed',
    values,
  );
  await client.run('project set --remove-tag steel {bridge}', 'a tag is removed', values);
  await client.read(
    'project show --domain default viaduct',
    'the new name, description and tags; the property stays',
    (project) => {
      assert.equal(project.id, bridge.id);
      assert.equal(project.description, 'over the valley');
      assert.deepEqual([...project.tags].sort(), ['high', 'long']);
      assert.equal(project.height, '40');
    },
  );
  await client.refused('project delete --domain default viaduct', 'a project with others below is not deleted', /HTTP 403/);
  await client.run('project set --domain default --disable pillar', 'the project is disabled');
  await client.read('project show --domain default pillar', 'it is disabled', (project) => assert.equal(project.enabled, false));
  await client.run('project delete --domain default pillar viaduct', 'both are deleted');
  await client.refused('project show --domain default viaduct', 'it is gone', /No project/);
}
