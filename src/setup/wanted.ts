// What a file wants, as a flat list in the order of the file.
import { normalize } from 'node:path';
import type { SetupDocument } from './document.ts';
import { type Fields, type Key, type Kind, keyText, type Path, type PruneScope, type Wanted } from './model.ts';
import type {
  ApplicationEntry,
  Attributes,
  DomainEntry,
  GrantEntry,
  IdentityProviderEntry,
  Json,
  NameInDomain,
  OrganizationEntry,
  PartRef,
  RegisteredLimitEntry,
  RoleEntry,
  RoleRef,
  SetupFile,
} from './schema.ts';
import { SetupError } from './text.ts';
import { walletFieldsOf } from './wallet-provider.ts';

export interface WantedSetup {
  readonly items: readonly Wanted[];
  readonly scopes: readonly PruneScope[];
  /** Users that the file names. They must exist. */
  readonly users: readonly { readonly key: Key; readonly path: Path }[];
  /** Every domain that the file names anywhere. */
  readonly domains: ReadonlySet<string>;
  /** Things that the file refers to. They must exist, or be in the file. */
  readonly references: readonly { readonly kind: Kind; readonly key: Key; readonly path: Path }[];
}

/** A secret is compared by whether there is one. */
export const SECRET = '(secret)';

/** Fields, with each attribute as a field of its own. What was not given is left out. */
function fieldsOf(entry: Readonly<Record<string, unknown>>, names: readonly string[]): Fields {
  const own = names.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name] as Json] as const]));
  const further = Object.entries((entry.attributes ?? {}) as Attributes).map(
    ([name, value]) => [`attributes.${name}`, value] as const,
  );
  return Object.fromEntries([...own, ...further]);
}

const roleKey = (role: RoleRef): Key => (typeof role === 'string' ? [null, role] : [role.domain, role.name]);
const partKey = (application: string, part: PartRef): readonly [string, string] =>
  typeof part === 'string' ? [application, part] : [part.application, part.name];
const nameKey = ({ domain, name }: NameInDomain): readonly [string, string] => [domain, name];

/** How the key names an application: by its name, or by its id if that is given. */
export const applicationKey = ({ id, name }: { readonly id?: string | undefined; readonly name: string }): string =>
  id === undefined ? name : `#${id}`;

const PROJECT_FIELDS = ['description', 'enabled', 'tags', 'immutable'];
const NOT_APPLICATION_FIELDS = new Set(['name', 'id', 'attributes', 'secret_to', 'roles', 'permissions', 'assignments']);
const NOT_OPENID_FIELDS = new Set(['client_secret']);

class Collector {
  readonly items: Wanted[] = [];
  readonly scopes: PruneScope[] = [];
  readonly users = new Map<string, { key: Key; path: Path }>();
  readonly domains = new Set<string>();
  readonly references: { kind: Kind; key: Key; path: Path }[] = [];
  readonly #document: SetupDocument;
  readonly #places = new Map<string, Path>();

  constructor(document: SetupDocument) {
    this.#document = document;
  }

  refuse(path: Path, why: string): never {
    throw new SetupError(`${this.#document.place(path)}: ${why}`);
  }

  add(item: Wanted): void {
    const text = keyText(item.kind, item.key);
    const other = this.#places.get(text);
    if (other) this.refuse(item.path, `is in the file twice, the first time in line ${this.#document.lineOf(other)}`);
    this.#places.set(text, item.path);
    if (item.secretTo !== undefined) this.#reserve(item.secretTo, item.path);
    this.items.push(item);
  }

  /** Two secrets do not fit into one file. */
  #reserve(file: string, path: Path): void {
    const text = `file ${normalize(file)}`;
    if (this.#places.has(text)) this.refuse(path, 'names a file for its secret that another one has');
    this.#places.set(text, path);
  }

  scope(kind: Kind, prefix: Key, list: unknown): void {
    if (list !== undefined) this.scopes.push({ kind, prefix });
  }

  refer(kind: Kind, key: Key, path: Path): void {
    if (typeof key[0] === 'string' && ['role', 'organization', 'group'].includes(kind)) this.domains.add(key[0]);
    if (kind === 'domain') this.domains.add(String(key[0]));
    this.references.push({ kind, key, path });
  }

