// PATCH (RFC 7644, 3.5.2): applies operations to a copy of a resource.
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../../ground/faults.ts';
import type { Attribute, AttributePath, Resource, ResourceType, ScimSchema } from './attribute.ts';
import { type Filter, matches } from './filter.ts';
import { findAttributePath, findSubAttribute } from './lookup.ts';
import { parsePath, shortenPath } from './path.ts';
import { isFlag, readOp, readPathless, readValue } from './resource.schema.ts';

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path?: string;
  readonly value?: unknown;
}

/** The change of one attribute, of some of its elements, or of a sub-attribute. */
export interface AttributeChange {
  readonly op: PatchOperation['op'];
  readonly path: string;
  readonly attributePath: AttributePath;
  readonly filter?: Filter;
  /** The sub-attribute to change, with or without a filter. */
  readonly sub?: Attribute;
  readonly value: unknown;
}

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:patchop';
const maxOperations = 1000;
/** Each comparison in a path checks every element: this limits the cost of the whole patch. */
const maxFilterText = 32_768;
const maxElements = 1000;

export function readOperations(body: unknown): PatchOperation[] {
  const message = isObject(body) ? body : failSyntax('the message must be an object');
  const schemas = fieldOf(message, 'schemas');
  const isPatch = Array.isArray(schemas) && schemas.some((urn) => typeof urn === 'string' && urn.toLowerCase() === patchUrn);
  if (!isPatch) failSyntax('schemas must name the PatchOp message');
  const list = fieldOf(message, 'operations');
  if (!Array.isArray(list) || list.length === 0) return failSyntax('Operations must be a list of at least one operation');
  if (list.length > maxOperations) failSyntax(`there may be ${maxOperations} operations at most`);
  return list.map(readOperation);
}

function readOperation(input: unknown): PatchOperation {
  const operation = isObject(input) ? input : failSyntax('an operation must be an object');
  const op = readOp(fieldOf(operation, 'op'));
  const path = fieldOf(operation, 'path') ?? '';
  if (typeof path !== 'string') return failSyntax('path must be a string');
  const value = fieldOf(operation, 'value');
  if (value === undefined && op !== 'remove') failSyntax(`${op} needs a value`);
  return { op, ...(path !== '' && { path }), ...(value !== undefined && { value }) };
}

/** Names are case-insensitive. Refuses two spellings of one: a proxy that checked the request may have picked the other. */
function fieldOf(object: Resource, name: string): unknown {
  const keys = Object.keys(object).filter((key) => key.toLowerCase() === name);
  if (keys.length > 1) failSyntax(`${name} is given twice`);
  return keys.length === 1 ? object[keys[0]!] : undefined;
}

export function applyPatch(type: ResourceType, resource: Resource, operations: readonly PatchOperation[]): Resource {
  const changes = operations.flatMap((operation) => changesOf(type, operation));
  const filterText = changes.reduce((sum, { filter, path }) => sum + (filter ? path.length : 0), 0);
  if (filterText > maxFilterText) failSyntax(`paths with filters may have ${maxFilterText} characters together`);
  return changes.reduce(applyChange, resource);
}

export function changesOf(type: ResourceType, { op, path, value }: PatchOperation): AttributeChange[] {
  if (path !== undefined) return changesAt(type, op, path, value);
  if (op === 'remove') return fail('scim.no_target', { path: '(none)' });
  return readPathless(type, value).flatMap((part) =>
    'path' in part ? changesAt(type, op, part.path, part.value) : [changeAt(op, part.attributePath, part.value)],
  );
}

function changesAt(type: ResourceType, op: PatchOperation['op'], path: string, value: unknown): AttributeChange[] {
  const parsed = parsePath(type, path);
  if (parsed.extension) return changesOfExtension(type, op, parsed.extension, value);
  const { attributePath, filter, sub = attributePath.attributes[1] } = parsed;
  return [{ op, path, attributePath, value, ...(filter && { filter }), ...(sub && { sub }) }];
}

function changesOfExtension(
  type: ResourceType,
  op: PatchOperation['op'],
  extension: ScimSchema,
  value: unknown,
): AttributeChange[] {
  if (op !== 'remove') return changesOf(type, { op, value: { [extension.id]: value } });
  return extension.attributes.map(({ name }) => changeAt(op, findAttributePath(type, `${extension.id}:${name}`)!, undefined));
}

function changeAt(op: PatchOperation['op'], attributePath: AttributePath, value: unknown): AttributeChange {
  const sub = attributePath.attributes[1];
  return { op, path: pathOf(attributePath), attributePath, value, ...(sub && { sub }) };
}

