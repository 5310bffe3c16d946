// Applications with their logos, roles and permissions, and who has which role in them.
import {
  CERTIFICATE_NAMES,
  CLIENT_AUTHENTICATION_METHODS,
  CLIENT_KEY_ALGORITHMS,
  GRANTS,
  ID_TOKEN_ALGORITHMS,
  OPENID_SCOPES,
  SECURITY_PROFILE_NAMES,
  SIGN_IN_STRENGTHS,
} from '../../identity/applications/consumers/index.ts';
import { type Schema, t } from '../../platform/http/index.ts';
import type { Body } from '../client.ts';
import type { Key } from '../model.ts';
import { createWithSecret } from '../secrets.ts';
import { pathId, type State, textOf } from '../state.ts';
import { bodyOf } from './fields.ts';
import { type Field, type KindDefinition, type NameInDomain, ruleOf, rulesOf } from './kind.ts';
import { ofPictures } from './pictures.ts';
import {
  AnyName,
  FileReference,
  type FileTarget,
  isInScope,
  labelOfApplication,
  nameKey,
  nameOf,
  nullableText,
  OrganizationReference,
  OWN_APPLICATIONS,
  ofDomain,
  type PartRef,
  PartReference,
  partKey,
  partReference,
  quote,
  Text,
  UserReference,
} from './shared.ts';

const OWN = { keep: 'it belongs to the service', builtIn: true };

const strings = (schema: Schema<string>) => ({
  schema: t.array(schema, { maxItems: 100, uniqueItems: true }),
  initial: [],
  isSet: true,
});
const or = (schema: Schema): Field => ({ schema: t.nullable(schema) });
const text: Field = { schema: Text };
const someOf = (words: readonly string[]): Field => ({
  ...or(t.array(t.oneOf(...words), { minItems: 1, uniqueItems: true })),
  isSet: true,
});
const lifetime = or(t.integer({ minimum: 60, maximum: 31_536_000 }));

const FIELDS: Readonly<Record<string, Field>> = {
  description: nullableText,
  client_type: { schema: t.oneOf('confidential', 'public'), initial: 'confidential' },
  grant_type: {
    schema: t.oneOf('authorization_code', 'password', 'client_credentials', 'refresh_token', 'implicit'),
    initial: 'authorization_code',
  },
  kind: or(t.oneOf('web', 'spa', 'device', 'service', 'proxy')),
  redirect_uris: strings(t.string({ maxLength: 2048 })),
  scopes: strings(t.string({ minLength: 1, maxLength: 255 })),
  post_logout_redirect_uris: { schema: t.array(t.string(), { maxItems: 100 }), isSet: true },
  backchannel_logout_uri: text,
  backchannel_logout_session_required: or(t.boolean()),
  frontchannel_logout_uri: text,
  frontchannel_logout_session_required: or(t.boolean()),
  id_token_claims: or(t.boolean()),
  id_token_signed_response_alg: or(t.oneOf(...ID_TOKEN_ALGORITHMS)),
  token_endpoint_auth_method: or(t.oneOf(...CLIENT_AUTHENTICATION_METHODS)),
  token_endpoint_auth_signing_alg: or(t.oneOf(...CLIENT_KEY_ALGORITHMS)),
  jwks: or(t.open({ keys: t.array(t.record(t.unknown()), { minItems: 1, maxItems: 20 }) })),
  jwks_uri: text,
  ...Object.fromEntries(CERTIFICATE_NAMES.map((name) => [name, or(t.string({ minLength: 1, maxLength: 1024 }))])),
  tls_client_certificate_bound_access_tokens: or(t.boolean()),
  workload_identities: or(
    t.array(
      t.object(
        { issuer: t.string({ minLength: 1 }), subject: t.string({ minLength: 1 }) },
        { audience: t.string({ minLength: 1 }), jwks: t.open({ keys: t.array(t.record(t.unknown()), { minItems: 1 }) }) },
      ),
      { minItems: 1, maxItems: 10 },
    ),
  ),
  security_profile: or(t.oneOf(...SECURITY_PROFILE_NAMES)),
  require_signed_request_object: or(t.boolean()),
  request_object_signing_alg: or(t.oneOf(...CLIENT_KEY_ALGORITHMS)),
  authorization_signed_response_alg: or(t.oneOf(...ID_TOKEN_ALGORITHMS)),
  introspection_signed_response_alg: or(t.oneOf(...ID_TOKEN_ALGORITHMS)),
  backchannel_token_delivery_mode: or(t.oneOf('poll', 'ping')),
  backchannel_client_notification_endpoint: text,
  backchannel_authentication_request_signing_alg: or(t.oneOf(...CLIENT_KEY_ALGORITHMS)),
  backchannel_user_code_parameter: or(t.boolean()),
  require_pushed_authorization_requests: or(t.boolean()),
  dpop_bound_access_tokens: or(t.boolean()),
  default_max_age: or(t.integer({ minimum: 0 })),
  require_auth_time: or(t.boolean()),
  initiate_login_uri: text,
  default_acr_values: someOf(SIGN_IN_STRENGTHS),
  allowed_grant_types: someOf(GRANTS),
  allowed_scopes: someOf(OPENID_SCOPES),
  access_token_lifetime: lifetime,
  refresh_token_lifetime: lifetime,
  skip_consent: or(t.boolean()),
  client_uri: text,
  policy_uri: text,
  tos_uri: text,
  logo_uri: text,
  url: text,
};