  user(reference: NameInDomain, path: Path): void {
    const key = nameKey(reference);
    this.domains.add(reference.domain);
    this.users.set(JSON.stringify(key), { key, path });
  }
}

function addRoles(into: Collector, domain: string | null, roles: readonly RoleEntry[] | undefined, path: Path): void {
  into.scope('role', [domain], roles);
  for (const [index, role] of (roles ?? []).entries()) {
    const at = [...path, index];
    into.add({ kind: 'role', key: [domain, role.name], fields: fieldsOf(role, ['description', 'immutable']), path: at });
    into.scope('implied_role', [domain, role.name], role.implies);
    for (const [number, implied] of (role.implies ?? []).entries()) {
      const place = [...at, 'implies', number];
      into.refer('role', roleKey(implied), place);
      into.add({ kind: 'implied_role', key: [domain, role.name, ...roleKey(implied)], fields: {}, path: place });
    }
  }
}

function addOrganizations(
  into: Collector,
  { domain, parent }: { readonly domain: string; readonly parent: string | null },
  organizations: readonly OrganizationEntry[] | undefined,
  path: Path,
): void {
  for (const [index, one] of (organizations ?? []).entries()) {
    const at = [...path, index];
    into.add({ kind: 'organization', key: [domain, one.name], fields: { ...fieldsOf(one, PROJECT_FIELDS), parent }, path: at });
    addOrganizations(into, { domain, parent: one.name }, one.organizations, [...at, 'organizations']);
  }
}

function addDomain(into: Collector, domain: DomainEntry, path: Path): void {
  const { name } = domain;
  into.domains.add(name);
  into.add({ kind: 'domain', key: [name], fields: fieldsOf(domain, PROJECT_FIELDS), path });
  addRoles(into, name, domain.roles, [...path, 'roles']);
  into.scope('organization', [name], domain.organizations);
  addOrganizations(into, { domain: name, parent: null }, domain.organizations, [...path, 'organizations']);
  into.scope('group', [name], domain.groups);
  for (const [index, group] of (domain.groups ?? []).entries())
    into.add({
      kind: 'group',
      key: [name, group.name],
      fields: fieldsOf(group, ['description']),
      path: [...path, 'groups', index],
    });
  into.scope('scim_connection', [name], domain.scim_connections);
  for (const [index, connection] of (domain.scim_connections ?? []).entries())
    into.add({
      kind: 'scim_connection',
      key: [name, connection.name],
      fields: {},
      path: [...path, 'scim_connections', index],
      ...(connection.token_to ? { secretTo: connection.token_to.file } : {}),
    });
}

function addCatalog(into: Collector, { regions, services }: NonNullable<SetupFile['catalog']>): void {
  into.scope('region', [], regions);
  for (const [index, region] of (regions ?? []).entries()) {
    const path = ['catalog', 'regions', index];
    if (typeof region.parent === 'string') into.refer('region', [region.parent], [...path, 'parent']);
    into.add({ kind: 'region', key: [region.id as string], fields: fieldsOf(region, ['description', 'parent']), path });
  }
  into.scope('service', [], services);
  for (const [index, service] of (services ?? []).entries()) {
    const path = ['catalog', 'services', index];
    const key = [service.type as string, service.name as string];
    into.add({ kind: 'service', key, fields: fieldsOf(service, ['description', 'enabled']), path });
    into.scope('endpoint', key, service.endpoints);
    const endpoints = (service.endpoints ?? []) as readonly Readonly<Record<string, Json>>[];
    for (const [number, endpoint] of endpoints.entries()) {
      const at = [...path, 'endpoints', number];
      const region = (endpoint.region ?? null) as string | null;
      if (region !== null) into.refer('region', [region], [...at, 'region']);
      const own: Key = [...key, endpoint.interface as string, region];
      into.add({ kind: 'endpoint', key: own, fields: fieldsOf(endpoint, ['url', 'enabled', 'name', 'description']), path: at });
    }
  }
}

