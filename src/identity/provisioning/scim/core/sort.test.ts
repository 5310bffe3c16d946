import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userType } from './definitions.ts';
import { sortResources } from './sort.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function order(resources: readonly Record<string, unknown>[], sortBy?: string, sortOrder?: string): string {
  return sortResources(userType, resources, sortBy, sortOrder)
    .map(({ id }) => id)
    .join(' ');
}

describe('a sorted list', () => {
  it('looks at no case, unless the attribute is case exact', () => {
    const resources = [
      { id: '1', userName: 'bob', externalId: 'bob' },
      { id: '2', userName: 'Carol', externalId: 'Carol' },
      { id: '3', userName: 'Alice', externalId: 'alice' },
    ];
    assert.equal(order(resources, 'USERNAME'), '3 1 2');
    assert.equal(order(resources, 'userName', 'Descending'), '2 1 3');
    assert.equal(order(resources, 'externalId'), '2 3 1');
  });

  it('has resources without a value last, or first when descending', () => {
    const resources = [{ id: '1' }, { id: '2', title: 'b' }, { id: '3' }, { id: '4', title: 'a' }];
    assert.equal(order(resources, 'title'), '4 2 1 3');
    assert.equal(order(resources, 'title', 'descending'), '1 3 2 4');
  });

  it('keeps the order of equals', () => {
    const resources = ['1', '2', '3'].map((id) => ({ id, title: 'same' }));
    assert.equal(order(resources, 'title'), '1 2 3');
    assert.equal(order(resources, 'title', 'descending'), '1 2 3');
  });

  it('takes the primary of many values, or the first', () => {
    const resources = [
      { id: '1', emails: [{ value: 'a@x' }, { value: 'z@x', primary: true }] },
      { id: '2', emails: [{ value: 'm@x' }, { value: 'a@x' }] },
    ];
    assert.equal(order(resources, 'emails'), '2 1');
    assert.equal(order(resources, 'emails.value'), '2 1');
  });

  it('goes into complex attributes and extensions', () => {
    const resources = [
      { id: '1', name: { familyName: 'Jensen' }, [enterprise]: { manager: { value: 'a' } } },
      { id: '2', name: { familyName: 'Adams' }, [enterprise]: { manager: { value: 'b' } } },
    ];
    assert.equal(order(resources, 'name.familyName'), '2 1');
    assert.equal(order(resources, `${enterprise}:manager`), '1 2');
  });

  it('compares times and booleans by what they mean', () => {
    const resources = [
      { id: '1', active: true, meta: { created: '2011-08-01T18:29:49.793Z' } },
      { id: '2', active: false, meta: { created: '2011-08-01T19:29:49+02:00' } },
    ];
    assert.equal(order(resources, 'meta.created'), '2 1');
    assert.equal(order(resources, 'active'), '2 1');
  });

  for (const sortBy of [
    undefined,
    '',
    'nothing',
    '__proto__',
    'constructor.prototype',
    'x'.repeat(100_000),
    'password',
    'name',
  ]) {
    it(`is left as it is when sorted by ${sortBy?.slice(0, 30)}`, () => {
      const resources = [
        { id: '2', password: 'b' },
        { id: '1', password: 'a' },
      ];
      assert.equal(order(resources, sortBy), '2 1');
    });
  }
});