function pathOf({ keys, attributes }: AttributePath): string {
  const name = attributes.map((attribute) => attribute.name).join('.');
  return keys.length > attributes.length ? `${keys[0]}:${name}` : name;
}

function applyChange(resource: Resource, change: AttributeChange): Resource {
  const { attributePath, sub } = change;
  const [attribute] = attributePath.attributes;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') failMutability(attribute, sub);
  const keys = attributePath.keys.slice(0, attributePath.keys.length - attributePath.attributes.length + 1);
  const before = keys.reduce(ownValue, resource as unknown);
  const after = attribute.multiValued
    ? changeList(attribute, Array.isArray(before) ? before : [], change)
    : changeSingle(attribute, before, change);
  if (attribute.required && isEmpty(after)) failMutability(attribute);
  return withValue(resource, keys, after);
}

/** A copy with another value at the keys, without values that become empty. */
function withValue(resource: Resource, [key, ...rest]: readonly string[], value: unknown): Resource {
  const { [key!]: before, ...others } = resource;
  const after = rest.length > 0 ? withValue(isObject(before) ? before : {}, rest, value) : value;
  return isEmpty(after) ? others : { ...resource, [key!]: after };
}

function changeSingle(attribute: Attribute, before: unknown, { op, sub, value }: AttributeChange): unknown {
  if (sub) return withSubAttribute(attribute, isObject(before) ? before : {}, sub, op === 'remove' ? undefined : value);
  // RFC 7644, 3.5.2.3: sub-attributes that are not named stay as they are.
  const isMerge = op !== 'remove' && attribute.type === 'complex' && value !== null && !Array.isArray(value);
  if (isMerge) return mergeObject(attribute, isObject(before) ? before : {}, value);
  const after = op === 'remove' ? undefined : readValue(attribute, value);
  if (after === undefined && isFlag(attribute)) return before;
  if (attribute.mutability === 'immutable' && before !== undefined && !isDeepStrictEqual(before, after))
    failMutability(attribute);
  return after;
}

function withSubAttribute(attribute: Attribute, object: Resource, sub: Attribute, value: unknown): Resource {
  const after = withValue(object, [sub.name], readValue(sub, value));
  checkImmutables(attribute, object, after);
  return after;
}

/** The object with the given sub-attributes set; null unassigns one. */
function mergeObject(attribute: Attribute, object: Resource, value: unknown): Resource {
  const read = readValue(attribute, value, { element: true });
  let after = object;
  for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
    const sub = findSubAttribute(attribute, key);
    if (sub && sub.mutability !== 'readOnly' && isEmpty(inner)) after = withValue(after, [sub.name], undefined);
  }
  after = { ...after, ...(isObject(read) ? read : {}) };
  checkImmutables(attribute, object, after);
  return after;
}

function checkImmutables(attribute: Attribute, before: Resource, after: Resource): void {
  for (const sub of immutablesOf(attribute)) {
    const current = ownValue(before, sub.name);
    if (current !== undefined && current !== ownValue(after, sub.name)) failMutability(attribute, sub);
  }
}

const immutablesOf = (attribute: Attribute): Attribute[] =>
  (attribute.subAttributes ?? []).filter(({ mutability }) => mutability === 'immutable');

function changeList(attribute: Attribute, elements: readonly unknown[], change: AttributeChange): readonly unknown[] {
  const { op, filter, sub, value } = change;
  const after =
    op === 'remove'
      ? removeSelected(attribute, elements, change)
      : filter || sub
        ? changeSelected(attribute, elements, change)
        : appendElements(op === 'add' ? elements : [], listOf(readValue(attribute, value) ?? []));
  const values = after.filter((element) => !isEmpty(element));
  // A longer list would make every further operation too slow.
  if (values.length > Math.max(maxElements, elements.length)) {
    fail('scim.invalid_value', { name: attribute.name, why: `it may have ${maxElements} values at most` });
  }
  return values;
}

/** RFC 7644, 3.5.2.1: a value that exists is not added again. */
function appendElements(elements: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const after = [...elements];
  const fresh = new Set<unknown>();
  for (const element of added) {
    if (after.some((existing) => isSame(existing, element))) continue;
    after.push(element);
    fresh.add(element);
  }
  return withOnePrimary(after, fresh);
}

/** RFC 7644, 3.5.2: a new primary value replaces the previous one. */
function withOnePrimary(elements: readonly unknown[], fresh: ReadonlySet<unknown>): readonly unknown[] {
  const isPrimary = (element: unknown): boolean => ownValue(element, 'primary') === true;
  const chosen = elements.findLast((element) => fresh.has(element) && isPrimary(element));
  if (chosen === undefined) return elements;
  return elements.map((element) =>
    element !== chosen && isObject(element) && isPrimary(element) ? { ...element, primary: false } : element,
  );
}

