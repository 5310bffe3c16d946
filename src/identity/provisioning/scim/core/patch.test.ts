import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../ground/faults.ts';
import type { Resource } from './attribute.ts';
import { groupType, userType } from './definitions.ts';
import { memberSteps } from './members.ts';
import { applyPatch, type PatchOperation, readOperations } from './patch.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const work = { value: 'bjensen@example.com', type: 'work', primary: true };
const home = { value: 'babs@jensen.org', type: 'home' };
const office = { type: 'work', streetAddress: '100 Universal City Plaza', locality: 'Hollywood', primary: true };
const flat = { type: 'home', streetAddress: '456 Hollywood Blvd', locality: 'Hollywood' };
const user: Resource = frozen({
  id: '2819c223-7f76-453a-919d-413861904646',
  userName: 'bjensen',
  name: { familyName: 'Jensen', givenName: 'Barbara' },
  title: 'Tour Guide',
  active: true,
  emails: [work, home],
  addresses: [office, flat],
  groups: [{ value: 'g1', display: 'Tour Guides' }],
  [enterprise]: { department: 'Tours', manager: { value: 'm1', displayName: 'John' } },
});
const alice = { display: 'Alice', value: 'a1' };
const bob = { display: 'Bob', value: 'b2' };
const group: Resource = frozen({ id: 'g1', displayName: 'Tour Guides', members: [alice, bob] });

