import assert from 'node:assert/strict';
import { names, type OpenStackClient } from '../client.ts';

interface Inference {
  readonly 'Prior Role Name': string;
  readonly 'Implied Role Name': string;
}

const implies = (list: readonly Inference[], prior: string, implied: string): boolean =>
  list.some((rule) => rule['Prior Role Name'] === prior && rule['Implied Role Name'] === implied);

export async function roles(client: OpenStackClient): Promise<void> {
  const cook = await client.read("role create --description 'makes food' cook", 'the role is shown', (role) => {
    assert.equal(role.name, 'cook');
    assert.equal(role.description, 'makes food');
    assert.equal(role.domain_id, null);
  });
  await client.read('role create taster', 'another role', (role) => assert.equal(role.name, 'taster'));
  await client.read('role create --domain default waiter', 'a role of a domain', (role) =>
    assert.equal(role.domain_id, 'default'),
  );
  await client.read('role list', 'has the global roles only', (list) => {
    for (const name of ['admin', 'member', 'reader', 'cook', 'taster']) assert.ok(names(list).includes(name), name);
    assert.equal(names(list).includes('waiter'), false);
  });
  await client.read('role list --domain default', 'has the role of the domain', (list) =>
    assert.deepEqual(names(list), ['waiter']),
  );
  await client.read('implied role create --implied-role taster cook', 'the rule is shown', (rule) => {
    assert.equal(rule.prior_role, cook.id);
    assert.ok(rule.implies);
  });
  await client.read('implied role list', 'has the rule', (list) => assert.ok(implies(list, 'cook', 'taster')));
  await client.run('implied role delete --implied-role taster cook', 'the rule is deleted');
  await client.read('implied role list', 'the rule is gone, others stay', (list) => {
    assert.equal(implies(list, 'cook', 'taster'), false);
    assert.ok(implies(list, 'admin', 'member') && implies(list, 'member', 'reader'));
  });
  await client.run("role set --name chef --description 'leads the kitchen' cook", 'the role is changed');
  await client.read('role show chef', 'the new name and description', (role) => {
    assert.equal(role.id, cook.id);
    assert.equal(role.description, 'leads the kitchen');
  });
  await client.run('role delete chef taster', 'both are deleted');
  await client.run('role delete --domain default waiter', 'the role of the domain is deleted');
  await client.refused('role show chef', 'it is gone', /No role/);
}
