// The shapes of /v3/OS-SCIM: what Keyrock sent and took, over the resources of the standard face.
import { t } from '../../../platform/http/index.ts';
import { fail } from '../../faults.ts';
import type { Attribute, Resource, ResourceType } from '../core/attribute.ts';
import type { Extras } from '../core/handler.ts';
import { findPlace } from '../core/lookup.ts';
import type { Operation } from '../core/patch.ts';
import { readResource } from '../core/resource.schema.ts';

export type Version = '1.0' | '2.0';

const CORE = 'urn:scim:schemas:core';
/** Names the extension has had; requests may use any. */
const EXTENSIONS = ['urn:scim:schemas:extension:idbackend', 'urn:scim:schemas:extension:keystone'];

export interface Names {
  readonly version: Version;
  /** The extension, without its version, as answers name it. */
  readonly extension: string;
}

export const schemasOf = ({ version, extension }: Names): string[] => [`${CORE}:${version}`, `${extension}:${version}`];

interface Backed {
  readonly domain_id: string | null;
  readonly default_project_id?: string | null;
}

function text(name: string, description: string): Attribute {
  return {
    name,
    type: 'string',
    description,
    multiValued: false,
    required: false,
    caseExact: true,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
  };
}

const inExtension = [text('domain_id', 'The domain.'), text('default_project_id', 'The default organization of a User.')];
const keyrockTypes = new WeakMap<ResourceType, Map<string, ResourceType>>();

/** A kind of resource by the names Keyrock's API has for its attributes, for filters and for what an answer shows. */
export function keyrockTypeOf(type: ResourceType, { version, extension }: Names): ResourceType {
  const id = `${extension}:${version}`;
  const known = keyrockTypes.get(type) ?? new Map<string, ResourceType>();
  keyrockTypes.set(type, known);
  const found = known.get(id);
  if (found) return found;
  const attributes = type.core.attributes.map((one) => (one.name === 'isDefault' ? { ...one, name: 'is_default' } : one));
  const schema = { id, name: 'Backend', description: 'What the base API knows', attributes: inExtension };
  const made = { ...type, core: { ...type.core, attributes }, extensions: [...type.extensions, schema] };
  known.set(id, made);
  return made;
}

/** A resource of the standard API as Keyrock's shows it. */
export function toKeyrock(resource: Resource, row: Backed, names: Names): Resource {
  const { schemas: _, isDefault, meta, ...rest } = resource;
  return {
    schemas: schemasOf(names),
    ...rest,
    ...(isDefault === undefined ? {} : { is_default: isDefault }),
    [`${names.extension}:${names.version}`]: {
      domain_id: row.domain_id,
      ...(row.default_project_id ? { default_project_id: row.default_project_id } : {}),
    },
    ...(meta === undefined ? {} : { meta }),
  };
}

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value);

function extensionOf(body: Given, names: Names): Given {
  for (const name of [names.extension, ...EXTENSIONS]) {
    for (const version of ['2.0', '1.0']) {
      const value = body[`${name}:${version}`];
      if (isObject(value)) return value;
    }
  }
  return {};
}

function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' && value !== '' ? value : fail('scim.invalid_value', { name, why: 'it must be a string' });
}

function extrasOf(given: Given, names: Names): Extras {
  const extension = extensionOf(given, names);
  return {
    id: textOf(given, 'id'),
    domainId: textOf(extension, 'domain_id') ?? textOf(given, 'domain_id'),
    defaultProjectId: textOf(extension, 'default_project_id') ?? textOf(given, 'default_project_id'),
  };
}

/** The core's name for what Keyrock's API calls `is_default`. */
function renamed(given: Given): Given {
  const { is_default: isDefault, ...rest } = given;
  return isDefault === undefined ? rest : { ...rest, isDefault };
}

/** What a request says, as the core reads it: the resource, and what stands outside the schema. */
export function fromKeyrock(type: ResourceType, body: Given, names: Names): { input: Resource; extras: Extras } {
  return { input: readResource(type, renamed(body)), extras: extrasOf(body, names) };
}

