import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowsRequest } from './access-rules.ts';

const allows = (pattern: string, path: string, rule: { method?: string; service?: string } = {}): boolean =>
  allowsRequest([{ id: 'rule', service: 'identity', method: 'GET', path: pattern, ...rule }], 'GET', path);

describe('An access rule', () => {
  const cases: readonly (readonly [pattern: string, allowed: readonly string[], refused: readonly string[]])[] = [
    ['/v3/users', ['/v3/users', '/v3/users/'], ['/v3/user', '/v3/users/one', '/v3', '/v3/usersx', '/v3/Users', 'v3/users']],
    ['/v3/users/*', ['/v3/users/one'], ['/v3/users', '/v3/users/', '/v3/users/one/groups']],
    ['/v3/users/{user_id}/groups', ['/v3/users/one/groups'], ['/v3/users/groups', '/v3/users/one/two/groups']],
    ['/v3/users/**', ['/v3/users', '/v3/users/one', '/v3/users/one/groups'], ['/v3', '/v3/groups', '/v3/users2/one']],
    ['/v3/**/groups', ['/v3/groups', '/v3/users/one/groups'], ['/v3/groups/one', '/v3/users/groups/one']],
    ['/**/a/**/b', ['/a/b', '/a/a/b/b', '/x/a/y/z/b'], ['/b/a', '/a', '/a/b/c']],
    ['/v3/user-*', ['/v3/user-one'], ['/v3/user-', '/v3/one', '/v3/auser-one']],
    ['/v3/*-user', ['/v3/one-user'], ['/v3/-user', '/v3/one-users']],
    ['/v3/a*a', ['/v3/aba', '/v3/aaa'], ['/v3/a', '/v3/aa', '/v3/ab']],
    ['/v3/ab*bc', ['/v3/ab-bc'], ['/v3/abc', '/v3/abbc']],
    ['/v3/a*b*c', ['/v3/a-b-c'], ['/v3/a-c', '/v3/acb-c-b', '/v3/abc', '/v3/a-bc', '/v3/ab-c']],
    ['/v3/*b*d*', ['/v3/abcde'], ['/v3/adcbe', '/v3/abce', '/v3/acde', '/v3/bcd', '/v3/abdc', '/v3/abcd']],
    ['/v3/*ab*ab*', ['/v3/xabxabx'], ['/v3/xabx', '/v3/xabax', '/v3/xababx']],
    ['/v3/{a}{b}', ['/v3/ab'], ['/v3/a']],
    ['/v3/a**b', ['/v3/a-b'], ['/v3/ab', '/v3/a/b']],
  ];
  for (const [pattern, allowed, refused] of cases)
    it(`for ${pattern} allows what it names, and nothing else`, () => {
      for (const path of allowed) assert.equal(allows(pattern, path), true, path);
      for (const path of refused) assert.equal(allows(pattern, path), false, path);
    });

  it('is for one method of this service', () => {
    assert.equal(allows('/v3/users', '/v3/users', { method: 'POST' }), false);
    assert.equal(allows('/v3/users', '/v3/users', { service: 'compute' }), false);
  });

  it('allows no path that could be read in two ways', () => {
    for (const path of ['/v3/users/%2e', '/v3/users/..', '/v3/../users', '/v3/./users', '/v3//users', '/v3/a#b', '/v3/a\\b'])
      assert.equal(allows('/**', path), false, path);
    assert.equal(allows('/**', '/v3/..users.'), true);
  });
});
