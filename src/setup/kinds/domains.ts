// Domains, with their organizations, groups and provisioning connections.
import { t } from '../../platform/http/index.ts';
import { type Body, Refusal } from '../client.ts';
import type { Key } from '../model.ts';
import { createWithSecret } from '../secrets.ts';
import { pathId, type State, textOf } from '../state.ts';
import { isInDirectory } from './domain-settings.ts';
import { type KindDefinition, type NameInDomain, ruleOf, type Work } from './kind.ts';
import {
  AnyName,
  BUILT_IN,
  description,
  enabled,
  FileReference,
  type FileTarget,
  immutable,
  keepImmutable,
  Name64,
  Name255,
  ofDomain,
  quote,
} from './shared.ts';

const DEFAULT_DOMAIN = 'default';

const project = {
  fields: {
    description,
    enabled,
    tags: {
      schema: t.array(t.string({ minLength: 1, maxLength: 255, pattern: '^[^,/]*$' }), { maxItems: 80, uniqueItems: true }),
      read: ({ tags }: Body) => ((tags ?? []) as string[]).toSorted(),
      initial: [],
      isSet: true,
    },
    immutable: { ...immutable, initial: false },
  },
  reserved: [...['domain_id', 'parent_id', 'is_domain', 'tags', 'options', 'parents', 'subtree'], 'explicit_domain_id'],
  isDisabledLast: true,
} as const;

const ORGANIZATIONS = { organizations: { kind: 'organization', about: 'Organizations (projects) below this one.' } } as const;

const inDomain = ({ name }: { readonly name: string }, [domain]: Key): Key => [domain!, name];
const nameOnly = ([, name]: Key) => ({ name });

/** The caller may be the manager of one domain only. */
async function listDomains({ client }: State): Promise<Body[]> {
  try {
    return await client.list('/v3/domains', 'domains');
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 403) || client.me.domainId === undefined) throw error;
    const { body } = await client.get(`/v3/domains/${pathId(client.me.domainId)}`);
    return [body.domain as Body];
  }
}

export const domain: KindDefinition = {
  label: ([name]) => `domain ${quote(name)}`,
  required: { name: Name64 },
  ...project,
  lists: {
    settings: { kind: 'domain_settings', isOne: true },
    pictures: { kind: 'domain_picture', about: 'The logo of this domain, and its icon (favicon).' },
    roles: { kind: 'role', about: 'Roles of this domain. They have effect through the roles that they imply.' },
    ...ORGANIZATIONS,
    groups: { kind: 'group' },
    scim_connections: { kind: 'scim_connection', about: 'Provisioning connections of this domain.' },
  },
  keyOf({ name }: NameInDomain, _above, { refer }) {
    refer('domain', [name]);
    return [name];
  },
  entryOf: ([name]) => ({ name }),
  collection: '/v3/domains',
  async read(state) {
    for (const body of await listDomains(state)) {
      const name = textOf(body, 'name');
      state.remember('domain', textOf(body, 'id'), [name]);
      if (!(state.need.domains?.has(name) ?? true)) continue;
      state.add('domain', [name], body, { keep: 'domains are not deleted by a file' });
    }
  },
  body: ([name]) => ({ name }),
  rule: ruleOf('identity:*_domain'),
};

/** Parents before their children. */
function inTreeOrder(bodies: readonly Body[], rootId: string): Body[] {
  const children = Map.groupBy(bodies, (body) => textOf(body, 'parent_id'));
  const sorted: Body[] = [];
  const queue = [rootId];
  for (let id = queue.shift(); id !== undefined; id = queue.shift())
    for (const child of children.get(id) ?? []) {
      sorted.push(child);
      queue.push(textOf(child, 'id'));
    }
  return sorted;
}

