// Writes what a service has as a file.
import { Document, isScalar, visit } from 'yaml';
import type { Fields, Found, Key, Kind } from './model.ts';
import { OWN_APPLICATIONS } from './read-applications.ts';
import { isOwnEndpoint } from './read-catalog.ts';
import type { State } from './state.ts';
import { isUnsafe, safeYaml } from './text.ts';
import { SECRET } from './wanted.ts';

type Entry = Record<string, unknown>;

/** What a thing has that was created without these fields. Only other values are written. */
const DEFAULTS: Partial<Record<Kind, Fields>> = {
  domain: { enabled: true, tags: [], immutable: false },
  organization: { enabled: true, tags: [], immutable: false, parent: null },
  region: { parent: null },
  role: { description: null },
  service: { enabled: true, description: null },
  endpoint: { enabled: true, name: null, description: null },
  registered_limit: { description: null },
  application: {
    description: null,
    client_type: 'confidential',
    grant_type: 'authorization_code',
    redirect_uris: [],
    scopes: [],
  },
  permission: { action: null, resource: null, xml: null, internal: false },
  application_role: { internal: false },
  mapping: { schema_version: '1.0' },
  identity_provider: { enabled: false, description: null, remote_ids: [], authorization_ttl: null },
  protocol: { remote_id_attribute: null },
  openid: {
    button_name: null,
    email_domains: [],
    trusts_email: false,
    whole_service: false,
    may_give_admin: false,
    accepts_tokens: false,
  },
  openid4vp: {
    issuers: [],
    root_certificates: [],
    requires_status: true,
    name: null,
    shown: true,
    email_domains: [],
    trusts_email: false,
    whole_service: false,
    may_give_admin: false,
  },
};
/** A new service has these roles, and the first four are immutable. */
const IMMUTABLE_ROLES = new Set(['admin', 'manager', 'member', 'reader']);

const REFERENCES = new Set(['name', 'domain', 'application', 'file']);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function fieldsOf({ kind, fields }: Found, ...skipped: readonly string[]): Entry {
  const entry: Entry = {};
  const attributes: Entry = {};
  for (const [name, value] of Object.entries(fields).toSorted(([one], [other]) => compare(one, other))) {
    if (skipped.includes(name) || JSON.stringify(DEFAULTS[kind]?.[name]) === JSON.stringify(value)) continue;
    if (name.startsWith('attributes.')) attributes[name.slice('attributes.'.length)] = value;
    else entry[name] = value;
  }
  return { ...entry, ...(Object.keys(attributes).length > 0 ? { attributes } : {}) };
}

const some = (name: string, list: readonly unknown[]): Entry => (list.length > 0 ? { [name]: list } : {});
const inDomain = ([domain, name]: Key): Entry => ({ name, domain });
const roleReference = ([domain, name]: Key): unknown => (domain === null ? name : { name, domain });
const partReference = (application: Key[number], [other, name]: Key): unknown =>
  other === application ? name : { name, application: other };
const simple = (part: Key[number]): string =>
  String(part)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);

class Exporter {
  readonly #files = new Map<string, number>();
  readonly #items: ReadonlyMap<Kind, readonly Found[]>;

  constructor(items: readonly Found[]) {
    const sorted = items.toSorted((one, other) => compare(JSON.stringify(one.key), JSON.stringify(other.key)));
    this.#items = Map.groupBy(sorted, ({ kind }) => kind);
  }

