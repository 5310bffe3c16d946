// Reads domains, organizations, groups and base roles.
import { type Body, Refusal } from './client.ts';
import type { Found } from './model.ts';
import type { Json } from './schema.ts';
import { attributesOf, pathId, type State, textOf } from './state.ts';

const PROJECT = ['name', 'domain_id', 'parent_id', 'is_domain', 'enabled', 'description', 'tags', 'options'];
const DEFAULT_DOMAIN = 'default';
/** Those that a new service has. The policy, or old clients, depend on them. */
export const BUILT_IN_ROLES: ReadonlySet<string> = new Set([
  ...['admin', 'manager', 'member', 'reader', 'owner', 'basic', 'trial', 'community', 'service'],
]);

const BUILT_IN = { keep: 'it is built in', builtIn: true };

const isImmutable = ({ options }: Body): boolean => (options as { immutable?: boolean } | undefined)?.immutable === true;

const projectFields = (body: Body) => ({
  description: textOf(body, 'description'),
  enabled: body.enabled === true,
  tags: ((body.tags ?? []) as string[]).toSorted(),
  immutable: isImmutable(body),
  ...attributesOf(body, PROJECT),
});

const keepImmutable = (body: Body) => (isImmutable(body) ? { keep: 'it is immutable' } : {});

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

export async function readDomains(state: State): Promise<void> {
  for (const body of await listDomains(state)) {
    const id = textOf(body, 'id');
    const name = textOf(body, 'name');
    state.nameDomain(id, name);
    if (!(state.need.domains?.has(name) ?? true)) continue;
    state.add({
      kind: 'domain',
      key: [name],
      id,
      url: `/v3/domains/${pathId(id)}`,
      fields: projectFields(body),
      keep: 'domains are not deleted by a file',
    });
  }
}

/** Parents before their children. */
export function inTreeOrder(bodies: readonly Body[], rootId: string): Body[] {
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

async function readOrganizations(state: State, domain: { readonly id: string; readonly name: string }): Promise<void> {
  const bodies = await state.client.list(`/v3/projects?domain_id=${pathId(domain.id)}`, 'projects');
  const names = new Map(bodies.map((body) => [textOf(body, 'id'), textOf(body, 'name')]));
  const { me } = state.client;
  for (const body of inTreeOrder(bodies, domain.id)) {
    const id = textOf(body, 'id');
    const key = [domain.name, textOf(body, 'name')];
    state.remember('organization', id, key);
    state.add({
      kind: 'organization',
      key,
      id,
      url: `/v3/projects/${pathId(id)}`,
      fields: { ...projectFields(body), parent: names.get(textOf(body, 'parent_id')) ?? null },
      ...(id === me.projectId ? { keep: 'your token is for it' } : keepImmutable(body)),
      ...(domain.id === DEFAULT_DOMAIN && body.name === 'admin' ? BUILT_IN : {}),
    });
  }
}

async function readGroups(
  state: State,
  domain: { readonly id: string; readonly name: string },
  own: ReadonlySet<string>,
): Promise<void> {
  for (const body of await state.client.list(`/v3/groups?domain_id=${pathId(domain.id)}`, 'groups')) {
    const id = textOf(body, 'id');
    const key = [domain.name, textOf(body, 'name')];
    state.remember('group', id, key);
    state.add({
      kind: 'group',
      key,
      id,
      url: `/v3/groups/${pathId(id)}`,
      fields: { description: textOf(body, 'description'), ...attributesOf(body, ['name', 'domain_id', 'description']) },
      ...(own.has(id) ? { keep: 'you are a member of it' } : {}),
    });
  }
}

/** What the caller is allowed may depend on it. */
const YOURS = { keep: 'your token has it' };

function roleOf({ client: { me } }: State, body: Body, domain: string | null): Found {
  const id = textOf(body, 'id');
  const name = textOf(body, 'name');
  return {
    kind: 'role',
    key: [domain, name],
    id,
    url: `/v3/roles/${pathId(id)}`,
    fields: {
      description: (body.description ?? null) as Json,
      immutable: isImmutable(body),
      ...attributesOf(body, ['name', 'domain_id', 'description', 'options']),
    },
    ...(domain === null && BUILT_IN_ROLES.has(name) ? BUILT_IN : me.roleIds.has(id) ? YOURS : keepImmutable(body)),
  };
}

/** Managers of a domain may not see its roles. Where a file names one, the plan says that it cannot be found. */
async function listRolesOf({ client }: State, domainId: string): Promise<Body[]> {
  try {
    return await client.list(`/v3/roles?domain_id=${pathId(domainId)}`, 'roles');
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return [];
    throw error;
  }
}

async function readRoles(state: State): Promise<void> {
  const { client } = state;
  const byId = new Map<string, Found>();
  const add = (found: Found): void => {
    byId.set(found.id, found);
    state.add(found);
  };
  for (const body of await client.list('/v3/roles', 'roles')) add(roleOf(state, body, null));
  const domains = state.domains();
  const ofDomains = await client.each(domains, ({ id }) => listRolesOf(state, id));
  for (const [index, bodies] of ofDomains.entries()) for (const body of bodies) add(roleOf(state, body, domains[index]!.name));
  if (!state.needs('implied_role')) return;
  const { body } = await client.get('/v3/role_inferences');
  for (const { prior_role: prior, implies } of body.role_inferences as { prior_role: Body; implies: Body[] }[])
    for (const implied of implies) {
      const from = byId.get(textOf(prior, 'id'));
      const to = byId.get(textOf(implied, 'id'));
      // Of a domain that is not read.
      if (!from || !to) continue;
      const path = `/v3/roles/${pathId(from.id)}/implies/${pathId(to.id)}`;
      const builtIn = [from, to].every(({ key }) => key[0] === null && BUILT_IN_ROLES.has(String(key[1])));
      const key = [...from.key, ...to.key];
      const keep = builtIn ? BUILT_IN : [from, to].every(({ id }) => client.me.roleIds.has(id)) ? YOURS : {};
      state.add({ kind: 'implied_role', key, id: path, url: path, fields: {}, ...keep });
    }
}

/** Ids of the groups that the caller is a member of. */
const ownGroups = async ({ client }: State): Promise<ReadonlySet<string>> =>
  new Set((await client.list(`/v3/users/${pathId(client.me.userId)}/groups`, 'groups')).map((body) => textOf(body, 'id')));

export async function readBase(state: State): Promise<ReadonlySet<string>> {
  await readDomains(state);
  const domains = state.domains();
  const own = state.needs('group', 'group_grant') ? await ownGroups(state) : new Set<string>();
  await state.client.each(domains, async (domain) => {
    if (state.needs('organization')) await readOrganizations(state, domain);
    if (state.needs('group')) await readGroups(state, domain, own);
  });
  if (state.needs('role')) await readRoles(state);
  return own;
}
