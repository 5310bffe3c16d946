// Any sequence of legal operations gives what SCIMMY, another implementation of the RFCs, gives.
// The generator avoids cases where the two differ; a comment says what SCIMMY does and which section of the RFC differs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import SCIMMY from 'scimmy';
import type { Resource } from './attribute.ts';
import { userType } from './definitions.ts';
import { matches } from './filter.ts';
import { applyPatch, type PatchOperation } from './patch.ts';
import { parsePath } from './path.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
// Its types want an instance where its code wants the class.
// Its types are narrower than what it takes: partial resources, and extensions of any kind.
SCIMMY.Schemas.User.extend(SCIMMY.Schemas.EnterpriseUser as any);

// SCIMMY compares strings in their case; RFC 7643, 2.2 has caseExact false unless a schema says otherwise. So all is in small letters.
const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta');
const simple = fc.constantFrom('title', 'nickName', 'displayName', 'userType');
const nameParts = ['familyName', 'givenName', 'middleName'] as const;
const namePart = fc.constantFrom(...nameParts);
const setting = fc.constantFrom('add', 'replace');
const kinds = ['work', 'home', 'other'] as const;
const kind = fc.constantFrom(...kinds);
const list = fc.constantFrom('emails', 'phoneNumbers', 'entitlements');

// SCIMMY adds a value that is there already once more; RFC 7644, 3.5.2.1 has that change nothing. So no value is made twice.
const fresh = fc.noShrink(fc.noBias(fc.nat(2 ** 31 - 1))).map((number) => `new${number}@example.com`);
// SCIMMY leaves two values primary; RFC 7644, 3.5.2 has the new one take it from the other. So operations never set it to true.
const element = fc.record({ value: fresh, type: kind, display: word, primary: fc.constant(false) }, { requiredKeys: ['value'] });

// SCIMMY reads a missing value as the text "undefined" in co, sw and ew; RFC 7644, 3.4.2.2 has nothing match it.
// So those look for an @, or at `value`, which every element has.
const comparison = fc.oneof(
  kind.map((type) => `type eq "${type}"`),
  kind.map((type) => `type ne "${type}"`),
  word.map((display) => `display eq "${display}"`),
  fc.constantFrom('display pr', 'type pr', 'primary eq true', 'primary eq false', 'primary ne true', 'display sw "@"'),
  fc.constantFrom('value co "1"', 'value co "@"', 'value sw "new"', 'value ew ".com"', 'value sw "old"'),
);
const filter = fc.oneof(
  comparison,
  fc.tuple(comparison, fc.constantFrom('and', 'or'), comparison).map((parts) => parts.join(' ')),
  // SCIMMY negates each comparison of a group and keeps its and; RFC 7644, 3.4.2.2 negates the group. So a group has one.
  kind.map((type) => `not (type eq "${type}")`),
);
const chosen = fc.tuple(list, filter).map(([attribute, inner]) => `${attribute}[${inner}]`);
// SCIMMY keeps an element without any part as {}; RFC 7643, 2.5 has that unassigned. So the value is never taken from one.
const part = fc.constantFrom('display', 'type');

const someName = fc.record({ familyName: word, givenName: word, middleName: word }, { requiredKeys: [] });
// SCIMMY's replace takes away the parts that are not named; RFC 7644, 3.5.2.3 has them "left unchanged". So all are named.
const wholeName = fc.record({ familyName: word, givenName: word, middleName: word });
const elements = fc.array(element, { minLength: 1, maxLength: 3 });
const department = fc.constantFrom('department', 'division', 'costCenter').map((name) => `${enterprise}:${name}`);

