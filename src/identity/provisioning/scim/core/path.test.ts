import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../ground/faults.ts';
import { groupType, userType } from './definitions.ts';
import { parsePath } from './path.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const refused = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('reads the paths of RFC 7644, figure 7', () => {
  const members = parsePath(groupType, 'members');
  assert.deepEqual(members.attributePath?.keys, ['members']);
  assert.deepEqual(parsePath(userType, 'name.familyName').attributePath?.keys, ['name', 'familyName']);
  const work = parsePath(userType, 'addresses[type eq "work"]');
  assert.ok(!work.extension);
  assert.deepEqual(work.attributePath.keys, ['addresses']);
  assert.equal(work.filter?.kind, 'compare');
  assert.equal(work.sub, undefined);
  const member = parsePath(groupType, 'members[value eq "2819c223-7f76-453a-919d-413861904646"].display');
  assert.ok(!member.extension);
  assert.equal(member.sub?.name, 'display');
  assert.deepEqual(member.attributePath.keys, ['members']);
});

test('reads names in any case and after a URN', () => {
  assert.deepEqual(parsePath(userType, 'URN:ietf:params:scim:schemas:CORE:2.0:user:NAME.familyname').attributePath?.keys, [
    'name',
    'familyName',
  ]);
  assert.deepEqual(parsePath(userType, `${enterprise.toUpperCase()}:MANAGER.Value`).attributePath?.keys, [
    enterprise,
    'manager',
    'value',
  ]);
  const emails = parsePath(userType, 'urn:ietf:params:scim:schemas:core:2.0:User:Emails[TYPE eq "work"].VALUE');
  assert.ok(!emails.extension);
  assert.equal(emails.sub?.name, 'value');
});

test('knows a path that is an extension as a whole', () => {
  assert.equal(parsePath(userType, enterprise.toLowerCase()).extension?.id, enterprise);
});

test('lets strings in the filter hold brackets', () => {
  const path = parsePath(userType, 'emails[value eq "a]b[c"].type');
  assert.ok(!path.extension);
  assert.deepEqual(path.filter?.kind === 'compare' && path.filter.value, 'a]b[c');
  assert.equal(path.sub?.name, 'type');
});

const wrongPaths = [
  '',
  'unknown',
  'name.unknown',
  'name..familyName',
  '__proto__',
  'constructor.name',
  'emails.__proto__',
  'emails[type eq "work"].__proto__',
  'emails[type eq "work"].unknown',
  'emails[type eq "work"]value',
  'emails[type eq "work"].',
  'emails[type eq "work"',
  'emails]type eq "work"[',
  'unknown[type eq "work"]',
  'emails.value[type eq "work"]',
  'name[familyName eq "x"]',
  'userName[value eq "x"]',
  'schemas[value eq "x"]',
  '/userName',
  'userName title',
  'urn:ietf:params:scim:schemas:core:2.0:User',
];

for (const path of wrongPaths) {
  test(`refuses the path ${JSON.stringify(path)}`, () => {
    assert.throws(() => parsePath(userType, path), refused('scim.invalid_path'));
  });
}

for (const path of [
  'emails[]',
  'emails[type]',
  'emails[type eq "work"][value pr]',
  'emails[ims[type pr]]',
  'emails[type eq "x]',
]) {
  test(`refuses the filter in ${path}`, () => {
    assert.throws(() => parsePath(userType, path), refused('scim.invalid_filter'));
  });
}

test('shows no more than 100 characters of a path', () => {
  assert.throws(
    () => parsePath(userType, 'x'.repeat(10_000)),
    (error) => error instanceof Fault && error.message.length < 200,
  );
});