  /** A file name of letters and digits, for the secret of something with any name. */
  fileFor(ending: string, key: Key): { file: string } {
    const name =
      key
        .map(simple)
        .join('-')
        .replaceAll(/^-+|-+$/g, '') || 'secret';
    const count = (this.#files.get(name) ?? 0) + 1;
    this.#files.set(name, count);
    return { file: `${name}${count > 1 ? `.${count}` : ''}.${ending}` };
  }

  /** Things of a kind whose key begins so. */
  of(kind: Kind, ...prefix: Key): readonly Found[] {
    return (this.#items.get(kind) ?? []).filter(({ key }) => prefix.every((part, index) => key[index] === part));
  }

  roles(domain: string | null): Entry[] {
    return this.of('role', domain).map((role) => {
      const name = role.key[1];
      const showsImmutable = role.fields.immutable === true || (domain === null && IMMUTABLE_ROLES.has(String(name)));
      const implies = this.of('implied_role', domain, name!).map(({ key }) => roleReference(key.slice(2)));
      return {
        name,
        ...fieldsOf(role, 'immutable'),
        ...(showsImmutable ? { immutable: role.fields.immutable } : {}),
        ...some('implies', implies),
      };
    });
  }

  organizations(domain: Key[number], parent: string | null): Entry[] {
    return this.of('organization', domain!)
      .filter(({ fields }) => fields.parent === parent)
      .map((one) => {
        const name = String(one.key[1]);
        return { name, ...fieldsOf(one, 'parent'), ...some('organizations', this.organizations(domain, name)) };
      });
  }

  domains(): Entry[] {
    return this.of('domain').map((domain) => {
      const name = domain.key[0]!;
      const groups = this.of('group', name).map((one) => ({ name: one.key[1], ...fieldsOf(one) }));
      const connections = this.of('scim_connection', name)
        .filter((one) => !one.ambiguous)
        .map(({ key }) => ({ name: key[1], token_to: this.fileFor('token', key) }));
      return {
        name,
        ...fieldsOf(domain),
        ...some('roles', this.roles(String(name))),
        ...some('organizations', this.organizations(name, null)),
        ...some('groups', groups),
        ...some('scim_connections', connections),
      };
    });
  }

  catalog(): Entry {
    const regions = this.of('region').map((one) => ({ id: one.key[0], ...fieldsOf(one) }));
    const services = this.of('service').map((one) => {
      const [type, name] = one.key;
      const endpoints = this.of('endpoint', type!, name!)
        .filter(({ keep }) => !isOwnEndpoint(keep))
        .map((endpoint) => ({
          interface: endpoint.key[2],
          ...(endpoint.key[3] === null ? {} : { region: endpoint.key[3] }),
          ...fieldsOf(endpoint),
        }));
      return { type, name, ...fieldsOf(one), ...some('endpoints', endpoints) };
    });
    return { ...some('regions', regions), ...some('services', services) };
  }

  registeredLimits(): Entry[] {
    return this.of('registered_limit').map((one) => {
      const [type, name, region, resource] = one.key;
      return { service: { type, name }, ...(region === null ? {} : { region }), resource, ...fieldsOf(one) };
    });
  }

  assignments(key: Key[number]): Entry {
    const part = (one: Found): Entry => ({
      role: partReference(key, one.key.slice(1, 3)),
      organization: inDomain(one.key.slice(3, 5)),
    });
    const organizations = this.of('organization_assignment', key!).map(part);
    const users = this.of('user_assignment', key!).map((one) => ({ ...part(one), user: inDomain(one.key.slice(5, 7)) }));
    const lists = { ...some('organizations', organizations), ...some('users', users) };
    return Object.keys(lists).length > 0 ? { assignments: lists } : {};
  }

  applications(): Entry[] {
    return this.of('application')
      .filter(({ id }) => !OWN_APPLICATIONS.has(id))
      .map((one) => {
        const key = one.key[0]!;
        const roles = this.of('application_role', key).map((role) => {
          const permissions = this.of('role_permission', ...role.key).map((link) => partReference(key, link.key.slice(2, 4)));
          return { name: role.key[1], ...fieldsOf(role), ...some('permissions', permissions) };
        });
        const permissions = this.of('permission', key).map((permission) => ({
          name: permission.key[1],
          ...fieldsOf(permission),
        }));
        return {
          name: one.fields.name,
          ...(String(key).startsWith('#') ? { id: one.id } : {}),
          ...fieldsOf(one, 'name'),
          ...some('permissions', permissions),
          ...some('roles', roles),
          ...this.assignments(key),
        };
      });
  }

  providers(): Entry[] {
    return this.of('identity_provider').map((one) => {
      const id = one.key[0]!;
      const protocols = this.of('protocol', id).map((protocol) => ({ id: protocol.key[1], ...fieldsOf(protocol) }));
      const [openid] = this.of('openid', id);
      const [wallets] = this.of('openid4vp', id);
      const secret = openid?.fields.client_secret === SECRET ? { client_secret: this.fileFor('secret', [id]) } : {};
      return {
        id,
        ...fieldsOf(one),
        ...some('protocols', protocols),
        ...(openid ? { openid: { ...fieldsOf(openid, 'client_secret'), ...secret } } : {}),
        ...(wallets ? { openid4vp: fieldsOf(wallets) } : {}),
      };
    });
  }

  grants(): Entry {
    const list = (kind: 'group_grant' | 'user_grant', who: string): Entry[] =>
      this.of(kind).map(({ key }) => ({
        role: roleReference(key.slice(5, 7)),
        [who]: inDomain(key.slice(3, 5)),
        ...(key[1] === 'organization' ? { organization: inDomain([key[0]!, key[2]!]) } : {}),
        ...(key[1] === 'domain' ? { domain: key[0] } : {}),
        ...(key[1] === 'system' ? { system: true } : {}),
        ...(key[7] === true ? { inherited: true } : {}),
      }));
    return { ...some('groups', list('group_grant', 'group')), ...some('users', list('user_grant', 'user')) };
  }
}

/** What was left out, for the operator. */
export const exportNotices = ({ items }: State): string[] =>
  items
    .filter(({ kind, ambiguous }) => ambiguous && ['scim_connection', 'service', 'endpoint', 'registered_limit'].includes(kind))
    .map(({ kind, key }) => `${kind} ${JSON.stringify(key)}: several have this name`);

export function exportFile({ items }: State): Entry {
  const exporter = new Exporter(items);
  const catalog = exporter.catalog();
  const grants = exporter.grants();
  return {
    version: 1,
    ...some('domains', exporter.domains()),
    ...some('roles', exporter.roles(null)),
    ...(Object.keys(catalog).length > 0 ? { catalog } : {}),
    ...some('applications', exporter.applications()),
    ...some(
      'mappings',
      exporter.of('mapping').map((one) => ({ id: one.key[0], ...fieldsOf(one) })),
    ),
    ...some('identity_providers', exporter.providers()),
    ...(Object.keys(grants).length > 0 ? { grants } : {}),
    ...some('registered_limits', exporter.registeredLimits()),
  };
}

/** References are short enough for one line. Nothing is shortened by anchors, which a set-up file does not have. */
export function exportYaml(file: Entry): string {
  const document = new Document(file, { aliasDuplicateObjects: false, version: '1.2' });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && isUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
    },
    Map(_key, node) {
      if (node.items.every(({ key, value }) => REFERENCES.has(String(key)) && isScalar(value))) node.flow = true;
    },
  });
  return safeYaml(document.toString({ lineWidth: 0, flowCollectionPadding: true }));
}
