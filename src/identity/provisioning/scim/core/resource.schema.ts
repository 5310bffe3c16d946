// Reads what clients send into canonical names and types. All workarounds for vendors are in this file.

import { isPlainAddress } from '../../../directory/users/index.ts';
import { fail } from '../../../ground/faults.ts';
import { isWebReference } from '../../../ground/resource/index.ts';
import type { Attribute, AttributePath, Resource, ResourceType, ScimJsonObject, ScimSchema } from './attribute.ts';
import { commonAttributes, emailAddress } from './definitions.ts';
import { findAttributePath, findExtension, findSubAttribute } from './lookup.ts';

interface AttributeValue {
  readonly attributePath: AttributePath;
  readonly value: unknown;
}

/** One change of a patch without a path: an attribute, or a path with a filter that is not parsed yet. */
export type PathlessChange = AttributeValue | { readonly path: string; readonly value: unknown };

const maxElements = 1000;
const maxLength = 65_536;
const operations = ['add', 'remove', 'replace'] as const;

/**
 * Reads the resource of a POST or PUT. Leaves out unknown and read-only attributes, and those that are null or empty
 * (RFC 7643, 2.5).
 */
export function readResource(type: ResourceType, body: unknown): Resource {
  if (!isObject(body)) fail('scim.invalid_syntax', { why: 'a resource must be an object' });
  const resource: Record<string, unknown> = {};
  for (const { attributePath, value } of attributeValuesIn(type, body)) {
    if (!isWritable(attributePath)) continue;
    const read = readAttribute(attributePath.attributes.at(-1)!, value, nameOf(attributePath));
    if (read !== undefined) put(resource, attributePath, read);
  }
  return resource;
}

/**
 * `active` and the like say what somebody may do, and always have a value: taken away or left out, it stays. The default could allow more
 * than the value did.
 */
export const isFlag = ({ type, multiValued }: Attribute): boolean => type === 'boolean' && !multiValued;

/** The flags of a resource, which stay unless a client sends others. */
export const flagsOf = (type: ResourceType, resource: Resource): Resource =>
  Object.fromEntries(type.core.attributes.filter(isFlag).map(({ name }) => [name, resource[name]]));

/** Refuses a resource without a required attribute. */
export function checkRequired(type: ResourceType, resource: Resource): void {
  for (const { name, required } of type.core.attributes) {
    const value = resource[name];
    const missing = value === undefined || (typeof value === 'string' && value.trim() === '');
    if (required && missing) fail('scim.invalid_value', { name, why: 'it is required' });
  }
}

/** Reads the value of an attribute, or of one element of it. Undefined when it is unassigned. */
export function readValue(attribute: Attribute, value: unknown, { element = false }: { element?: boolean } = {}): unknown {
  return readAttribute(attribute, value, attribute.name, element);
}