interface ApplicationEntry {
  readonly name: string;
  /** Names of applications are not unique. */
  readonly id?: string;
  readonly secret_to?: FileTarget;
}

export const application: KindDefinition = {
  label: ([key]) => labelOfApplication(key),
  required: { name: AnyName },
  optional: {
    id: t.string({
      minLength: 1,
      maxLength: 64,
      description: 'Names an existing application: to rename it, or if several have the same name.',
    }),
  },
  fields: { ...FIELDS, name: {} },
  reserved: [...Object.keys(FIELDS), 'response_type', 'secret', 'previous_secret_expires_at'],
  further: { secret_to: FileReference },
  lists: {
    pictures: { kind: 'application_picture', about: 'Its logo.' },
    roles: { kind: 'application_role' },
    permissions: { kind: 'permission' },
    credential_types: { kind: 'credential_type', about: 'What people with its roles can receive in their wallets.' },
    credential_target: { kind: 'credential_target', isOne: true },
    assignments: {
      lists: { organizations: { kind: 'organization_assignment' }, users: { kind: 'user_assignment' } },
      about: 'Who has which role in this application.',
    },
  },
  // By its name, or by its id if that is given.
  keyOf: ({ id, name }: ApplicationEntry) => [id === undefined ? name : `#${id}`],
  fieldsOf: ({ id, name }: ApplicationEntry) => (id === undefined ? {} : { name }),
  secretOf: ({ secret_to: to }: ApplicationEntry) => (to ? { secretTo: to.file } : {}),
  entryOf: ([key]) => ({ name: key, ...(String(key).startsWith('#') ? { id: String(key).slice(1) } : {}) }),
  /** The lists, the long ones last. */
  exported({ roles, credential_types, credential_target, assignments, ...entry }, { id, fields }) {
    if (OWN_APPLICATIONS.has(id)) return undefined;
    const lists = { roles, credential_types, credential_target, assignments };
    return { ...entry, name: fields.name, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list)) };
  },
  envelope: 'consumer',
  collection: '/v3/OS-OAUTH2/consumers',
  /** Those with a common name, and those that the file names by id, have their id as key. */
  async read(state) {
    const bodies = await state.list('/v3/OS-OAUTH2/consumers');
    const byName = Map.groupBy(bodies, ({ name }) => name);
    const { applications, applicationIds } = state.need;
    for (const body of bodies) {
      const [id, name] = [textOf(body, 'id'), textOf(body, 'name')];
      const byId = applicationIds.has(id) || (byName.get(body.name)!.length > 1 && !applications?.has(name));
      const own = { ...OWN, locked: 'this application belongs to the service' };
      state.add('application', [byId ? `#${id}` : name], body, OWN_APPLICATIONS.has(id) ? own : {});
    }
  },
  create: ({ state: { client }, secrets, ids }, { key: [name], fields, secretTo }) =>
    createWithSecret(secrets, secretTo, async () => {
      const body = { name, ...bodyOf(application, fields, { ids, key: [name!] }) };
      const { consumer } = await client.send('POST', '/v3/OS-OAUTH2/consumers', { consumer: body });
      return { id: String((consumer as Body).id), secret: String((consumer as Body).secret) };
    }),
  async finishSecret({ state: { client }, secrets }, { found, wanted }) {
    const { consumer } = (await client.get(found!.url)).body;
    secrets.reserve(wanted!.secretTo!).write(String((consumer as Body).secret));
  },
  refusal: ({ key: [key], path }) =>
    String(key).startsWith('#')
      ? { path: [...path, 'id'], why: 'there is no application with this id; without id it would be created' }
      : undefined,
  remedy: 'name the one that is meant by its id',
  rule: ruleOf('*_consumer'),
  subject: ({ found }) => (found ? { application_id: found.id } : {}),
};

