// The wire to the schema: what clients send, in canonical names and types. Every kindness to a vendor is in this file.
import { fail } from '../../faults.ts';
import type { Attribute, Place, Resource, ResourceType, Schema } from './attribute.ts';
import { commonAttributes } from './definitions.ts';
import { findExtension, findPlace, findSubAttribute } from './lookup.ts';

type Given = Readonly<Record<string, unknown>>;

interface Addressed {
  readonly place: Place;
  readonly value: unknown;
}

/** One part of a patch without a path: at a place, or at a path with a filter that is still to be parsed. */
export type PathlessChange = Addressed | { readonly path: string; readonly value: unknown };

const maxElements = 1000;
const maxLength = 65_536;
const operations = ['add', 'remove', 'replace'] as const;

/**
 * A resource as POST or PUT sent it. What the schema does not have, what only the service may write, and what is null or
 * empty (RFC 7643, 2.5) is not in it.
 */
export function readResource(type: ResourceType, body: unknown): Resource {
  if (!isObject(body)) fail('scim.invalid_syntax', { why: 'a resource must be an object' });
  const resource: Record<string, unknown> = {};
  for (const { place, value } of addressedIn(type, body)) {
    if (!isWritable(place)) continue;
    const read = readNamed(place.attributes.at(-1)!, value, nameOf(place));
    if (read !== undefined) put(resource, place, read);
  }
  return resource;
}

/** Refuses a resource that lacks what its schema requires. */
export function insistOnRequired(type: ResourceType, resource: Resource): void {
  for (const { name, required } of type.core.attributes) {
    const value = resource[name];
    const missing = value === undefined || (typeof value === 'string' && value.trim() === '');
    if (required && missing) fail('scim.invalid_value', { name, why: 'it is required' });
  }
}

/** The value of one attribute, or of one element of it; undefined when that leaves it unassigned. */
export function readValue(attribute: Attribute, value: unknown, { element = false }: { element?: boolean } = {}): unknown {
  return readNamed(attribute, value, attribute.name, element);
}

/** The parts of a patch without a path, their values as they were sent. */
export function readPathless(type: ResourceType, value: unknown): PathlessChange[] {
  if (!isObject(value)) fail('scim.invalid_value', { name: 'value', why: 'it must be an object when there is no path' });
  return Object.entries(value).flatMap(([key, inner]): PathlessChange[] => {
    if (isFilteredPath(type, key)) return [{ path: key, value: inner }];
    return addressedBy(type, key, inner).filter((change) => !isEchoed(change));
  });
}

/** Entra writes `Add` and `Replace`. */
export function readOp(value: unknown): (typeof operations)[number] {
  const op = typeof value === 'string' ? value.toLowerCase() : undefined;
  return operations.find((name) => name === op) ?? fail('scim.invalid_syntax', { why: 'op must be add, remove or replace' });
}

/** A value in a filter without quotes; Entra writes `True`, and Microsoft's collection leaves the quotes of strings out. */
export function readBareWord(attribute: Attribute | undefined, word: string): string | number | boolean | null {
  if (word === 'null') return null;
  if (attribute?.type === 'boolean') return booleanOfWord(word) ?? word;
  if (attribute?.type === 'integer' || attribute?.type === 'decimal') return numberOfWord(word) ?? word;
  return word;
}

function addressedIn(type: ResourceType, given: Given): Addressed[] {
  return Object.entries(given).flatMap(([key, value]) => addressedBy(type, key, value));
}

/** What a key means: an attribute by any of its names, the attributes in an object under a URN, or nothing we know. */
function addressedBy(type: ResourceType, key: string, value: unknown): Addressed[] {
  const schema = findSchema(type, key);
  if (schema) return addressedUnder(type, schema, value);
  const place = findPlace(type, key);
  return place ? [{ place, value }] : [];
}

function addressedUnder(type: ResourceType, schema: Schema, value: unknown): Addressed[] {
  const given = value === null ? emptied(schema) : value;
  if (!isObject(given)) fail('scim.invalid_value', { name: schema.id, why: 'it must be an object' });
  return Object.entries(given).flatMap(([key, inner]) => {
    const place = findPlace(type, `${schema.id}:${key}`);
    return place ? [{ place, value: inner }] : [];
  });
}

/** A schema that is null has no attribute left. */
function emptied(schema: Schema): Given {
  return Object.fromEntries(schema.attributes.map(({ name }) => [name, null]));
}

function findSchema(type: ResourceType, key: string): Schema | undefined {
  return key.toLowerCase() === type.core.id.toLowerCase() ? type.core : findExtension(type, key);
}

/** Entra writes `emails[type eq "work"].value` as a key, where the RFC has names only. */
function isFilteredPath(type: ResourceType, key: string): boolean {
  const bracket = key.indexOf('[');
  return bracket > 0 && findPlace(type, key.slice(0, bracket)) !== undefined;
}

/** Okta repeats the `id` when it renames a group; that is no attempt to change it. */
function isEchoed({ place }: Addressed): boolean {
  const [attribute] = place.attributes;
  return attribute.mutability === 'readOnly' && commonAttributes.includes(attribute);
}

function isWritable({ attributes }: Place): boolean {
  const [attribute, sub] = attributes;
  if (sub && attribute.multiValued) return false;
  return attributes.every(({ mutability }) => mutability !== 'readOnly');
}

function nameOf({ attributes }: Place): string {
  return attributes.map(({ name }) => name).join('.');
}

