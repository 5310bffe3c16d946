import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupType, userType } from './definitions.ts';
import { findAttributePath, findExtension, findSubAttribute } from './lookup.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const keys = (text: string) => findAttributePath(userType, text)?.keys;

describe('the path of an attribute', () => {
  it('is found by a plain name and by a sub-attribute', () => {
    assert.deepEqual(keys('userName'), ['userName']);
    assert.deepEqual(keys('name.givenName'), ['name', 'givenName']);
    assert.deepEqual(keys('emails.value'), ['emails', 'value']);
    assert.deepEqual(keys('groups.$ref'), ['groups', '$ref']);
  });

  it('is found after the URN of its schema (RFC 7644, 3.10)', () => {
    assert.deepEqual(keys(`${core}:name.givenName`), ['name', 'givenName']);
    assert.deepEqual(keys(`${enterprise}:department`), [enterprise, 'department']);
    assert.deepEqual(keys(`${enterprise}:manager.value`), [enterprise, 'manager', 'value']);
  });

  it('is found in any case, in the spelling of the schema', () => {
    assert.deepEqual(keys('USERNAME'), ['userName']);
    assert.deepEqual(keys(`${enterprise}:Manager.VALUE`.toUpperCase()), [enterprise, 'manager', 'value']);
  });

  it('is found for what every resource has', () => {
    assert.deepEqual(keys('id'), ['id']);
    assert.deepEqual(keys('meta.lastModified'), ['meta', 'lastModified']);
    assert.deepEqual(findAttributePath(groupType, 'externalid')?.keys, ['externalId']);
  });

  it('names the attributes on the way, without the extension', () => {
    const names = findAttributePath(userType, `${enterprise}:manager.$ref`)?.attributes.map(({ name }) => name);
    assert.deepEqual(names, ['manager', '$ref']);
  });

  for (const text of [
    '',
    'nothing',
    'name.nothing',
    'name.givenName.x',
    'department',
    'members',
    core,
    enterprise,
    `${enterprise}:userName`,
    `${enterprise}.department`,
    ' userName',
    'userName\n',
    'emails[type eq "work"]',
    'nic\u212AName',
    '__proto__',
    'constructor',
    'constructor.prototype',
    'toString',
    'name.__proto__',
    'hasOwnProperty',
    'a'.repeat(1_000_000),
  ]) {
    it(`is not found for ${JSON.stringify(text.slice(0, 70))}`, () => assert.equal(findAttributePath(userType, text), undefined));
  }
});

describe('an extension', () => {
  it('is found by its URN, in any case', () => {
    assert.equal(findExtension(userType, enterprise.toUpperCase())?.id, enterprise);
  });

  it('is not found by anything else', () => {
    for (const text of [core, 'constructor', '__proto__', `${enterprise}:`])
      assert.equal(findExtension(userType, text), undefined);
    assert.equal(findExtension(groupType, enterprise), undefined);
  });
});

describe('a sub-attribute', () => {
  it('is found in any case, and only if the schema has it', () => {
    const [members] = findAttributePath(groupType, 'members')!.attributes;
    assert.equal(findSubAttribute(members, '$REF')?.name, '$ref');
    assert.equal(findSubAttribute(members, '__proto__'), undefined);
    assert.equal(findSubAttribute(members, 'constructor'), undefined);
  });
});