const LOGO = 'logo';
const logoPath = (id: string): string => `/v3/OS-OAUTH2/consumers/${pathId(id)}/logo`;
const hasLogo = (body: Body): boolean => (body.links as Body | undefined)?.logo !== undefined;

export const application_picture: KindDefinition = {
  ...ofPictures([LOGO]),
  envelope: 'logo',
  label: ([key]) => `logo of ${labelOfApplication(key)}`,
  needs: ['application'],
  async read(state) {
    const shown = (await state.list('/v3/OS-OAUTH2/consumers')).filter(hasLogo).map((body) => textOf(body, 'id'));
    const ids = shown.filter((id) => isInScope(state, state.keyOf('application', id)![0]!));
    const bodies = await state.client.each(ids, (id) => state.client.find(logoPath(id)));
    for (const [index, id] of ids.entries()) {
      const body = bodies[index]?.logo as Body | undefined;
      if (body) state.add('application_picture', [...state.keyOf('application', id)!, LOGO], body, { url: logoPath(id) });
    }
  },
  address: ([key], ids) => logoPath(ids('application', [key!])),
  rule: () => 'update_consumer',
  subject: ({ key: [key] }, id) => ({ application_id: id('application', [key!]) }),
};

const internal: Field = { schema: t.boolean(), api: 'is_internal', initial: false };

/** A role or a permission of an application. */
const partOf = (kind: 'application_role' | 'permission', list: 'roles' | 'permissions', param: string) =>
  ({
    required: { name: AnyName },
    keyOf: ({ name }: { readonly name: string }, [key]: Key) => [key!, name],
    entryOf: ([, name]: Key) => ({ name }),
    envelope: list.slice(0, -1),
    collection: `/v3/OS-ROLES/${list}`,
    async read(state: State) {
      for (const body of await state.list(`/v3/OS-ROLES/${list}`)) {
        const id = textOf(body, 'application_id');
        const of = state.keyOf('application', id);
        if (of) state.add(kind, [...of, textOf(body, 'name')], body, OWN_APPLICATIONS.has(id) ? OWN : {});
      }
    },
    body: ([key, name], ids) => ({ name, application_id: ids('application', [key!]) }),
    subject: ({ key, found }, id) => ({
      application_id: id('application', [key[0]!]),
      ...(found ? { [param]: found.id } : {}),
    }),
  }) satisfies Partial<KindDefinition>;

export const permission: KindDefinition = {
  ...partOf('permission', 'permissions', 'permission_id'),
  label: ([key, name]) => `permission ${quote(name)} of ${labelOfApplication(key)}`,
  fields: {
    action: { schema: t.nullable(t.string({ maxLength: 255 })), initial: null },
    resource: { schema: t.nullable(t.string({ maxLength: 2048 })), initial: null },
    xml: nullableText,
    internal,
  },
  rule: ruleOf('*_permission'),
};

export const application_role: KindDefinition = {
  ...partOf('application_role', 'roles', 'role_id'),
  label: ([key, name]) => `role ${quote(name)} of ${labelOfApplication(key)}`,
  fields: {
    internal: {
      ...internal,
      schema: t.boolean({ description: 'It works in every application. Only administrators change it.' }),
    },
  },
  lists: { permissions: { kind: 'role_permission' } },
  rule: ruleOf('*_role'),
};

const linkPath = (role: string, linked: string): string => `/v3/OS-ROLES/roles/${pathId(role)}/permissions/${pathId(linked)}`;

export const role_permission: KindDefinition = {
  label: ([key, name, other, linked]) =>
    `permission ${quote(linked)}${other === key ? '' : ` of ${labelOfApplication(other)}`} in role ${quote(name)} of ${labelOfApplication(key)}`,
  schema: PartReference,
  keyOf(part: PartRef, above, { refer }) {
    const linked = partKey(above[0]!, part);
    refer('permission', linked);
    return [...above, ...linked];
  },
  entryOf: ([key, , ...linked]) => partReference(key!, linked),
  needs: ['application_role', 'permission'],
  async read(state) {
    const roles = state.items.filter(({ kind, key }) => kind === 'application_role' && isInScope(state, key[0]!));
    const lists = await state.client.each(roles, ({ id }) => state.list(`/v3/OS-ROLES/roles/${pathId(id)}/permissions`));
    for (const [index, { id, key }] of roles.entries())
      for (const body of lists[index]!) {
        const linked = state.keyOf('permission', textOf(body, 'id'));
        if (linked) state.addLink('role_permission', [...key, ...linked], linkPath(id, textOf(body, 'id')));
      }
  },
  address: (key, ids) => linkPath(ids('application_role', key.slice(0, 2)), ids('permission', key.slice(2, 4))),
  rule: rulesOf('add_permission_to_role', 'remove_permission_from_role'),
  subject: ({ key }, id) => ({
    role_id: id('application_role', key.slice(0, 2)),
    permission_id: id('permission', key.slice(2, 4)),
  }),
};