function put(resource: Record<string, unknown>, place: Place, value: unknown): void {
  let parent = resource;
  for (const key of place.keys.slice(0, -1)) {
    const child = (parent[key] ?? {}) as Record<string, unknown>;
    parent[key] = child;
    parent = child;
  }
  putOnce(parent, place.keys.at(-1)!, value, nameOf(place));
}

/** Two spellings of one name could mean one thing to whoever looked at the request before us, and another to us. */
function putOnce(target: Record<string, unknown>, key: string, value: unknown, name: string): void {
  if (Object.hasOwn(target, key)) fail('scim.invalid_syntax', { why: `${name} is given twice` });
  target[key] = value;
}

function readNamed(attribute: Attribute, value: unknown, name: string, element = false): unknown {
  if (isUnassigned(value)) return undefined;
  return attribute.multiValued && !element ? readList(attribute, listOf(value), name) : readOne(attribute, value, name);
}

function isUnassigned(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Some vendors send a list of one without the list. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function readList(attribute: Attribute, list: readonly unknown[], name: string): unknown {
  if (list.length > maxElements && attribute.name !== 'members') refuse(name, `it may have ${maxElements} values at most`);
  const elements = list.map((element) => readNamed(attribute, element, name, true)).filter((element) => element !== undefined);
  if (elements.filter(isPrimary).length > 1) refuse(name, 'more than one value is primary');
  return elements.length > 0 ? elements : undefined;
}

function isPrimary(element: unknown): boolean {
  return isObject(element) && element.primary === true;
}

function readOne(attribute: Attribute, value: unknown, name: string): unknown {
  switch (attribute.type) {
    case 'complex':
      return readComplex(attribute, value, name);
    case 'boolean':
      return readBoolean(value, name);
    case 'integer':
      return Number.isSafeInteger(value) ? value : refuse(name, 'it must be a whole number');
    case 'decimal':
      return Number.isFinite(value) ? value : refuse(name, 'it must be a number');
    case 'dateTime':
      return readDateTime(value, name);
    case 'binary':
      return readBinary(value, name);
    default:
      return readString(value, name);
  }
}

function readComplex(attribute: Attribute, value: unknown, name: string): Resource | undefined {
  const given = typeof value === 'string' ? objectOfString(attribute, value) : value;
  if (!isObject(given)) refuse(name, 'it must be an object');
  const object: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(given)) {
    const sub = findSubAttribute(attribute, key) ?? displayOfMember(attribute, key, given);
    if (!sub || sub.mutability === 'readOnly') continue;
    const path = `${name}.${sub.name}`;
    const read = readNamed(sub, inner, path);
    if (read !== undefined) putOnce(object, sub.name, read, path);
  }
  return Object.keys(object).length > 0 ? object : undefined;
}

/** Entra sends a manager, and Microsoft's collection the members of a group, as the bare identifier. */
function objectOfString(attribute: Attribute, value: string): unknown {
  return findSubAttribute(attribute, 'value') ? { value } : undefined;
}

/** Microsoft's collection names members by `displayName`. A `display` beside it is the one that counts. */
function displayOfMember(attribute: Attribute, key: string, given: Given): Attribute | undefined {
  if (attribute.name !== 'members' || key.toLowerCase() !== 'displayname') return undefined;
  const hasDisplay = Object.keys(given).some((other) => other.toLowerCase() === 'display');
  return hasDisplay ? undefined : findSubAttribute(attribute, 'display');
}

function readBoolean(value: unknown, name: string): boolean {
  const read = typeof value === 'string' ? booleanOfWord(value) : value;
  return typeof read === 'boolean' ? read : refuse(name, 'it must be true or false');
}

/** Entra sends `"True"` and `"False"`. */
function booleanOfWord(word: string): boolean | undefined {
  const lower = word.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

function numberOfWord(word: string): number | undefined {
  return /^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(word) ? Number(word) : undefined;
}

function readString(value: unknown, name: string): string {
  if (typeof value !== 'string') refuse(name, 'it must be a string');
  if (value.length > maxLength) refuse(name, `it may have ${maxLength} characters at most`);
  return value;
}

function readDateTime(value: unknown, name: string): string {
  const text = readString(value, name);
  const isDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDateTime ? text : refuse(name, 'it must be a date and time');
}

function readBinary(value: unknown, name: string): string {
  const text = readString(value, name);
  return /^[\w+/\s-]*={0,2}$/.test(text.trim()) ? text : refuse(name, 'it must be base64');
}

function refuse(name: string, why: string): never {
  return fail('scim.invalid_value', { name, why });
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Endpoints as clients write them, in small letters. Microsoft's collection asks for `/users` and for `/serviceConfiguration`. */
const endpoints: ReadonlyMap<string, string> = new Map(
  ['Users', 'Groups', 'Organizations', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig']
    .map((name): [string, string] => [name.toLowerCase(), name])
    .concat([
      ['serviceconfiguration', 'ServiceProviderConfig'],
      ['serviceproviderconfigs', 'ServiceProviderConfig'],
    ]),
);

/** The address of a route of /scim/v2, whatever the case of its endpoint. */
export function canonicalUrl(url: string): string {
  const [, name, rest = ''] = /^\/scim\/v2\/(\w+)(.*)$/s.exec(url) ?? [];
  const endpoint = name && endpoints.get(name.toLowerCase());
  return endpoint ? `/scim/v2/${endpoint}${rest}` : url;
}
