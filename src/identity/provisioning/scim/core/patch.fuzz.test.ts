// Hostile filters and patches: they only fail with a Fault, and set nothing outside the schema.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../ground/faults.ts';
import type { Attribute, Resource, ResourceType } from './attribute.ts';
import { commonAttributes, groupType, userType } from './definitions.ts';
import { matches, parseFilter } from './filter.ts';
import { memberSteps } from './members.ts';
import { applyPatch, readOperations } from './patch.ts';
import { parsePath } from './path.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const user: Resource = {
  id: 'u1',
  userName: 'bjensen',
  name: { familyName: 'Jensen' },
  active: true,
  emails: [{ value: 'a@example.com', type: 'work', primary: true }, { value: 'b@example.com' }],
  meta: { created: '2010-01-23T04:56:22Z' },
  [enterprise]: { department: 'Tours', manager: { value: 'm1' } },
};
const group: Resource = { id: 'g1', displayName: 'Guides', members: [{ value: 'a' }, { value: 'b', display: 'Bob' }] };

const legalNames = [
  'userName',
  'name',
  'name.familyName',
  'NAME.givenname',
  'emails',
  'emails.value',
  'emails.primary',
  'addresses',
  'active',
  'title',
  'password',
  'id',
  'meta',
  'meta.created',
  'schemas',
  'groups',
  'members',
  'members.value',
  'displayName',
  'x509Certificates',
  enterprise,
  `${enterprise}:department`,
  `${enterprise}:manager`,
  `${enterprise}:manager.value`,
  `${enterprise}:manager.displayName`,
  'urn:ietf:params:scim:schemas:core:2.0:User:userName',
  'urn:ietf:params:scim:schemas:core:2.0:User',
  'value',
  'type',
  'primary',
  'display',
];
const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'constructor.prototype',
  '__proto__.polluted',
  'emails.__proto__',
  'name.constructor',
  `${enterprise}:__proto__`,
  `${enterprise}:constructor.prototype`,
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '.',
  '..',
  ':',
  '$ref',
  'ünï',
];
const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'pr', 'EQ', 'is'];
const literals = [
  '"work"',
  '"a@example.com"',
  '"a"',
  '"True"',
  '"\\u0041"',
  '"\\q"',
  '"',
  '"]',
  'true',
  'False',
  'null',
  '5',
  '-1.5e3',
  '1e999',
  'word',
  '2015-10-10T14:38:21Z',
  '"2015-10-10T14:38:21Z"',
  '"__proto__"',
];

const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...legalNames) }, fc.constantFrom(...hostileNames));
const comparison = fc
  .tuple(name, fc.constantFrom(...operators), fc.constantFrom(...literals))
  .map(([attribute, operator, value]) => (operator === 'pr' ? `${attribute} pr` : `${attribute} ${operator} ${value}`));
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'filter' },
    comparison,
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'AND', 'xor'), tie('filter')).map((parts) => parts.join(' ')),
    tie('filter').map((inner) => `not (${inner})`),
    tie('filter').map((inner) => `(${inner})`),
    fc.tuple(name, tie('filter')).map(([attribute, inner]) => `${attribute}[${inner}]`),
    fc.tuple(name, tie('filter'), comparison).map(([attribute, inner, outer]) => `${attribute}[${inner}].${outer}`),
  ),
}));
const debris = fc
  .array(fc.oneof(name, fc.constantFrom(...operators, ...literals, '(', ')', '[', ']', '"', '\\', 'and', 'or', 'not', '.')), {
    maxLength: 12,
  })
  .chain((parts) => fc.constantFrom('', ' ').map((between) => parts.join(between)));
const filterText = fc.oneof({ weight: 4, arbitrary: filter }, debris, fc.string({ maxLength: 40 }));

const path = fc.oneof(
  name,
  fc.tuple(name, comparison).map(([attribute, inner]) => `${attribute}[${inner}]`),
  fc.tuple(name, filterText, name).map(([attribute, inner, sub]) => `${attribute}[${inner}].${sub}`),
  debris,
);

// As JSON.parse makes them: "__proto__" is a key like any other.
const record = (value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(fc.oneof(name, path), value), { maxLength: 4 }).map((entries) => {
    const object: Record<string, unknown> = {};
    for (const [key, inner] of entries)
      Object.defineProperty(object, key, { value: inner, enumerable: true, configurable: true });
    return object;
  });
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    fc.constantFrom<unknown>(null, true, false, 'True', '', 'x', 'a@example.com', 5, '__proto__', undefined),
    fc.constantFrom<unknown>(
      { value: 'z', primary: true },
      [{ value: 'a' }],
      { familyName: 'X', givenName: null },
      { department: 'D' },
    ),
    record(tie('value')),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
