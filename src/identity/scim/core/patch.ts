// PATCH (RFC 7644, 3.5.2): what a client asks for, applied to a resource that is never changed in place.
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../faults.ts';
import type { Attribute, Place, Resource, ResourceType, Schema } from './attribute.ts';
import { type Filter, matches } from './filter.ts';
import { findPlace, findSubAttribute } from './lookup.ts';
import { parsePath, shownPath } from './path.ts';
import { readOp, readPathless, readValue } from './resource.schema.ts';

export interface Operation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path?: string;
  readonly value?: unknown;
}

/** One attribute, elements of it or a part of them, and what is to become of it. */
export interface Change {
  readonly op: Operation['op'];
  readonly path: string;
  readonly place: Place;
  readonly filter?: Filter;
  /** The sub-attribute meant, whether or not a filter chooses the elements. */
  readonly sub?: Attribute;
  readonly value: unknown;
}

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:patchop';
const maxOperations = 1000;
/** Each comparison in a path looks at every element: all of a patch together must stay cheap. */
const maxFilterText = 32_768;
const maxElements = 1000;

export function readOperations(body: unknown): Operation[] {
  const message = isObject(body) ? body : wrong('the message must be an object');
  const schemas = fieldOf(message, 'schemas');
  const isPatch = Array.isArray(schemas) && schemas.some((urn) => typeof urn === 'string' && urn.toLowerCase() === patchUrn);
  if (!isPatch) wrong('schemas must name the PatchOp message');
  const given = fieldOf(message, 'operations');
  if (!Array.isArray(given) || given.length === 0) return wrong('Operations must be a list of at least one operation');
  if (given.length > maxOperations) wrong(`there may be ${maxOperations} operations at most`);
  return given.map(readOperation);
}

function readOperation(given: unknown): Operation {
  const operation = isObject(given) ? given : wrong('an operation must be an object');
  const op = readOp(fieldOf(operation, 'op'));
  const path = fieldOf(operation, 'path') ?? '';
  if (typeof path !== 'string') return wrong('path must be a string');
  const value = fieldOf(operation, 'value');
  if (value === undefined && op !== 'remove') wrong(`${op} needs a value`);
  return { op, ...(path !== '' && { path }), ...(value !== undefined && { value }) };
}

/** Names are in any case; two spellings of one could mean one thing to whoever looked before us, and another to us. */
function fieldOf(object: Resource, name: string): unknown {
  const keys = Object.keys(object).filter((key) => key.toLowerCase() === name);
  if (keys.length > 1) wrong(`${name} is given twice`);
  return keys.length === 1 ? object[keys[0]!] : undefined;
}

export function applyPatch(type: ResourceType, resource: Resource, operations: readonly Operation[]): Resource {
  const changes = operations.flatMap((operation) => changesOf(type, operation));
  const filterText = changes.reduce((sum, { filter, path }) => sum + (filter ? path.length : 0), 0);
  if (filterText > maxFilterText) wrong(`paths with filters may have ${maxFilterText} characters together`);
  return changes.reduce(applyChange, resource);
}

export function changesOf(type: ResourceType, { op, path, value }: Operation): Change[] {
  if (path !== undefined) return changesAt(type, op, path, value);
  if (op === 'remove') return fail('scim.no_target', { path: '(none)' });
  return readPathless(type, value).flatMap((part) =>
    'path' in part ? changesAt(type, op, part.path, part.value) : [changeAt(op, part.place, part.value)],
  );
}

function changesAt(type: ResourceType, op: Operation['op'], path: string, value: unknown): Change[] {
  const parsed = parsePath(type, path);
  if (parsed.extension) return changesOfExtension(type, op, parsed.extension, value);
  const { place, filter, sub = place.attributes[1] } = parsed;
  return [{ op, path, place, value, ...(filter && { filter }), ...(sub && { sub }) }];
}

function changesOfExtension(type: ResourceType, op: Operation['op'], extension: Schema, value: unknown): Change[] {
  if (op !== 'remove') return changesOf(type, { op, value: { [extension.id]: value } });
  return extension.attributes.map(({ name }) => changeAt(op, findPlace(type, `${extension.id}:${name}`)!, undefined));
}

function changeAt(op: Operation['op'], place: Place, value: unknown): Change {
  const sub = place.attributes[1];
  return { op, path: pathOf(place), place, value, ...(sub && { sub }) };
}

function pathOf({ keys, attributes }: Place): string {
  const name = attributes.map((attribute) => attribute.name).join('.');
  return keys.length > attributes.length ? `${keys[0]}:${name}` : name;
}