/** The changes of a patch without a path, with values as sent. */
export function readPathless(type: ResourceType, value: unknown): PathlessChange[] {
  if (!isObject(value)) fail('scim.invalid_value', { name: 'value', why: 'it must be an object when there is no path' });
  return Object.entries(value).flatMap(([key, inner]): PathlessChange[] => {
    if (isFilteredPath(type, key)) return [{ path: key, value: inner }];
    return attributeValuesOf(type, key, inner).filter((change) => !isReadOnlyCommon(change));
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

function attributeValuesIn(type: ResourceType, object: ScimJsonObject): AttributeValue[] {
  return Object.entries(object).flatMap(([key, value]) => attributeValuesOf(type, key, value));
}

/** The attributes a key sets: one attribute, or all in an object under a URN. Empty for an unknown key. */
function attributeValuesOf(type: ResourceType, key: string, value: unknown): AttributeValue[] {
  const schema = findSchema(type, key);
  if (schema) return attributeValuesUnder(type, schema, value);
  const attributePath = findAttributePath(type, key);
  return attributePath ? [{ attributePath, value }] : [];
}

function attributeValuesUnder(type: ResourceType, schema: ScimSchema, value: unknown): AttributeValue[] {
  const object = value === null ? withoutValues(schema) : value;
  if (!isObject(object)) fail('scim.invalid_value', { name: schema.id, why: 'it must be an object' });
  return Object.entries(object).flatMap(([key, inner]) => {
    const attributePath = findAttributePath(type, `${schema.id}:${key}`);
    return attributePath ? [{ attributePath, value: inner }] : [];
  });
}

/** Setting a schema to null clears all its attributes. */
function withoutValues(schema: ScimSchema): ScimJsonObject {
  return Object.fromEntries(schema.attributes.map(({ name }) => [name, null]));
}

function findSchema(type: ResourceType, key: string): ScimSchema | undefined {
  return key.toLowerCase() === type.core.id.toLowerCase() ? type.core : findExtension(type, key);
}

/** Entra writes `emails[type eq "work"].value` as a key, where the RFC has names only. */
function isFilteredPath(type: ResourceType, key: string): boolean {
  const bracket = key.indexOf('[');
  return bracket > 0 && findAttributePath(type, key.slice(0, bracket)) !== undefined;
}

/** Okta repeats the `id` when it renames a group; this does not try to change it. */
function isReadOnlyCommon({ attributePath }: AttributeValue): boolean {
  const [attribute] = attributePath.attributes;
  return attribute.mutability === 'readOnly' && commonAttributes.includes(attribute);
}

function isWritable({ attributes }: AttributePath): boolean {
  const [attribute, sub] = attributes;
  if (sub && attribute.multiValued) return false;
  return attributes.every(({ mutability }) => mutability !== 'readOnly');
}

function nameOf({ attributes }: AttributePath): string {
  return attributes.map(({ name }) => name).join('.');
}

function put(resource: Record<string, unknown>, attributePath: AttributePath, value: unknown): void {
  let parent = resource;
  for (const key of attributePath.keys.slice(0, -1)) {
    const child = (parent[key] ?? {}) as Record<string, unknown>;
    parent[key] = child;
    parent = child;
  }
  putOnce(parent, attributePath.keys.at(-1)!, value, nameOf(attributePath));
}

/** Refuses two spellings of one name: a proxy that checked the request may have picked the other one. */
function putOnce(target: Record<string, unknown>, key: string, value: unknown, name: string): void {
  if (Object.hasOwn(target, key)) fail('scim.invalid_syntax', { why: `${name} is given twice` });
  target[key] = value;
}

function readAttribute(attribute: Attribute, value: unknown, name: string, element = false): unknown {
  if (isUnassigned(value)) return undefined;
  return attribute.multiValued && !element ? readList(attribute, listOf(value), name) : readOne(attribute, value, name);
}

function isUnassigned(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Some vendors send a single value without a list. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function readList(attribute: Attribute, list: readonly unknown[], name: string): unknown {
  if (list.length > maxElements && attribute.name !== 'members') refuse(name, `it may have ${maxElements} values at most`);
  const elements = list
    .map((element) => readAttribute(attribute, element, name, true))
    .filter((element) => element !== undefined);
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
    case 'reference':
      return readReference(attribute, value, name);
    default:
      return attribute === emailAddress ? readEmail(value, name) : readString(value, name);
  }
}

function readReference({ referenceTypes }: Attribute, value: unknown, name: string): string {
  const text = readString(value, name);
  const isLink = referenceTypes?.includes('external') === true;
  return !isLink || isWebReference(text) ? text : refuse(name, 'it must be an http or https URL');
}

function readEmail(value: unknown, name: string): string {
  const text = readString(value, name);
  return isPlainAddress(text) ? text : refuse(name, 'it must be an e-mail address');
}

function readComplex(attribute: Attribute, value: unknown, name: string): Resource | undefined {
  const input = typeof value === 'string' ? objectOfString(attribute, value) : value;
  if (!isObject(input)) refuse(name, 'it must be an object');
  const object: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(input)) {
    const sub = findSubAttribute(attribute, key) ?? displayOfMember(attribute, key, input);
    if (!sub || sub.mutability === 'readOnly') continue;
    const path = `${name}.${sub.name}`;
    const read = readAttribute(sub, inner, path);
    if (read !== undefined) putOnce(object, sub.name, read, path);
  }
  return Object.keys(object).length > 0 ? object : undefined;
}

/** Entra sends a manager, and Microsoft's collection the members of a group, as the bare identifier. */
function objectOfString(attribute: Attribute, value: string): unknown {
  return findSubAttribute(attribute, 'value') ? { value } : undefined;
}

/** Microsoft's collection names members by `displayName`. A `display` takes precedence. */
function displayOfMember(attribute: Attribute, key: string, member: ScimJsonObject): Attribute | undefined {
  if (attribute.name !== 'members' || key.toLowerCase() !== 'displayname') return undefined;
  const hasDisplay = Object.keys(member).some((other) => other.toLowerCase() === 'display');
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

function isObject(value: unknown): value is ScimJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Endpoints in lower case. Microsoft's collection asks for `/users` and for `/serviceConfiguration`. */
const endpoints: ReadonlyMap<string, string> = new Map(
  ['Users', 'Groups', 'Organizations', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig']
    .map((name): [string, string] => [name.toLowerCase(), name])
    .concat([
      ['serviceconfiguration', 'ServiceProviderConfig'],
      ['serviceproviderconfigs', 'ServiceProviderConfig'],
    ]),
);

/** The URL with the canonical spelling of its /scim/v2 endpoint. */
export function canonicalUrl(url: string): string {
  const [, name, rest = ''] = /^\/scim\/v2\/(\w+)(.*)$/s.exec(url) ?? [];
  const endpoint = name && endpoints.get(name.toLowerCase());
  return endpoint ? `/scim/v2/${endpoint}${rest}` : url;
}
