// The wire format of /v3/OS-SCIM: converts between Keyrock's resources and those of the standard API.
import { t } from '../../../../platform/http/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Attribute, Resource, ResourceType, ScimJsonObject } from '../core/attribute.ts';
import type { Extras } from '../core/handler.ts';
import { findAttributePath } from '../core/lookup.ts';
import type { PatchOperation } from '../core/patch.ts';
import { isFlag, readResource } from '../core/resource.schema.ts';

export type KeyrockVersion = '1.0' | '2.0';

const CORE = 'urn:scim:schemas:core';
/** Names the extension had in versions of Keyrock; requests may use any of them. */
const EXTENSIONS = ['urn:scim:schemas:extension:idbackend', 'urn:scim:schemas:extension:keystone'];

export interface KeyrockSchemaNames {
  readonly version: KeyrockVersion;
  /** The name of the extension in replies, without its version. */
  readonly extension: string;
}

export const schemasOf = ({ version, extension }: KeyrockSchemaNames): string[] => [
  `${CORE}:${version}`,
  `${extension}:${version}`,
];

interface BackendRow {
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

const extensionAttributes = [text('domain_id', 'The domain.'), text('default_project_id', 'The default organization of a User.')];
const keyrockTypes = new WeakMap<ResourceType, Map<string, ResourceType>>();

/** A resource type with Keyrock's attribute names, for filters and projections. */
export function keyrockTypeOf(type: ResourceType, { version, extension }: KeyrockSchemaNames): ResourceType {
  const id = `${extension}:${version}`;
  const cached = keyrockTypes.get(type) ?? new Map<string, ResourceType>();
  keyrockTypes.set(type, cached);
  const found = cached.get(id);
  if (found) return found;
  const attributes = type.core.attributes.map((one) => (one.name === 'isDefault' ? { ...one, name: 'is_default' } : one));
  const schema = { id, name: 'Backend', description: 'Attributes of the base API', attributes: extensionAttributes };
  const keyrockType = { ...type, core: { ...type.core, attributes }, extensions: [...type.extensions, schema] };
  cached.set(id, keyrockType);
  return keyrockType;
}

/** Converts a resource of the standard API to Keyrock's format. */
export function toKeyrock(resource: Resource, row: BackendRow, names: KeyrockSchemaNames): Resource {
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

const isObject = (value: unknown): value is ScimJsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function extensionOf(body: ScimJsonObject, names: KeyrockSchemaNames): ScimJsonObject {
  for (const name of [names.extension, ...EXTENSIONS]) {
    for (const version of ['2.0', '1.0']) {
      const value = body[`${name}:${version}`];
      if (isObject(value)) return value;
    }
  }
  return {};
}

function textOf(body: ScimJsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' && value !== '' ? value : fail('scim.invalid_value', { name, why: 'it must be a string' });
}

function extrasOf(body: ScimJsonObject, names: KeyrockSchemaNames): Extras {
  const extension = extensionOf(body, names);
  return {
    id: textOf(body, 'id'),
    domainId: textOf(extension, 'domain_id') ?? textOf(body, 'domain_id'),
    defaultProjectId: textOf(extension, 'default_project_id') ?? textOf(body, 'default_project_id'),
  };
}

/** Renames Keyrock's `is_default` to the name of the core. */
function toCoreNames(body: ScimJsonObject): ScimJsonObject {
  const { is_default: isDefault, ...rest } = body;
  return isDefault === undefined ? rest : { ...rest, isDefault };
}

/** Reads a request: the resource of the core, and values outside the schema. */
export function fromKeyrock(
  type: ResourceType,
  body: ScimJsonObject,
  names: KeyrockSchemaNames,
): { input: Resource; extras: Extras } {
  return { input: readResource(type, toCoreNames(body)), extras: extrasOf(body, names) };
}

/** Attributes a request clears with null or an empty list. Flags cannot be cleared. */
export function clearedAttributes(type: ResourceType, body: ScimJsonObject): Resource {
  const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
  const paths = Object.entries(toCoreNames(body)).flatMap(([key, value]) =>
    isEmpty(value) ? (findAttributePath(type, key) ?? []) : [],
  );
  const emptied = paths.filter(
    ({ keys, attributes: [one] }) => keys.length === 1 && one.mutability === 'readWrite' && !isFlag(one),
  );
  return Object.fromEntries(emptied.map(({ keys: [key] }) => [key, undefined]));
}

const withoutUndefined = (extras: Extras): Extras =>
  Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined));

/** Reads the operations of a patch: those for the core, and values outside the schema. */
export function fromKeyrockOperations(
  operations: readonly PatchOperation[],
  names: KeyrockSchemaNames,
): { operations: PatchOperation[]; extras: Extras } {
  let extras: Extras = {};
  const rest: PatchOperation[] = [];
  const urns = [names.extension, ...EXTENSIONS].flatMap((name) => [`${name}:1.0`, `${name}:2.0`]);
  for (const operation of operations) {
    const { op, path, value } = operation;
    const urn = urns.find((one) => path === one || path?.startsWith(`${one}:`));
    if (path !== undefined && urn !== undefined) {
      const name = path.slice(urn.length + 1);
      if (op === 'remove' || !(name === '' ? isObject(value) : extensionAttributes.some((one) => one.name === name)))
        fail('scim.invalid_path', { path, why: 'it has a domain_id and a default_project_id, which can be replaced' });
      extras = { ...extras, ...withoutUndefined(extrasOf({ [urn]: name === '' ? value : { [name]: value } }, names)) };
    } else if (path === undefined && isObject(value)) {
      extras = { ...extras, ...withoutUndefined(extrasOf(value, names)) };
      rest.push({ ...operation, value: toCoreNames(value) });
    } else rest.push(path === 'is_default' ? { ...operation, path: 'isDefault' } : operation);
  }
  return { operations: rest, extras };
}

/** Checks an id that the client chose. */
export function checkId(id: string | undefined): void {
  if (id !== undefined && !/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/.test(id))
    fail('scim.invalid_value', { name: 'id', why: 'it must have 1 to 64 letters, digits, dots, dashes or underscores' });
}

/** A projection may leave out all other attributes. */
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

export function keyrockList(name: string, items: ReturnType<typeof t.open>) {
  const schema = t.object({
    schemas: t.array(t.string()),
    totalResults: t.integer(),
    itemsPerPage: t.integer(),
    startIndex: t.integer(),
    Resources: t.array(items),
  });
  t.name({ [`Keyrock${name}List`]: schema });
  return schema;
}

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

t.name({ KeyrockUser, KeyrockGroup, KeyrockOrganization, KeyrockRole, KeyrockConfig });