function applyChange(resource: Resource, change: Change): Resource {
  const { place, sub } = change;
  const [attribute] = place.attributes;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') unchangeable(attribute, sub);
  const keys = place.keys.slice(0, place.keys.length - place.attributes.length + 1);
  const before = keys.reduce(ownValue, resource as unknown);
  const after = attribute.multiValued
    ? changedList(attribute, Array.isArray(before) ? before : [], change)
    : changedSingle(attribute, before, change);
  if (attribute.required && isEmpty(after)) unchangeable(attribute);
  return withValue(resource, keys, after);
}

/** A copy with another value at the keys; what becomes empty is not in it. */
function withValue(resource: Resource, [key, ...rest]: readonly string[], value: unknown): Resource {
  const { [key!]: before, ...others } = resource;
  const after = rest.length > 0 ? withValue(isObject(before) ? before : {}, rest, value) : value;
  return isEmpty(after) ? others : { ...resource, [key!]: after };
}

function changedSingle(attribute: Attribute, before: unknown, { op, sub, value }: Change): unknown {
  if (sub) return withSub(attribute, isObject(before) ? before : {}, sub, op === 'remove' ? undefined : value);
  // RFC 7644, 3.5.2.3: parts of a complex attribute that are not named stay as they are.
  const isMerge = op !== 'remove' && attribute.type === 'complex' && value !== null && !Array.isArray(value);
  if (isMerge) return merged(attribute, isObject(before) ? before : {}, value);
  const after = op === 'remove' ? undefined : readValue(attribute, value);
  if (attribute.mutability === 'immutable' && before !== undefined && !isDeepStrictEqual(before, after)) unchangeable(attribute);
  return after;
}

function withSub(attribute: Attribute, object: Resource, sub: Attribute, value: unknown): Resource {
  const after = withValue(object, [sub.name], readValue(sub, value));
  insistOnImmutables(attribute, object, after);
  return after;
}

/** The object with the parts that are given; one that is given as null is unassigned. */
function merged(attribute: Attribute, object: Resource, value: unknown): Resource {
  const read = readValue(attribute, value, { element: true });
  let after = object;
  for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
    const sub = findSubAttribute(attribute, key);
    if (sub && sub.mutability !== 'readOnly' && isEmpty(inner)) after = withValue(after, [sub.name], undefined);
  }
  after = { ...after, ...(isObject(read) ? read : {}) };
  insistOnImmutables(attribute, object, after);
  return after;
}

function insistOnImmutables(attribute: Attribute, before: Resource, after: Resource): void {
  for (const sub of immutablesOf(attribute)) {
    const held = ownValue(before, sub.name);
    if (held !== undefined && held !== ownValue(after, sub.name)) unchangeable(attribute, sub);
  }
}

const immutablesOf = (attribute: Attribute): Attribute[] =>
  (attribute.subAttributes ?? []).filter(({ mutability }) => mutability === 'immutable');

function changedList(attribute: Attribute, elements: readonly unknown[], change: Change): readonly unknown[] {
  const { op, filter, sub, value } = change;
  const after =
    op === 'remove'
      ? withoutChosen(attribute, elements, change)
      : filter || sub
        ? withChosen(attribute, elements, change)
        : appended(op === 'add' ? elements : [], listOf(readValue(attribute, value) ?? []));
  const kept = after.filter((element) => !isEmpty(element));
  // Beyond this, every further operation on the list would cost too much.
  if (kept.length > Math.max(maxElements, elements.length)) {
    fail('scim.invalid_value', { name: attribute.name, why: `it may have ${maxElements} values at most` });
  }
  return kept;
}

/** RFC 7644, 3.5.2.1: a value that is there already is not added again. */
function appended(elements: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const after = [...elements];
  const fresh = new Set<unknown>();
  for (const element of added) {
    if (after.some((held) => isSame(held, element))) continue;
    after.push(element);
    fresh.add(element);
  }
  return withOnePrimary(after, fresh);
}

/** RFC 7644, 3.5.2: what becomes primary takes that from whatever was. */
function withOnePrimary(elements: readonly unknown[], fresh: ReadonlySet<unknown>): readonly unknown[] {
  const isPrimary = (element: unknown): boolean => ownValue(element, 'primary') === true;
  const chosen = elements.findLast((element) => fresh.has(element) && isPrimary(element));
  if (chosen === undefined) return elements;
  return elements.map((element) =>
    element !== chosen && isObject(element) && isPrimary(element) ? { ...element, primary: false } : element,
  );
}