export const organization: KindDefinition = {
  label: ([of, name]) => `organization ${quote(name)}${ofDomain(of)}`,
  required: { name: Name64 },
  ...project,
  fields: {
    ...project.fields,
    parent: {
      fixed: 'an organization cannot be moved',
      initial: null,
      read: (body, state) => (state.keyOf('organization', textOf(body, 'parent_id'))?.[1] ?? null) as string | null,
    },
  },
  lists: ORGANIZATIONS,
  keyOf: inDomain,
  fieldsOf: (_entry: unknown, [, parent]) => ({ parent: parent ?? null }),
  entryOf: nameOnly,
  isBelow: ({ key, fields }, [of, parent]) => key[0] === of && fields.parent === (parent ?? null),
  envelope: 'project',
  collection: '/v3/projects',
  read: (state) =>
    state.eachDomain(async ({ id, name }) => {
      const bodies = await state.client.list(`/v3/projects?domain_id=${pathId(id)}`, 'projects');
      for (const body of inTreeOrder(bodies, id))
        state.add('organization', [name, textOf(body, 'name')], body, {
          ...(body.id === state.client.me.projectId ? { keep: 'your token is for it' } : keepImmutable(body)),
          ...(id === DEFAULT_DOMAIN && body.name === 'admin' ? BUILT_IN : {}),
        });
    }),
  body: ([of, name], ids, { parent }) => ({
    name,
    domain_id: ids('domain', [of!]),
    ...(parent === null ? {} : { parent_id: ids('organization', [of!, parent as string]) }),
  }),
  parentOf: ({ key: [of], fields: { parent } }) => (typeof parent === 'string' ? [of!, parent] : undefined),
  rule: ruleOf('identity:*_project'),
  subject: ({ action, key, found }, id) =>
    action === 'create' ? { domain_id: id('domain', [key[0]!]) } : { project_id: found!.id },
};

const OF_DIRECTORY = {
  keep: 'it is in the directory of its domain',
  locked: 'the directory of the domain says what its groups are',
};

/** Those of a directory are read only if the file names one: the directory may be away. */
function needsGroupsOfDirectory({ need: { domains, grantees } }: State, domain: string): boolean {
  if (domains === undefined) return false;
  return grantees?.some(({ kind, key }) => kind === 'group' && key[0] === domain) ?? true;
}

export const group: KindDefinition = {
  label: ([of, name]) => `group ${quote(name)}${ofDomain(of)}`,
  required: { name: Name255 },
  fields: { description },
  reserved: ['domain_id'],
  keyOf: inDomain,
  entryOf: nameOnly,
  /** Another service reads it from the directory. */
  exported: (entry, { locked }) => (locked === undefined ? entry : undefined),
  collection: '/v3/groups',
  async read(state) {
    const own = await state.ownGroups();
    await state.eachDomain(async ({ id, name }) => {
      const isOfDirectory = await isInDirectory(state, id);
      if (isOfDirectory && !needsGroupsOfDirectory(state, name)) return;
      for (const body of await state.client.list(`/v3/groups?domain_id=${pathId(id)}`, 'groups'))
        state.add('group', [name, textOf(body, 'name')], body, {
          ...(own.has(textOf(body, 'id')) ? { keep: 'you are a member of it' } : {}),
          ...(isOfDirectory ? OF_DIRECTORY : {}),
        });
    });
  },
  body: ([of, name], ids) => ({ name, domain_id: ids('domain', [of!]) }),
  rule: ruleOf('identity:*_group'),
  subject: ({ action, key, found }, id) =>
    action === 'create' ? { domain_id: id('domain', [key[0]!]) } : { group_id: found!.id },
};

const connect = ({ state: { client }, ids, secrets }: Work, [of, name]: Key, file: string | undefined): Promise<string> =>
  createWithSecret(secrets, file, async () => {
    const { connection } = await client.send('POST', '/v3/OS-SCIM/connections', {
      connection: { domain_id: ids('domain', [of!]), name },
    });
    return { id: String((connection as Body).id), secret: String((connection as Body).token) };
  });

export const scim_connection: KindDefinition = {
  label: ([of, name]) => `SCIM connection ${quote(name)}${ofDomain(of)}`,
  required: { name: AnyName },
  further: { token_to: FileReference },
  keyOf: inDomain,
  secretOf: ({ token_to: to }: { readonly token_to?: FileTarget }) => (to ? { secretTo: to.file } : {}),
  entryOf: nameOnly,
  exported: (entry, { ambiguous }, fileFor) => (ambiguous ? undefined : { ...entry, token_to: fileFor('token') }),
  collection: '/v3/OS-SCIM/connections',
  async read(state) {
    const { body } = await state.client.get('/v3/OS-SCIM/connections');
    for (const one of body.connections as Body[])
      state.add('scim_connection', [state.domainName(one.domain_id), textOf(one, 'name')], one);
  },
  create: (work, { key, secretTo }) => connect(work, key, secretTo),
  /** The token was shown once, to nobody. */
  async finishSecret(work, { found, wanted }) {
    await work.state.client.send('DELETE', found!.url);
    await connect(work, wanted!.key, wanted!.secretTo);
  },
  refusal: ({ secretTo, path }) =>
    secretTo === undefined
      ? { path, why: 'the token of a new connection is shown once: name a file for it with token_to' }
      : undefined,
  rule: () => 'identity:manage_scim_connections',
};
