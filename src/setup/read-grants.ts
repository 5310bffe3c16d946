// Reads base roles of groups and users.
import type { Body } from './client.ts';
import type { Key } from './model.ts';
import { pathId, type State, textOf } from './state.ts';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly domain?: { readonly id: string; readonly name: string };
}
interface Assignment {
  readonly role: Named;
  readonly user?: Named;
  readonly group?: Named;
  readonly scope: {
    readonly project?: Named;
    readonly domain?: Named;
    readonly system?: unknown;
    readonly 'OS-INHERIT:inherited_to'?: string;
  };
}

/** The address of a grant. */
export function grantPath(
  place: { readonly organization?: string | undefined; readonly domain?: string | undefined },
  actor: { readonly kind: 'group' | 'user'; readonly id: string },
  roleId: string,
  inherited: boolean,
): string {
  const where = place.organization
    ? `projects/${pathId(place.organization)}`
    : place.domain
      ? `domains/${pathId(place.domain)}`
      : 'system';
  const path = `${where}/${actor.kind}s/${pathId(actor.id)}/roles/${pathId(roleId)}`;
  return inherited ? `/v3/OS-INHERIT/${path}/inherited_to_projects` : `/v3/${path}`;
}

const nameKey = ({ name, domain }: Named): readonly [string, string] => [domain?.name ?? '', name];

function addGrant(state: State, { role, user, group, scope }: Assignment, ownGroups: ReadonlySet<string>): void {
  const actor = user ?? group!;
  const kind = user ? 'user' : 'group';
  const { project, domain } = scope;
  const place: Key = project
    ? [nameKey(project)[0], 'organization', project.name]
    : domain
      ? [domain.name, 'domain', null]
      : [null, 'system', null];
  const inherited = scope['OS-INHERIT:inherited_to'] === 'projects';
  const path = grantPath({ organization: project?.id, domain: domain?.id }, { kind, id: actor.id }, role.id, inherited);
  const isOwn = user ? user.id === state.client.me.userId : ownGroups.has(actor.id);
  state.add({
    kind: `${kind}_grant`,
    key: [...place, ...nameKey(actor), role.domain?.name ?? null, role.name, inherited],
    id: path,
    url: path,
    fields: {},
    ...(isOwn ? { keep: 'it is your own' } : {}),
  });
}

export async function readGrants(state: State, ownGroups: ReadonlySet<string>): Promise<void> {
  const { client, need } = state;
  const read = async (filter: string): Promise<void> => {
    const rows = (await client.list(
      `/v3/role_assignments?include_names=true${filter}`,
      'role_assignments',
    )) as unknown as Assignment[];
    for (const row of rows) if (state.needs(row.user ? 'user_grant' : 'group_grant')) addGrant(state, row, ownGroups);
  };
  if (!need.grantees) return read('');
  const ids = need.grantees.map(({ kind, key }) => ({ kind, id: state.idOf(kind, key) }));
  await client.each(ids, async ({ kind, id }) => {
    if (id !== undefined) await read(`&${kind}.id=${pathId(id)}`);
  });
}

/** Finds the users that a file names. Returns those that do not exist. */
export async function findUsers<T extends { readonly key: Key }>(state: State, users: readonly T[]): Promise<T[]> {
  const { client } = state;
  const found = await client.each(users, async ({ key: [domain, name] }) => {
    const domainId = state.idOf('domain', [domain!]);
    if (domainId === undefined) return false;
    const query = `domain_id=${pathId(domainId)}&name=${encodeURIComponent(String(name))}`;
    const user = (await client.list(`/v3/users?${query}`, 'users')).find((body: Body) => body.name === name);
    if (!user) return false;
    state.setId('user', [domain!, name!], textOf(user, 'id'));
    state.remember('user', textOf(user, 'id'), [domain!, name!]);
    return true;
  });
  return users.filter((_, index) => !found[index]);
}