function isChosen({ filter }: Change, element: unknown): element is Resource {
  return isObject(element) && (!filter || matches(filter, element));
}

/** Removals that find nothing are done already: Entra and Okta repeat them. */
function withoutChosen(attribute: Attribute, elements: readonly unknown[], change: Change): readonly unknown[] {
  const { filter, sub, value } = change;
  if (sub) {
    return elements.map((element) => (isChosen(change, element) ? withSub(attribute, element, sub, undefined) : element));
  }
  if (!filter && isGiven(value)) return withoutNamed(attribute, elements, value);
  return elements.filter((element) => filter && !isChosen(change, element));
}

/** Whether a removal says which elements it means, which the RFC does not know but Entra does. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function withoutNamed(attribute: Attribute, elements: readonly unknown[], value: unknown): readonly unknown[] {
  const named = listOf(readValue(attribute, value) ?? []).filter(isObject);
  return elements.filter((element) => !isObject(element) || !named.some((given) => isNamedBy(attribute, given, element)));
}

function isNamedBy(attribute: Attribute, given: Resource, element: Resource): boolean {
  // Who a member is, is in its value; its display may have changed since.
  const isIdentity = findSubAttribute(attribute, 'value')?.mutability === 'immutable' && Object.hasOwn(given, 'value');
  const names = isIdentity ? ['value'] : Object.keys(given);
  return names.every((name) => {
    const place: Place = { keys: [name], attributes: [findSubAttribute(attribute, name)!] };
    return matches({ kind: 'compare', place, operator: 'eq', value: given[name] as string }, element);
  });
}

function withChosen(attribute: Attribute, elements: readonly unknown[], change: Change): readonly unknown[] {
  const fresh = new Set<unknown>();
  let first: Resource | undefined;
  const after = elements.flatMap((element) => {
    if (!isChosen(change, element)) return [element];
    const changed = changedElement(attribute, element, change);
    // Several elements replaced by one value would be that value several times.
    if (first && !change.sub && isSame(first, changed)) return [];
    first ??= changed;
    fresh.add(changed);
    return [changed];
  });
  return fresh.size > 0 ? withOnePrimary(after, fresh) : withCreated(attribute, elements, change);
}

function changedElement(attribute: Attribute, element: Resource, { op, sub, value }: Change): Resource {
  if (sub) return withSub(attribute, element, sub, value);
  if (op === 'add') return merged(attribute, element, onlyOf(value));
  const read = readValue(attribute, onlyOf(value), { element: true });
  if (!isObject(read)) return {};
  const fixed = immutablesOf(attribute).filter(({ name }) => Object.hasOwn(element, name));
  const after = { ...Object.fromEntries(fixed.map(({ name }) => [name, element[name]])), ...read };
  insistOnImmutables(attribute, element, after);
  return after;
}

/** Entra sets `emails[type eq "work"].value` of users without such an element, where the RFC would have it refused. */
function withCreated(attribute: Attribute, elements: readonly unknown[], change: Change): readonly unknown[] {
  const { filter, sub, path, value } = change;
  const seed = filter ? seedOf(filter) : {};
  if (!seed || (filter && !matches(filter, seed))) return fail('scim.no_target', { path: shownPath(path) });
  const given = sub ? { [sub.name]: value } : onlyOf(value);
  const read = readValue(attribute, given, { element: true });
  if (!isObject(read)) return elements;
  const known = readValue(attribute, seed, { element: true });
  return appended(elements, [{ ...(isObject(known) ? known : {}), ...read }]);
}

/** The element that a filter of nothing but equalities describes. */
function seedOf(filter: Filter): Resource | undefined {
  if (filter.kind === 'and') {
    const [left, right] = [seedOf(filter.left), seedOf(filter.right)];
    return left && right && { ...left, ...right };
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || !filter.place || filter.value === null) return undefined;
  return { [filter.place.keys[0]!]: filter.value };
}

/** Without a list of keys: each value that is added is compared with each that is there. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return isDeepStrictEqual(a, b);
  for (const key in a) if (a[key] !== b[key]) return false;
  for (const key in b) if (!Object.hasOwn(a, key)) return false;
  return true;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const onlyOf = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownValue(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const wrong = (why: string): never => fail('scim.invalid_syntax', { why });

function unchangeable(attribute: Attribute, sub?: Attribute): never {
  return fail('scim.mutability', { name: sub ? `${attribute.name}.${sub.name}` : attribute.name });
}