function isSelected({ filter }: AttributeChange, element: unknown): element is Resource {
  return isObject(element) && (!filter || matches(filter, element));
}

/** A removal that matches nothing succeeds: Entra and Okta repeat removals. */
function removeSelected(attribute: Attribute, elements: readonly unknown[], change: AttributeChange): readonly unknown[] {
  const { filter, sub, value } = change;
  if (sub) {
    return elements.map((element) =>
      isSelected(change, element) ? withSubAttribute(attribute, element, sub, undefined) : element,
    );
  }
  if (!filter && namesElements(value)) return removeNamed(attribute, elements, value);
  return elements.filter((element) => filter && !isSelected(change, element));
}

/** Whether a removal names elements in its value. Entra does this; the RFC has no such form. */
export const namesElements = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function removeNamed(attribute: Attribute, elements: readonly unknown[], value: unknown): readonly unknown[] {
  const named = listOf(readValue(attribute, value) ?? []).filter(isObject);
  return elements.filter((element) => !isObject(element) || !named.some((one) => matchesNamed(attribute, one, element)));
}

function matchesNamed(attribute: Attribute, pattern: Resource, element: Resource): boolean {
  // The value identifies a member; its display may have changed.
  const isIdentity = findSubAttribute(attribute, 'value')?.mutability === 'immutable' && Object.hasOwn(pattern, 'value');
  const names = isIdentity ? ['value'] : Object.keys(pattern);
  return names.every((name) => {
    const attributePath: AttributePath = { keys: [name], attributes: [findSubAttribute(attribute, name)!] };
    return matches({ kind: 'compare', attributePath, operator: 'eq', value: pattern[name] as string }, element);
  });
}

function changeSelected(attribute: Attribute, elements: readonly unknown[], change: AttributeChange): readonly unknown[] {
  const fresh = new Set<unknown>();
  let first: Resource | undefined;
  const after = elements.flatMap((element) => {
    if (!isSelected(change, element)) return [element];
    const changed = changeElement(attribute, element, change);
    // Replacing several elements by one value must not repeat that value.
    if (first && !change.sub && isSame(first, changed)) return [];
    first ??= changed;
    fresh.add(changed);
    return [changed];
  });
  return fresh.size > 0 ? withOnePrimary(after, fresh) : createSelected(attribute, elements, change);
}

function changeElement(attribute: Attribute, element: Resource, { op, sub, value }: AttributeChange): Resource {
  if (sub) return withSubAttribute(attribute, element, sub, value);
  if (op === 'add') return mergeObject(attribute, element, unwrapSingle(value));
  const read = readValue(attribute, unwrapSingle(value), { element: true });
  if (!isObject(read)) return {};
  const fixed = immutablesOf(attribute).filter(({ name }) => Object.hasOwn(element, name));
  const after = { ...Object.fromEntries(fixed.map(({ name }) => [name, element[name]])), ...read };
  checkImmutables(attribute, element, after);
  return after;
}

/** Entra sets `emails[type eq "work"].value` of users without such an element; by the RFC this is an error. */
function createSelected(attribute: Attribute, elements: readonly unknown[], change: AttributeChange): readonly unknown[] {
  const { filter, sub, path, value } = change;
  const seed = filter ? elementDescribedBy(filter) : {};
  if (!seed || (filter && !matches(filter, seed))) return fail('scim.no_target', { path: shortenPath(path) });
  const input = sub ? { [sub.name]: value } : unwrapSingle(value);
  const read = readValue(attribute, input, { element: true });
  if (!isObject(read)) return elements;
  const described = readValue(attribute, seed, { element: true });
  return appendElements(elements, [{ ...(isObject(described) ? described : {}), ...read }]);
}

/** The element described by a filter that consists only of equalities. */
function elementDescribedBy(filter: Filter): Resource | undefined {
  if (filter.kind === 'and') {
    const [left, right] = [elementDescribedBy(filter.left), elementDescribedBy(filter.right)];
    return left && right && { ...left, ...right };
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || !filter.attributePath || filter.value === null) return undefined;
  return { [filter.attributePath.keys[0]!]: filter.value };
}

/** Avoids building key lists: each added value is compared with each existing one. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return isDeepStrictEqual(a, b);
  for (const key in a) if (a[key] !== b[key]) return false;
  for (const key in b) if (!Object.hasOwn(a, key)) return false;
  return true;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const unwrapSingle = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownValue(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const failSyntax = (why: string): never => fail('scim.invalid_syntax', { why });

function failMutability(attribute: Attribute, sub?: Attribute): never {
  return fail('scim.mutability', { name: sub ? `${attribute.name}.${sub.name}` : attribute.name });
}
