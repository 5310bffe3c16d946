import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../../ground/faults.ts';
import { groupType, organizationType, userType } from './definitions.ts';
import { findAttributePath } from './lookup.ts';
import { checkRequired, readBareWord, readOp, readPathless, readResource, readValue } from './resource.schema.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const readUser = (body: unknown) => readResource(userType, body);
const readGroup = (body: unknown) => readResource(groupType, body);
const attributeOf = (name: string, type = userType) => findAttributePath(type, name)!.attributes.at(-1)!;

function refuses(code: string, why: RegExp, act: () => unknown): void {
  assert.throws(act, (error) => error instanceof Fault && error.code === code && why.test(error.message));
}

const refusesValue = (why: RegExp, body: unknown) => refuses('scim.invalid_value', why, () => readUser(body));

describe('a resource', () => {
  it('is read as RFC 7644, 3.3 sends it', () => {
    const body = {
      schemas: [core],
      userName: 'bjensen',
      externalId: 'bjensen',
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    };
    const { schemas, ...rest } = body;
    assert.deepEqual(readUser(body), rest);
  });

  it('is read with the enterprise extension (RFC 7643, 8.3)', () => {
    const extension = {
      employeeNumber: '701984',
      manager: { value: '26118915', $ref: '../Users/26118915', displayName: 'John' },
    };
    assert.deepEqual(readUser({ userName: 'b', [enterprise]: extension }), {
      userName: 'b',
      [enterprise]: { employeeNumber: '701984', manager: { value: '26118915', $ref: '../Users/26118915' } },
    });
  });

  it('lacks what only the service may write', () => {
    const body = { id: '1', meta: { version: 'x' }, groups: [{ value: '1' }], schemas: ['urn:x'], userName: 'b' };
    assert.deepEqual(readUser(body), { userName: 'b' });
  });

  it('lacks what the schema does not have', () => {
    const body = { userName: 'b', favourite: 1, name: { givenName: 'B', pet: {} }, emails: [{ value: 'b@x', x: 1 }, { y: 1 }] };
    assert.deepEqual(readUser(body), { userName: 'b', name: { givenName: 'B' }, emails: [{ value: 'b@x' }] });
  });

  it('lacks what is null or empty (RFC 7643, 2.5)', () => {
    const body = {
      userName: 'b',
      title: null,
      emails: [],
      roles: [null],
      name: { givenName: null },
      locale: [],
      [enterprise]: null,
    };
    assert.deepEqual(readUser(body), { userName: 'b' });
    assert.deepEqual(readUser({ [enterprise]: {} }), {});
  });

  it('is read in other cases, by URN and by dotted names', () => {
    assert.deepEqual(readUser({ USERNAME: 'b', Name: { GIVENNAME: 'B' } }), { userName: 'b', name: { givenName: 'B' } });
    assert.deepEqual(readUser({ [`${enterprise}:department`]: 'x', [enterprise.toUpperCase()]: { DIVISION: 'y' } }), {
      [enterprise]: { department: 'x', division: 'y' },
    });
    assert.deepEqual(readUser({ 'name.givenName': 'B', 'name.familyName': 'J', 'emails.value': 'x' }), {
      name: { givenName: 'B', familyName: 'J' },
    });
    assert.deepEqual(readUser({ [core]: { userName: 'b' } }), { userName: 'b' });
  });

  it('is refused when a name is given twice', () => {
    refuses('scim.invalid_syntax', /userName is given twice/, () => readUser({ userName: 'a', USERNAME: 'b' }));
    refuses('scim.invalid_syntax', /name.givenName is given twice/, () => readUser({ name: { givenName: 'a', GivenName: 'b' } }));
    refuses('scim.invalid_syntax', /given twice/, () => readUser({ name: { givenName: 'a' }, 'name.givenName': 'b' }));
  });

  it('is refused when it is no object', () => {
    for (const body of [null, undefined, [], 'x', 1]) refuses('scim.invalid_syntax', /an object/, () => readUser(body));
    refusesValue(/enterprise.*an object/, { [enterprise]: 'x' });
  });

  it('is refused with values of another type', () => {
    refusesValue(/userName .*a string/, { userName: 1 });
    refusesValue(/userName .*a string/, { userName: ['b'] });
    refusesValue(/userName .*a string/, { userName: { value: 'b' } });
    refusesValue(/active .*true or false/, { active: 'yes' });
    refusesValue(/active .*true or false/, { active: 1 });
    refusesValue(/name .*an object/, { name: 'Barbara' });
    refusesValue(/name .*an object/, { name: [{ givenName: 'B' }] });
    refusesValue(/emails .*an object/, { emails: [1] });
    refusesValue(/emails .*an object/, { emails: [[{ value: 'x' }]] });
    refusesValue(/emails\.value .*a string/, { emails: [{ value: {} }] });
    refusesValue(/profileUrl .*a string/, { profileUrl: 1 });
    refusesValue(/x509Certificates\.value .*base64/, { x509Certificates: [{ value: '<>' }] });
  });

  it('is refused with more than one primary value', () => {
    const emails = [
      { value: 'a@x', primary: true },
      { value: 'b@x', primary: true },
    ];
    refusesValue(/emails .*more than one value is primary/, { emails });
  });

  it('has limits, except for members', () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ value: String(index) }));
    refusesValue(/emails .*1000 values/, { emails: many });
    assert.deepEqual(readGroup({ members: many }), { members: many });
    refusesValue(/title .*65536 characters/, { title: 'x'.repeat(65_537) });
    assert.equal(readUser({ title: 'x'.repeat(65_536) }).title, 'x'.repeat(65_536));
  });

  it('takes nothing from hostile names', () => {
    const body = JSON.parse(`{"__proto__": {"userName": "x", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}},
      "constructor.prototype": 1, "name": {"__proto__": {"givenName": "x"}, "toString": "x"},
      "${enterprise}": {"__proto__": {"department": "x"}, "constructor": "x"}, "${'x'.repeat(100_000)}": 1}`);
    const resource = readUser(body);
    assert.deepEqual(resource, {});
    assert.equal(Object.getPrototypeOf(resource), Object.prototype);
    assert.ok(!('polluted' in {}));
  });

  it('is read in good time when a certificate is made of spaces', () => {
    refusesValue(/base64/, { x509Certificates: [{ value: `a${' '.repeat(65_000)}!` }] });
  });

  it('of an organization has its flags', () => {
    const body = { name: 'Acme', active: false, isDefault: true };
    assert.deepEqual(readResource(organizationType, body), body);
  });

  it('must have what is required, when insisted upon', () => {
    checkRequired(userType, { userName: 'b' });
    for (const resource of [{}, { userName: '' }, { userName: ' ' }]) {
      refuses('scim.invalid_value', /userName .*required/, () => checkRequired(userType, resource));
    }
  });
});