const operation = fc.record(
  { op: fc.constantFrom('add', 'replace', 'remove', 'Add', 'Remove', 'move'), path: fc.oneof(path, fc.constant(null)), value },
  { requiredKeys: ['op'] },
);
const body = fc.array(operation, { minLength: 1, maxLength: 4 }).map((Operations) => ({ schemas: [patchOp], Operations }));

/** The result, or undefined when it was refused as it should be. */
function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return undefined;
  }
}

const untouched = new Map(
  [Object.prototype, Array.prototype, String.prototype, Function.prototype].map((proto) => [
    proto,
    Reflect.ownKeys(proto).length,
  ]),
);
function assertUnpolluted(): void {
  for (const [proto, keys] of untouched) assert.equal(Reflect.ownKeys(proto).length, keys);
}

function assertWithin(type: ResourceType, resource: Resource): void {
  assert.equal(Object.getPrototypeOf(resource), Object.prototype);
  const extensions = new Map(type.extensions.map(({ id, attributes }) => [id, attributes]));
  const core = [...commonAttributes, ...type.core.attributes];
  for (const [key, inner] of Object.entries(resource)) {
    const attributes = extensions.get(key);
    if (attributes) assertAttributes(attributes, inner);
    else assertAttributes(core, { [key]: inner });
  }
}

function assertAttributes(attributes: readonly Attribute[], object: unknown): void {
  for (const [key, inner] of entriesOf(object)) {
    const attribute = attributes.find((one) => one.name === key);
    assert.ok(attribute, `${key} is not in the schema`);
    assert.equal(Array.isArray(inner), attribute.multiValued);
    for (const one of Array.isArray(inner) ? inner : [inner]) {
      if (attribute.subAttributes) assertAttributes(attribute.subAttributes, one);
      else assert.notEqual(typeof one, 'object');
    }
  }
}

function entriesOf(object: unknown): [string, unknown][] {
  assert.ok(typeof object === 'object' && object !== null);
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  const entries = Object.entries(object);
  assert.ok(entries.length > 0, 'something empty was left');
  return entries;
}

const runs = { numRuns: 3000 };

test('any filter is read and answered, or refused', () => {
  fc.assert(
    fc.property(filterText, (text) => {
      for (const [type, resource] of [
        [userType, user],
        [groupType, group],
      ] as const) {
        const answer = unlessRefused(() => matches(parseFilter(type, text), resource));
        assert.ok(answer === undefined || typeof answer === 'boolean');
      }
      assertUnpolluted();
    }),
    runs,
  );
});

test('any path is read or refused', () => {
  fc.assert(
    fc.property(path, (text) => {
      for (const type of [userType, groupType]) unlessRefused(() => parsePath(type, text));
      assertUnpolluted();
    }),
    runs,
  );
});

test('any patch leaves a resource of the schema and its input as it was, or is refused', () => {
  let applied = 0;
  fc.assert(
    fc.property(body, (message) => {
      for (const [type, resource] of [
        [userType, user],
        [groupType, group],
      ] as const) {
        const before = JSON.stringify(resource);
        const after = unlessRefused(() => applyPatch(type, resource, readOperations(message)));
        if (after) {
          applied += 1;
          assertWithin(type, after);
        }
        assert.equal(JSON.stringify(resource), before);
      }
      assertUnpolluted();
    }),
    runs,
  );
  assert.ok(applied > 100, 'the generator makes too little that can be applied');
});

test('any patch of members becomes steps with identifiers, or is refused', () => {
  fc.assert(
    fc.property(body, (message) => {
      const read = unlessRefused(() => memberSteps(groupType, readOperations(message)));
      for (const step of read?.steps ?? []) {
        if (step.kind === 'add')
          for (const member of step.members) assert.ok(typeof member.value === 'string' && member.value !== '');
        if (step.kind === 'remove') for (const id of step.ids) assert.ok(typeof id === 'string' && id !== '');
      }
      if (read) for (const { path } of read.rest) assert.ok(!path?.toLowerCase().startsWith('members'));
      assertUnpolluted();
    }),
    runs,
  );
});