function addRegisteredLimits(into: Collector, limits: readonly RegisteredLimitEntry[]): void {
  into.scope('registered_limit', [], limits);
  for (const [index, limit] of limits.entries()) {
    const path = ['registered_limits', index];
    const [service, region] = [[limit.service.type, limit.service.name], limit.region ?? null];
    into.refer('service', service, [...path, 'service']);
    if (region !== null) into.refer('region', [region], [...path, 'region']);
    into.add({
      kind: 'registered_limit',
      key: [...service, region, limit.resource],
      fields: fieldsOf({ ...limit }, ['default_limit', 'description']),
      path,
    });
  }
}

function addAssignments(into: Collector, application: string, entry: ApplicationEntry, path: Path): void {
  const { organizations, users } = entry.assignments ?? {};
  into.scope('organization_assignment', [application], organizations);
  into.scope('user_assignment', [application], users);
  const shared = (one: { readonly role: PartRef; readonly organization: NameInDomain }, at: Path): Key => {
    into.refer('application_role', partKey(application, one.role), [...at, 'role']);
    into.refer('organization', nameKey(one.organization), [...at, 'organization']);
    return [application, ...partKey(application, one.role), ...nameKey(one.organization)];
  };
  for (const [index, one] of (organizations ?? []).entries()) {
    const at = [...path, 'assignments', 'organizations', index];
    into.add({ kind: 'organization_assignment', key: shared(one, at), fields: {}, path: at });
  }
  for (const [index, one] of (users ?? []).entries()) {
    const at = [...path, 'assignments', 'users', index];
    into.user(one.user, [...at, 'user']);
    into.add({ kind: 'user_assignment', key: [...shared(one, at), ...nameKey(one.user)], fields: {}, path: at });
  }
}

function addApplication(into: Collector, entry: ApplicationEntry, path: Path): void {
  const application = applicationKey(entry);
  const names = Object.keys(entry).filter((name) => !NOT_APPLICATION_FIELDS.has(name));
  into.add({
    kind: 'application',
    key: [application],
    fields: { ...fieldsOf(entry, names), ...(entry.id === undefined ? {} : { name: entry.name }) },
    path,
    ...(entry.secret_to ? { secretTo: entry.secret_to.file } : {}),
  });
  into.scope('permission', [application], entry.permissions);
  for (const [index, permission] of (entry.permissions ?? []).entries())
    into.add({
      kind: 'permission',
      key: [application, permission.name as string],
      fields: fieldsOf(permission, ['action', 'resource', 'xml', 'internal']),
      path: [...path, 'permissions', index],
    });
  into.scope('application_role', [application], entry.roles);
  for (const [index, role] of (entry.roles ?? []).entries()) {
    const at = [...path, 'roles', index];
    into.add({ kind: 'application_role', key: [application, role.name], fields: fieldsOf(role, ['internal']), path: at });
    into.scope('role_permission', [application, role.name], role.permissions);
    for (const [number, permission] of (role.permissions ?? []).entries()) {
      const place = [...at, 'permissions', number];
      into.refer('permission', partKey(application, permission), place);
      into.add({
        kind: 'role_permission',
        key: [application, role.name, ...partKey(application, permission)],
        fields: {},
        path: place,
      });
    }
  }
  addAssignments(into, application, entry, path);
}