describe('kindness', () => {
  it('Entra: booleans may be words', () => {
    for (const active of ['True', 'true', true]) assert.deepEqual(readUser({ active }), { active: true });
    for (const active of ['False', 'false', false]) assert.deepEqual(readUser({ active }), { active: false });
    assert.deepEqual(readUser({ roles: [{ value: 'x', primary: 'True' }] }), { roles: [{ value: 'x', primary: true }] });
  });

  it('Entra: a manager may be a bare identifier', () => {
    assert.deepEqual(readUser({ [enterprise]: { manager: '26118915' } }), { [enterprise]: { manager: { value: '26118915' } } });
    assert.deepEqual(readValue(attributeOf(`${enterprise}:manager`), '26118915'), { value: '26118915' });
  });

  it('Entra: an operation may be in any case', () => {
    assert.deepEqual(['Add', 'REMOVE', 'replace'].map(readOp), ['add', 'remove', 'replace']);
    for (const op of ['move', '', null, 1, ['add'], undefined]) {
      refuses('scim.invalid_syntax', /op must be/, () => readOp(op));
    }
  });

  it("Microsoft's collection: members may be bare identifiers", () => {
    assert.deepEqual(readGroup({ members: ['1', { value: '2' }] }), { members: [{ value: '1' }, { value: '2' }] });
  });

  it("Microsoft's collection: the displayName of a member is its display", () => {
    assert.deepEqual(readGroup({ members: [{ value: '1', displayName: 'B' }] }), { members: [{ value: '1', display: 'B' }] });
    const both = [
      { value: '1', displayName: 'B', display: 'A' },
      { value: '2', display: 'A', displayName: 'B' },
    ];
    assert.deepEqual(readGroup({ members: both }), {
      members: [
        { value: '1', display: 'A' },
        { value: '2', display: 'A' },
      ],
    });
  });

  it('some vendors: a list of one may come without the list', () => {
    assert.deepEqual(readUser({ emails: { value: 'b@x' } }), { emails: [{ value: 'b@x' }] });
    assert.deepEqual(readGroup({ members: '1' }), { members: [{ value: '1' }] });
  });
});