interface AssignmentEntry {
  readonly role: PartRef;
  readonly organization: NameInDomain;
  readonly user?: NameInDomain;
}

/** A key: application, role (2), organization (2), user (2). */
const partsOf = (key: Key) => ({ role: key.slice(1, 3), organization: key.slice(3, 5), user: key.slice(5, 7) });

function assignmentPath(ids: { user?: string | undefined; organization: string; application: string; role: string }): string {
  const user = ids.user === undefined ? '' : `users/${pathId(ids.user)}/`;
  const place = `organizations/${pathId(ids.organization)}/applications/${pathId(ids.application)}`;
  return `/v3/OS-ROLES/${user}${place}/roles/${pathId(ids.role)}`;
}

async function readAssignments(state: State, who: 'organization' | 'user', application: string): Promise<void> {
  for (const row of await state.list(`/v3/OS-ROLES/${who}s/role_assignments?application_id=${pathId(application)}`)) {
    const [role, organization] = [textOf(row, 'role_id'), textOf(row, 'organization_id')];
    const user = who === 'user' ? textOf(row, 'user_id') : undefined;
    const keys = [
      state.keyOf('application', application),
      state.keyOf('application_role', role),
      await state.lookUp('organization', organization),
      user === undefined ? [] : await state.lookUp('user', user),
    ];
    // One was deleted since the list was read.
    if (keys.includes(undefined)) continue;
    const keep = user === state.client.me.userId ? { keep: 'it is your own' } : {};
    const path = assignmentPath({ user, organization, application, role });
    state.addLink(
      `${who}_assignment`,
      keys.flatMap((key) => key!),
      path,
      keep,
    );
  }
}

const assignmentsOf = (who: 'organization' | 'user'): KindDefinition => ({
  label(key) {
    const role = `role ${quote(key[2])}${key[1] === key[0] ? '' : ` of ${labelOfApplication(key[1])}`} in ${labelOfApplication(key[0])}`;
    const organization = `organization ${quote(key[4])}${ofDomain(key[3])}`;
    return `${role} of ${who === 'user' ? `user ${quote(key[6])}${ofDomain(key[5])} in ${organization}` : organization}`;
  },
  required: {
    role: PartReference,
    ...(who === 'user' ? { user: UserReference } : {}),
    organization: OrganizationReference,
  },
  keyOf({ role, organization, user }: AssignmentEntry, [key], { refer, user: referUser }) {
    refer('application_role', partKey(key!, role), 'role');
    refer('organization', nameKey(organization), 'organization');
    if (user) referUser(user, 'user');
    return [key!, ...partKey(key!, role), ...nameKey(organization), ...(user ? nameKey(user) : [])];
  },
  entryOf(key) {
    const { role, organization, user } = partsOf(key);
    const entry = { role: partReference(key[0]!, role), organization: nameOf(organization) };
    return who === 'user' ? { ...entry, user: nameOf(user) } : entry;
  },
  needs: ['application_role', 'organization'],
  async read(state) {
    const all = state.items.filter(({ kind, key }) => kind === 'application' && isInScope(state, key[0]!));
    await state.client.each(all, ({ id }) => readAssignments(state, who, id));
  },
  address(key, ids) {
    const { role, organization, user } = partsOf(key);
    return assignmentPath({
      user: who === 'user' ? ids('user', user) : undefined,
      organization: ids('organization', organization),
      application: ids('application', [key[0]!]),
      role: ids('application_role', role),
    });
  },
  rule: rulesOf(`add_role_to_${who}`, `remove_role_from_${who}`),
  subject({ key }, id) {
    const { role, organization, user } = partsOf(key);
    return {
      application_id: id('application', [key[0]!]),
      role_id: id('application_role', role),
      project_id: id('organization', organization),
      ...(who === 'user' ? { user_id: id('user', user) } : {}),
    };
  },
});

export const organization_assignment = assignmentsOf('organization');
export const user_assignment = assignmentsOf('user');