/** Frozen: writing to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
}

const message = (...operations: unknown[]) => ({ schemas: [patchOp], Operations: operations });
const patched = (...operations: unknown[]): any => applyPatch(userType, user, readOperations(message(...operations)));
const patchedGroup = (...operations: unknown[]): any => applyPatch(groupType, group, readOperations(message(...operations)));
const refuses = (code: string, run: () => unknown): void =>
  assert.throws(run, (error) => error instanceof Fault && error.code === code);

// RFC 7644, 3.5.2.1: add.

test('adds members to a group', () => {
  const babs = { display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819', value: '2819' };
  assert.deepEqual(patchedGroup({ op: 'add', path: 'members', value: [babs] }).members, [alice, bob, babs]);
});

test('adds to a user without a path', () => {
  const value = { emails: [{ value: 'babs@example.org', type: 'other' }], nickname: 'Babs' };
  const after = patched({ op: 'add', value });
  assert.deepEqual(after.emails, [work, home, { value: 'babs@example.org', type: 'other' }]);
  assert.equal(after.nickName, 'Babs');
});

test('adds no value that is there already', () => {
  assert.deepEqual(patched({ op: 'add', path: 'emails', value: [{ primary: true, type: 'work', value: work.value }] }), user);
});

test('adds a value to an attribute with one value by replacing it, and merges a complex one', () => {
  assert.equal(patched({ op: 'add', path: 'title', value: 'Boss' }).title, 'Boss');
  const name = { familyName: 'Smith', middleName: 'J' };
  assert.deepEqual(patched({ op: 'add', path: 'name', value: name }).name, { ...name, givenName: 'Barbara' });
});

test('adds to elements that a filter finds', () => {
  const after = patched({ op: 'add', path: 'emails[type eq "home"]', value: { display: 'Home' } });
  assert.deepEqual(after.emails, [work, { ...home, display: 'Home' }]);
});

test('takes primary from the others when a value becomes primary', () => {
  const added = { value: 'new@example.com', primary: true };
  assert.deepEqual(patched({ op: 'add', path: 'emails', value: [added] }).emails, [{ ...work, primary: false }, home, added]);
  const after = patched({ op: 'replace', path: 'emails[type eq "home"].primary', value: true });
  assert.deepEqual(after.emails, [
    { ...work, primary: false },
    { ...home, primary: true },
  ]);
});

// RFC 7644, 3.5.2.2: remove.

test('removes one member by a filter', () => {
  assert.deepEqual(patchedGroup({ op: 'remove', path: 'members[value eq "a1"]' }).members, [bob]);
});

test('removes all members, and the attribute with them', () => {
  assert.ok(!('members' in patchedGroup({ op: 'remove', path: 'members' })));
  assert.ok(!('members' in patchedGroup({ op: 'remove', path: 'members[value pr]' })));
});

test('removes by a filter of two comparisons', () => {
  const path = 'emails[type eq "work" and value ew "example.com"]';
  assert.deepEqual(patched({ op: 'remove', path }).emails, [home]);
});

test('removes one member and adds another in one request', () => {
  const james = { display: 'James Smith', value: '08e1d05d' };
  const after = patchedGroup({ op: 'remove', path: 'members[value eq "b2"]' }, { op: 'add', path: 'members', value: [james] });
  assert.deepEqual(after.members, [alice, james]);
});

test('removes sub-attributes, and what becomes empty', () => {
  assert.deepEqual(patched({ op: 'remove', path: 'name.givenName' }).name, { familyName: 'Jensen' });
  assert.deepEqual(patched({ op: 'remove', path: 'emails[type eq "home"].value' }).emails, [work, { type: 'home' }]);
  assert.ok(!('name' in patched({ op: 'remove', path: 'name.givenName' }, { op: 'remove', path: 'name.familyName' })));
  assert.ok(!('addresses' in patched({ op: 'remove', path: 'addresses' })));
  const extension = [`${enterprise}:department`, `${enterprise}:manager`].map((path) => ({ op: 'remove', path }));
  assert.ok(!(enterprise in patched(...extension)));
  assert.ok(!(enterprise in patched({ op: 'remove', path: enterprise })));
});

test('removes from nothing', () => {
  assert.deepEqual(patched({ op: 'remove', path: 'nickName' }), user);
  assert.deepEqual(patched({ op: 'remove', path: 'ims' }), user);
  assert.deepEqual(patched({ op: 'remove', path: 'emails[type eq "other"]' }), user);
  assert.deepEqual(patched({ op: 'remove', path: 'name.middleName' }), user);
});

test('refuses a removal without a path', () => {
  refuses('scim.no_target', () => patched({ op: 'remove' }));
  refuses('scim.no_target', () => patched({ op: 'remove', path: '', value: { title: 'x' } }));
});

// RFC 7644, 3.5.2.3: replace.

test('replaces all members', () => {
  const members = [
    { display: 'Babs', value: '2819' },
    { display: 'James', value: '08e1' },
  ];
  assert.deepEqual(patchedGroup({ op: 'replace', path: 'members', value: members }).members, members);
});

test('replaces the address that a filter finds, and no other', () => {
  const value = { type: 'work', streetAddress: '911 Universal City Plaza', country: 'US', primary: true };
  assert.deepEqual(patched({ op: 'replace', path: 'addresses[type eq "work"]', value }).addresses, [value, flat]);
});

test('replaces one sub-attribute of the address that a filter finds', () => {
  const after = patched({ op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' });
  assert.deepEqual(after.addresses, [{ ...office, streetAddress: '1010 Broadway Ave' }, flat]);
});

test('replaces attributes without a path', () => {
  const value = { emails: [{ value: 'only@example.com', type: 'work' }], nickname: 'Babs' };
  const after = patched({ op: 'replace', value });
  assert.deepEqual(after.emails, value.emails);
  assert.equal(after.nickName, 'Babs');
  assert.equal(after.userName, 'bjensen');
});

test('leaves the parts of a complex attribute that are not named', () => {
  const after = patched({ op: 'replace', path: 'name', value: { givenName: 'Babs' } });
  assert.deepEqual(after.name, { familyName: 'Jensen', givenName: 'Babs' });
  assert.deepEqual(patched({ op: 'replace', path: 'name', value: { givenName: null } }).name, { familyName: 'Jensen' });
  assert.deepEqual(patched({ op: 'replace', path: 'name', value: {} }).name, user.name);
});

test('takes null and an empty list for unassigned', () => {
  assert.ok(!('title' in patched({ op: 'replace', path: 'title', value: null })));
  assert.ok(!('name' in patched({ op: 'replace', path: 'name', value: null })));
  assert.ok(!('emails' in patched({ op: 'replace', path: 'emails', value: [] })));
  assert.ok(!('emails' in patched({ op: 'replace', value: { emails: null } })));
});

test('replaces several elements by one value once', () => {
  const value = { value: 'one@example.com' };
  assert.deepEqual(patched({ op: 'replace', path: 'emails[value pr]', value }).emails, [value]);
});

test('refuses to replace what a filter does not find and does not describe', () => {
  for (const path of ['emails[type co "other"]', 'emails[type eq "a" or type eq "b"]', 'emails[type eq "a" and type eq "b"]']) {
    refuses('scim.no_target', () => patched({ op: 'replace', path: `${path}.value`, value: 'x' }));
  }
  refuses('scim.no_target', () => patched({ op: 'replace', path: 'emails[unknown eq "a"].value', value: 'x' }));
});

// Mutability.

test('refuses to change what only the service may write', () => {
  for (const path of ['id', 'meta', 'meta.created', 'schemas', 'groups', 'groups[value eq "g1"]', 'groups.display']) {
    refuses('scim.mutability', () => patched({ op: 'replace', path, value: 'x' }));
    refuses('scim.mutability', () => patched({ op: 'remove', path }));
  }
  refuses('scim.mutability', () => patched({ op: 'replace', path: `${enterprise}:manager.displayName`, value: 'x' }));
  refuses('scim.mutability', () => patched({ op: 'add', value: { groups: [{ value: 'g2' }] } }));
});

test('refuses to take away what is required', () => {
  refuses('scim.mutability', () => patched({ op: 'remove', path: 'userName' }));
  refuses('scim.mutability', () => patched({ op: 'replace', path: 'userName', value: null }));
  refuses('scim.mutability', () => patchedGroup({ op: 'replace', value: { displayName: null } }));
});

test('lets an immutable sub-attribute be set once', () => {
  refuses('scim.mutability', () => patchedGroup({ op: 'replace', path: 'members[display eq "Bob"].value', value: 'c3' }));
  refuses('scim.mutability', () => patchedGroup({ op: 'remove', path: 'members[display eq "Bob"].value' }));
  refuses('scim.mutability', () => patchedGroup({ op: 'replace', path: 'members[value eq "b2"]', value: { value: 'c3' } }));
  const typed = { ...bob, type: 'User' };
  assert.deepEqual(patchedGroup({ op: 'add', path: 'members[value eq "b2"].type', value: 'User' }).members, [alice, typed]);
  const renamed = { value: 'b2', display: 'Robert' };
  const after = patchedGroup({ op: 'replace', path: 'members[value eq "b2"]', value: { display: 'Robert' } });
  assert.deepEqual(after.members, [alice, renamed]);
});

// Vendors.

test('Entra: creates the element that the filter of a path describes', () => {
  const path = 'emails[type eq "other"].value';
  const other = { type: 'other', value: 'x@example.com' };
  assert.deepEqual(patched({ op: 'Add', path, value: other.value }).emails, [work, home, other]);
  assert.deepEqual(patched({ op: 'Replace', path, value: other.value }).emails, [work, home, other]);
  assert.deepEqual(patched({ op: 'Replace', path, value: null }), user);
});

test('Entra: default mode with capitals, strings for booleans and a manager by its identifier', () => {
  const after = patched(
    { op: 'Replace', path: 'active', value: 'False' },
    { op: 'Add', path: `${enterprise}:manager`, value: 'm2' },
    { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'admin' },
    { op: 'Replace', path: 'addresses[type eq "work"].country', value: 'US' },
  );
  assert.equal(after.active, false);
  assert.equal(after[enterprise].manager.value, 'm2');
  assert.deepEqual(after.roles, [{ primary: true, value: 'admin' }]);
  assert.deepEqual(after.addresses, [{ ...office, country: 'US' }, flat]);
});

test('Entra: default mode without a path, with dotted, qualified and filtered keys', () => {
  const after = patched({
    op: 'replace',
    value: {
      'name.familyName': 'Smith',
      displayName: 'Babs',
      [`${enterprise}:employeeNumber`]: '7',
      'emails[type eq "work"].value': 'new@example.com',
    },
  });
  assert.deepEqual(after.name, { familyName: 'Smith', givenName: 'Barbara' });
  assert.equal(after.displayName, 'Babs');
  assert.equal(after[enterprise].employeeNumber, '7');
  assert.deepEqual(after.emails, [{ ...work, value: 'new@example.com' }, home]);
});

test('Entra: removes members by a list of values', () => {
  const gone = { op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a1' }] };
  assert.deepEqual(patchedGroup(gone).members, [bob]);
  assert.deepEqual(patchedGroup(gone, gone).members, [bob]);
  assert.deepEqual(patchedGroup({ op: 'Remove', path: 'members', value: [] }).members, [alice, bob]);
});

test('Entra: aadOptscim062020 speaks as the RFC does', () => {
  const after = patched(
    { op: 'replace', path: 'active', value: false },
    { op: 'replace', path: `${enterprise}:manager.value`, value: 'm3' },
    { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
    { op: 'remove', path: `${enterprise}:department` },
  );
  assert.equal(after.active, false);
  assert.deepEqual(after[enterprise], { manager: { value: 'm3', displayName: 'John' } });
  assert.deepEqual(after.phoneNumbers, [{ type: 'mobile', value: '555' }]);
  assert.deepEqual(patchedGroup({ op: 'remove', path: 'members[value eq "a1"]' }).members, [bob]);
});

test('Okta: deactivates without a path and repeats the id of a group it renames', () => {
  assert.equal(patched({ op: 'replace', value: { active: false } }).active, false);
  const after = patchedGroup({ op: 'replace', value: { id: 'g1', displayName: 'Guides' } });
  assert.deepEqual(after, { ...group, displayName: 'Guides' });
});

test('Okta: sends schemas and meta along', () => {
  assert.deepEqual(patched({ op: 'replace', value: { schemas: ['x'], meta: { version: 'x' }, title: 'Tour Guide' } }), user);
});

test('Google: replaces whole lists and the extension under its URN', () => {
  const after = patched({
    op: 'replace',
    value: { emails: [{ type: 'work', value: 'g@example.com', primary: true }], [enterprise]: { department: 'Sales' } },
  });
  assert.deepEqual(after.emails, [{ type: 'work', value: 'g@example.com', primary: true }]);
  assert.deepEqual(after[enterprise], { department: 'Sales', manager: { value: 'm1', displayName: 'John' } });
});

test('OneLogin: adds one member without a list and the extension by its URN as path', () => {
  assert.deepEqual(patchedGroup({ op: 'add', path: 'members', value: { value: 'c3' } }).members, [alice, bob, { value: 'c3' }]);
  const after = patched({ op: 'replace', path: enterprise, value: { department: 'Sales' } });
  assert.equal(after[enterprise].department, 'Sales');
});

// The message.

test('reads Operations in any case, and an empty path as none', () => {
  const body = { SCHEMAS: [patchOp.toUpperCase()], operations: [{ OP: 'ADD', Path: '', VALUE: { title: 'x' } }] };
  assert.deepEqual(readOperations(body), [{ op: 'add', value: { title: 'x' } }]);
  assert.deepEqual(readOperations(message({ op: 'remove', path: 'title', value: null })), [
    { op: 'remove', path: 'title', value: null },
  ]);
});

test('refuses what is not a PatchOp message', () => {
  const operation = { op: 'remove', path: 'title' };
  const wrong = [
    undefined,
    null,
    [],
    'x',
    {},
    { Operations: [operation] },
    { schemas: [], Operations: [operation] },
    { schemas: patchOp, Operations: [operation] },
    { schemas: [patchOp] },
    message(),
    message(null),
    message([]),
    message('x'),
    message({}),
    message({ op: 'move', path: 'x' }),
    message({ op: 1 }),
    message({ op: 'remove', path: 5 }),
    message({ op: 'add', path: 'title' }),
    message({ op: 'replace', path: 'title' }),
    message({ op: 'add', OP: 'remove' }),
    { schemas: [patchOp], Operations: [operation], operations: [operation] },
    message(...Array(1001).fill(operation)),
  ];
  for (const body of wrong) refuses('scim.invalid_syntax', () => readOperations(body));
});

test('lets no list grow without bound', () => {
  const batch = (from: number) => ({
    op: 'add',
    path: 'emails',
    value: Array.from({ length: 600 }, (_, at) => ({ value: `${from + at}` })),
  });
  refuses('scim.invalid_value', () => patched(batch(0), batch(600)));
});

test('lets a patch have filters of so many comparisons and no more, as paths or as keys', () => {
  const path = (at: number) => `emails[${Array(150).fill(`value co "${at}"`).join(' and ')}].display`;
  const operations = Array.from({ length: 20 }, (_, at) => ({ op: 'remove', path: path(at) }));
  refuses('scim.invalid_syntax', () => patched(...operations));
  const value = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [path(at), 'x']));
  refuses('scim.invalid_syntax', () => patched({ op: 'add', value }));
});

// The members of a group, as steps.

const steps = (...operations: PatchOperation[]) => memberSteps(groupType, operations);

test('takes members out of the patch and leaves the rest', () => {
  const rename: PatchOperation = { op: 'replace', path: 'displayName', value: 'x' };
  assert.deepEqual(steps({ op: 'add', path: 'members', value: [alice, { value: 'c', type: 'User' }] }, rename), {
    rest: [rename],
    steps: [{ kind: 'add', members: [alice, { value: 'c' }] }],
  });
  const split = steps({ op: 'replace', value: { externalId: 'e', Members: [bob] } }, { op: 'remove', path: 'members' });
  assert.deepEqual(split, {
    rest: [{ op: 'replace', path: 'externalId', value: 'e' }],
    steps: [{ kind: 'clear' }, { kind: 'add', members: [bob] }, { kind: 'clear' }],
  });
});

test('knows removals by identifier from those by another filter', () => {
  const { steps: found } = steps(
    { op: 'remove', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
    { op: 'remove', path: 'members[value eq "a" or value eq "b"]' },
    { op: 'remove', path: 'members[display eq "Bob"]' },
    { op: 'remove', path: 'members', value: [] },
  );
  assert.deepEqual(found.slice(0, 2), Array(2).fill({ kind: 'remove', ids: ['a', 'b'] }));
  assert.equal(found[2]?.kind, 'removeWhere');
  assert.equal(found.length, 3);
});

test('takes a change of the display of a member for adding it', () => {
  const add = { kind: 'add', members: [{ value: 'a', display: 'Al' }] };
  assert.deepEqual(steps({ op: 'replace', path: 'members[value eq "a"].display', value: 'Al' }).steps, [add]);
  assert.deepEqual(steps({ op: 'add', path: 'members[value eq "a"]', value: { display: 'Al' } }).steps, [add]);
  assert.deepEqual(steps({ op: 'remove', path: 'members[value eq "a"].display' }).steps, []);
});

test('refuses members without an identifier, and other identifiers for them', () => {
  for (const value of [[{}], [{ value: '' }], [{ value: null }], [{ display: 'x' }], [null], [5], '']) {
    refuses('scim.invalid_value', () => steps({ op: 'add', path: 'members', value }));
  }
  refuses('scim.mutability', () => steps({ op: 'replace', path: 'members[value eq "a"].value', value: 'b' }));
  refuses('scim.mutability', () => steps({ op: 'replace', path: 'members.value', value: 'b' }));
  refuses('scim.no_target', () => steps({ op: 'replace', path: 'members[display eq "a"].display', value: 'b' }));
});