function addProvider(into: Collector, entry: IdentityProviderEntry, path: Path): void {
  const { id, domain, openid, openid4vp } = entry;
  into.refer('domain', [domain], [...path, 'domain']);
  const names = ['domain', 'enabled', 'description', 'remote_ids', 'authorization_ttl'];
  into.add({ kind: 'identity_provider', key: [id], fields: fieldsOf(entry, names), path });
  into.scope('protocol', [id], entry.protocols);
  for (const [index, protocol] of (entry.protocols ?? []).entries()) {
    const at = [...path, 'protocols', index];
    into.refer('mapping', [protocol.mapping], [...at, 'mapping']);
    into.add({
      kind: 'protocol',
      key: [id, protocol.id],
      fields: fieldsOf(protocol, ['mapping', 'remote_id_attribute']),
      path: at,
    });
  }
  if (openid4vp) into.add({ kind: 'openid4vp', key: [id], fields: walletFieldsOf(openid4vp), path: [...path, 'openid4vp'] });
  if (!openid) return;
  const { client_secret: secret, scopes, email_domains: emailDomains } = openid;
  const fields = fieldsOf(
    openid,
    Object.keys(openid).filter((name) => !NOT_OPENID_FIELDS.has(name)),
  );
  into.add({
    kind: 'openid',
    key: [id],
    fields: {
      ...fields,
      // As the service stores them.
      ...(scopes === undefined ? {} : { scopes: [...new Set(['openid', ...(scopes as string[])])] }),
      ...(emailDomains === undefined ? {} : { email_domains: (emailDomains as string[]).map((one) => one.toLowerCase()) }),
      ...(secret === undefined ? {} : { client_secret: secret === null ? null : SECRET }),
    },
    path: [...path, 'openid'],
    ...(secret ? { secret } : {}),
  });
}

/** Key of a place where a role is granted, the domain first. */
function placeKey(into: Collector, { organization, domain, system }: GrantEntry, path: Path): Key {
  const given = [organization, domain, system === true ? true : undefined].filter((one) => one !== undefined);
  if (given.length !== 1) into.refuse(path, 'needs exactly one of organization, domain and system: true');
  if (organization) {
    into.refer('organization', nameKey(organization), [...path, 'organization']);
    return [organization.domain, 'organization', organization.name];
  }
  if (domain === undefined) return [null, 'system', null];
  into.refer('domain', [domain], [...path, 'domain']);
  return [domain, 'domain', null];
}

function addGrants(
  into: Collector,
  kind: 'group_grant' | 'user_grant',
  grants: readonly GrantEntry[],
  domains: readonly string[],
): void {
  const list = kind === 'group_grant' ? 'groups' : 'users';
  for (const domain of domains) into.scopes.push({ kind, prefix: [domain] });
  if (grants.some(({ system }) => system)) into.scopes.push({ kind, prefix: [null] });
  for (const [index, grant] of grants.entries()) {
    const path = ['grants', list, index];
    const place = placeKey(into, grant, path);
    if (grant.inherited && grant.system) into.refuse([...path, 'inherited'], 'nothing is below the system');
    into.refer('role', roleKey(grant.role), [...path, 'role']);
    if (grant.group) into.refer('group', nameKey(grant.group), [...path, 'group']);
    if (grant.user) into.user(grant.user, [...path, 'user']);
    const key = [...place, ...nameKey((grant.group ?? grant.user)!), ...roleKey(grant.role), grant.inherited ?? false];
    into.add({ kind, key, fields: {}, path });
  }
}

/** Throws for what a schema cannot say. */
export function wantedOf(document: SetupDocument): WantedSetup {
  const { file } = document;
  const into = new Collector(document);
  const domains = (file.domains ?? []).map(({ name }) => name);
  for (const [index, domain] of (file.domains ?? []).entries()) addDomain(into, domain, ['domains', index]);
  addRoles(into, null, file.roles, ['roles']);
  if (file.catalog) addCatalog(into, file.catalog);
  if (file.registered_limits) addRegisteredLimits(into, file.registered_limits);
  into.scope('application', [], file.applications);
  for (const [index, one] of (file.applications ?? []).entries()) addApplication(into, one, ['applications', index]);
  into.scope('mapping', [], file.mappings);
  for (const [index, mapping] of (file.mappings ?? []).entries())
    into.add({
      kind: 'mapping',
      key: [mapping.id as string],
      fields: fieldsOf(mapping, ['rules', 'schema_version']),
      path: ['mappings', index],
    });
  if (file.identity_providers)
    into.scopes.push({ kind: 'identity_provider', prefix: [], where: { field: 'domain', values: domains } });
  for (const [index, one] of (file.identity_providers ?? []).entries()) addProvider(into, one, ['identity_providers', index]);
  if (file.grants?.groups) addGrants(into, 'group_grant', file.grants.groups, domains);
  if (file.grants?.users) addGrants(into, 'user_grant', file.grants.users, domains);
  return { ...into, items: into.items, users: [...into.users.values()], domains: into.domains };
}