describe('a value of a patch', () => {
  it('is a whole list, or one element', () => {
    const emails = attributeOf('emails');
    assert.deepEqual(readValue(emails, [{ VALUE: 'b@x', primary: 'True' }]), [{ value: 'b@x', primary: true }]);
    assert.deepEqual(readValue(emails, { Value: 'b@x' }, { element: true }), { value: 'b@x' });
    assert.deepEqual(readValue(attributeOf('emails.primary'), 'False'), false);
  });

  it('is undefined when it unassigns', () => {
    for (const value of [null, undefined, [], [null], [{}]]) assert.equal(readValue(attributeOf('emails'), value), undefined);
    assert.equal(readValue(attributeOf('title'), null), undefined);
  });
});

describe('a patch without a path', () => {
  const read = (value: unknown) =>
    readPathless(userType, value).map((change) => ['path' in change ? change.path : change.attributePath.keys, change.value]);

  it('has names of every kind, its values untouched', () => {
    assert.deepEqual(
      read({
        ACTIVE: 'False',
        'name.givenName': 'B',
        [`${enterprise}:department`]: 'x',
        [enterprise]: { division: 'y', Manager: '1' },
        title: null,
      }),
      [
        [['active'], 'False'],
        [['name', 'givenName'], 'B'],
        [[enterprise, 'department'], 'x'],
        [[enterprise, 'division'], 'y'],
        [[enterprise, 'manager'], '1'],
        [['title'], null],
      ],
    );
  });

  it('Entra: a key may be a path with a filter', () => {
    assert.deepEqual(read({ 'emails[type eq "work"].value': 'b@x' }), [['emails[type eq "work"].value', 'b@x']]);
    assert.deepEqual(read({ 'nothing[type eq "work"].value': 'b@x', '[': 1 }), []);
  });

  it('Okta: the id of the resource may be repeated', () => {
    const changes = readPathless(groupType, { id: '1', displayName: 'Test SCIMv2' });
    assert.deepEqual(
      changes.map((change) => change.value),
      ['Test SCIMv2'],
    );
  });

  it('still names what may not be changed, so that it is refused', () => {
    assert.deepEqual(read({ groups: [] }), [[['groups'], []]]);
  });

  it('drops names nobody knows, hostile ones too', () => {
    assert.deepEqual(read(JSON.parse('{"nothing": 1, "__proto__": {"userName": 1}, "constructor.prototype": 1}')), []);
    assert.deepEqual(read({ ['x'.repeat(100_000)]: 1 }), []);
  });

  it('unassigns all of an extension that is null', () => {
    assert.equal(read({ [enterprise]: null }).length, 6);
  });

  it('is refused when it is no object', () => {
    for (const value of [null, 'x', [], 1]) refuses('scim.invalid_value', /must be an object/, () => read(value));
  });
});

describe('a word without quotes in a filter', () => {
  it('is what its attribute is', () => {
    const active = attributeOf('active');
    assert.deepEqual(
      ['true', 'True', 'FALSE', 'null', 'x'].map((word) => readBareWord(active, word)),
      [true, true, false, null, 'x'],
    );
    const count = { ...active, type: 'integer' as const };
    assert.deepEqual(
      ['12', '-1.5', '1e3', 'x', ''].map((word) => readBareWord(count, word)),
      [12, -1.5, 1000, 'x', ''],
    );
  });

  it('is itself for strings and names nobody knows', () => {
    assert.equal(readBareWord(attributeOf('userName'), 'true'), 'true');
    assert.equal(readBareWord(attributeOf('userName'), '12'), '12');
    assert.equal(readBareWord(undefined, 'bjensen'), 'bjensen');
  });
});