const with_ = (op: fc.Arbitrary<string>, path: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
  fc.record({ op, path, value });
const removal = (path: fc.Arbitrary<string>) => fc.record({ op: fc.constant('remove'), path });
const add = fc.constant('add');
const replace = fc.constant('replace');

const operation = fc.oneof(
  with_(setting, simple, word),
  with_(setting, fc.constant('userName'), word),
  with_(setting, fc.constant('active'), fc.boolean()),
  removal(simple),
  with_(add, fc.constant('name'), someName),
  with_(replace, fc.constant('name'), wholeName),
  with_(
    setting,
    namePart.map((name) => `name.${name}`),
    word,
  ),
  removal(
    fc.oneof(
      fc.constant('name'),
      namePart.map((name) => `name.${name}`),
    ),
  ),
  with_(setting, list, elements),
  removal(list),
  removal(chosen),
  // SCIMMY refuses `emails.display`, a part of every element; RFC 7644, 3.5.2 allows it. So parts come with a filter.
  removal(fc.tuple(chosen, part).map((parts) => parts.join('.'))),
  with_(
    setting,
    fc.tuple(chosen, part).map((parts) => parts.join('.')),
    kind,
  ),
  with_(
    setting,
    chosen.map((path) => `${path}.value`),
    fresh,
  ),
  with_(add, chosen, fc.record({ display: word })),
  with_(replace, chosen, element),
  with_(
    fc.constant('remove'),
    list,
    fc.array(fc.record({ value: fc.constantFrom('old1@example.com', 'old2@example.com') }), { minLength: 1 }),
  ),
  fc.record({ op: add, value: fc.record({ title: word, name: someName, emails: elements }, { requiredKeys: [] }) }),
  // SCIMMY's replace without a path adds to lists; RFC 7644, 3.5.2.3 has it replace them. So there are none.
  fc.record({ op: replace, value: fc.record({ title: word, active: fc.boolean(), name: someName }, { requiredKeys: [] }) }),
  with_(setting, department, word),
  removal(department),
  // SCIMMY finds no target in `manager.value` of a user without a manager; RFC 7644, 3.5.2.1 has it added. So it is set as a whole.
  with_(setting, fc.constant(`${enterprise}:manager`), fc.record({ value: word })),
  removal(fc.constant(`${enterprise}:manager`)),
) as fc.Arbitrary<PatchOperation>;

const user = fc.record(
  {
    id: fc.constant('u1'),
    userName: word,
    title: word,
    name: fc.record({ familyName: word, givenName: word }),
    emails: fc.constant([
      { value: 'old1@example.com', type: 'work', primary: true },
      { value: 'old2@example.com', type: 'home', display: 'alpha' },
    ]),
    phoneNumbers: fc.constant([{ value: 'old3@example.com' }]),
    [enterprise]: fc.record({ department: word }),
  },
  { requiredKeys: ['id', 'userName'] },
) as fc.Arbitrary<Resource>;

/**
 * The operations whose filter finds something, or that need not find anything. For the others the RFC has noTarget (7644,
 * 3.5.2.3); SCIMMY adds the value without what the filter says of it, and we add it with that, for Entra.
 */
function withTargets(resource: Resource, operations: readonly PatchOperation[]): PatchOperation[] {
  let state = resource;
  return operations.filter((one) => {
    if (!hasTarget(state, one)) return false;
    state = applyPatch(userType, state, [one]);
    return true;
  });
}

function hasTarget(resource: Resource, { op, path, value }: PatchOperation): boolean {
  // SCIMMY trips over a list that is not there; no RFC knows removals by value, and 7644, 3.5.2.2 lets others find nothing.
  if (op === 'remove' && value !== undefined) return Object.hasOwn(resource, path!);
  const parsed = path === undefined || op === 'remove' ? undefined : parsePath(userType, path);
  if (!parsed?.attributePath || !parsed.filter) return true;
  // SCIMMY's replace removes first and then finds nothing when the filter asks for what is gone; RFC 7644, 3.5.2.3 replaces it.
  if (op === 'replace' && parsed.sub && path!.includes(`${parsed.sub.name} `)) return false;
  const held = resource[parsed.attributePath.keys[0]!];
  return Array.isArray(held) && held.some((one) => matches(parsed.filter!, one));
}

async function byScimmy(resource: Resource, operations: readonly PatchOperation[]): Promise<unknown> {
  // SCIMMY modifies its input.
  const { resource: source, Operations } = structuredClone({ resource, Operations: [...operations] });
  let result: unknown;
  const message = new SCIMMY.Messages.PatchOp({ schemas: [patchOp], Operations } as any);
  await message.apply(new SCIMMY.Schemas.User(source as any), (instance: any) => {
    result = JSON.parse(JSON.stringify(instance));
    return instance;
  });
  return result;
}

/** SCIMMY keeps {} for a name without parts (RFC 7643, 2.5: unassigned), writes schemas and meta, and moves what it replaces to
 * the end of its list, whose order means nothing (RFC 7643, 2.4). */
function comparable(resource: unknown): unknown {
  const { schemas, meta, ...rest } = JSON.parse(JSON.stringify(resource));
  return Object.fromEntries(
    Object.entries<object>(rest)
      .filter(([, value]) => typeof value !== 'object' || Object.keys(value).length > 0)
      .map(([key, value]) => [key, Array.isArray(value) ? value.map(sorted).sort() : value]),
  );
}

const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort());

test('any sequence of operations gives what SCIMMY gives', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(user, fc.array(operation, { minLength: 1, maxLength: 8 }), async (resource, drafts) => {
      const operations = withTargets(resource, drafts);
      if (operations.length === 0) return;
      for (const { op, path = '' } of operations) seen.add(`${op} ${path.includes('[') ? 'filter' : path && 'path'}`);
      const ours = applyPatch(userType, resource, operations);
      assert.deepEqual(comparable(ours), comparable(await byScimmy(resource, operations)));
    }),
    { numRuns: 500 },
  );
  assert.equal(seen.size, 8, 'an operation was never tried');
});