/** What a request names to take it away: null, and the empty list. Nobody is let in or shut out that way. */
export function emptiedIn(type: ResourceType, body: Given): Resource {
  const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
  const places = Object.entries(renamed(body)).flatMap(([key, value]) => (isEmpty(value) ? (findPlace(type, key) ?? []) : []));
  const emptied = places.filter(({ keys, attributes: [{ mutability }] }) => keys.length === 1 && mutability === 'readWrite');
  return Object.fromEntries(emptied.flatMap(({ keys: [key] }) => (key === 'active' ? [] : [[key, undefined]])));
}

const given = (extras: Extras): Extras => Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined));

/** The operations of a patch, as the core reads them, and what they say of what stands outside the schema. */
export function fromKeyrockOperations(
  operations: readonly Operation[],
  names: Names,
): { operations: Operation[]; extras: Extras } {
  let extras: Extras = {};
  const kept: Operation[] = [];
  const urns = [names.extension, ...EXTENSIONS].flatMap((name) => [`${name}:1.0`, `${name}:2.0`]);
  for (const operation of operations) {
    const { op, path, value } = operation;
    const urn = urns.find((one) => path === one || path?.startsWith(`${one}:`));
    if (path !== undefined && urn !== undefined) {
      const name = path.slice(urn.length + 1);
      if (op === 'remove' || !(name === '' ? isObject(value) : inExtension.some((one) => one.name === name)))
        fail('scim.invalid_path', { path, why: 'it has a domain_id and a default_project_id, which can be replaced' });
      extras = { ...extras, ...given(extrasOf({ [urn]: name === '' ? value : { [name]: value } }, names)) };
    } else if (path === undefined && isObject(value)) {
      extras = { ...extras, ...given(extrasOf(value, names)) };
      kept.push({ ...operation, value: renamed(value) });
    } else kept.push(path === 'is_default' ? { ...operation, path: 'isDefault' } : operation);
  }
  return { operations: kept, extras };
}

/** An id of the client's own. */
export function checkId(id: string | undefined): void {
  if (id !== undefined && !/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/.test(id))
    fail('scim.invalid_value', { name: 'id', why: 'it must have 1 to 64 letters, digits, dots, dashes or underscores' });
}

/** What else there is depends on the attributes that are asked for. */
const always = { schemas: t.array(t.string()), id: t.string() };
const shared = {
  externalId: t.string(),
  displayName: t.string(),
  active: t.boolean(),
  meta: t.open({}),
};

export const KeyrockUser = t.open(always, {
  ...shared,
  userName: t.string(),
  name: t.open({}),
  emails: t.array(t.open({}, { value: t.string() })),
});
export const KeyrockGroup = t.open(always, { ...shared, members: t.array(t.open({}, { value: t.string() })) });
export const KeyrockOrganization = t.open(always, {
  ...shared,
  name: t.string(),
  description: t.string(),
  is_default: t.boolean(),
});
export const KeyrockRole = t.object(
  { schemas: t.array(t.string()), id: t.string(), name: t.string() },
  { domain_id: t.nullable(t.string()) },
);

export const keyrockList = (items: ReturnType<typeof t.open>) =>
  t.object({
    schemas: t.array(t.string()),
    totalResults: t.integer(),
    itemsPerPage: t.integer(),
    startIndex: t.integer(),
    Resources: t.array(items),
  });

const supported = t.object({ supported: t.boolean() });

export const KeyrockConfig = t.object({
  schemas: t.array(t.string()),
  documentationUrl: t.string(),
  patch: supported,
  information: t.object({
    totalUsers: t.integer(),
    basicUsers: t.integer(),
    trialUsers: t.integer(),
    communityUsers: t.integer(),
    totalCloudOrganizations: t.integer(),
    totalUserOrganizations: t.integer(),
    totalResources: t.integer(),
  }),
  bulk: t.object({ supported: t.boolean(), maxOperations: t.integer(), maxPayloadSize: t.integer() }),
  filter: t.object({ supported: t.boolean(), maxResults: t.integer() }),
  changePassword: supported,
  sort: supported,
  etag: supported,
  xmlDataFormat: supported,
  authenticationSchemes: t.array(
    t.object({
      name: t.string(),
      description: t.string(),
      specUrl: t.string(),
      documentationUrl: t.string(),
      type: t.string(),
      primary: t.boolean(),
    }),
  ),
});
