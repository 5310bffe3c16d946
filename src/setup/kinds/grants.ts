// Base roles of groups and users: on an organization, a domain or the system.
import { t } from '../../platform/http/index.ts';
import type { Key } from '../model.ts';
import { pathId, type State } from '../state.ts';
import { isInDirectory } from './domain-settings.ts';
import { type KindDefinition, type NameInDomain, type Naming, rulesOf } from './kind.ts';
import {
  GroupReference,
  Name64,
  nameKey,
  nameOf,
  OrganizationReference,
  ofDomain,
  quote,
  type RoleRef,
  RoleReference,
  roleKey,
  roleReference,
  UserReference,
} from './shared.ts';

interface GrantEntry {
  readonly role: RoleRef;
  readonly group?: NameInDomain;
  readonly user?: NameInDomain;
  readonly organization?: NameInDomain;
  readonly domain?: string;
  readonly system?: boolean;
  readonly inherited?: boolean;
}

/** Key of a place where a role is granted, the domain first. */
function placeKey({ organization, domain, system }: GrantEntry, { refer, refuse }: Naming): Key {
  const places = [organization, domain, system === true ? true : undefined].filter((one) => one !== undefined);
  if (places.length !== 1) refuse('needs exactly one of organization, domain and system: true');
  if (organization) {
    refer('organization', nameKey(organization), 'organization');
    return [organization.domain, 'organization', organization.name];
  }
  if (domain === undefined) return [null, 'system', null];
  refer('domain', [domain], 'domain');
  return [domain, 'domain', null];
}

/** A key: place (3), who (2), role (2), whether it is inherited. */
const partsOf = (key: Key) => ({
  organization: key[1] === 'organization' ? [key[0]!, key[2]!] : undefined,
  domain: key[1] === 'domain' ? [key[0]!] : undefined,
  who: key.slice(3, 5),
  role: key.slice(5, 7),
  inherited: key[7] === true,
});

function placeLabel([domain, kind, name]: Key): string {
  if (kind === 'system') return 'on the system';
  return kind === 'domain' ? `on domain ${quote(domain)}` : `on organization ${quote(name)}${ofDomain(domain)}`;
}

interface NamedReference {
  readonly id: string;
  readonly name: string;
  readonly domain?: { readonly id: string; readonly name: string };
}
interface Assignment {
  readonly role: NamedReference;
  readonly user?: NamedReference;
  readonly group?: NamedReference;
  readonly scope: {
    readonly project?: NamedReference;
    readonly domain?: NamedReference;
    readonly 'OS-INHERIT:inherited_to'?: string;
  };
}
type Actor = 'group' | 'user';

/** The address of a grant, by ids. */
function grantPath(
  actor: Actor,
  place: { project?: string | undefined; domain?: string | undefined },
  who: string,
  role: string,
  inherited: boolean,
) {
  const { project, domain } = place;
  const where = project ? `projects/${pathId(project)}` : domain ? `domains/${pathId(domain)}` : 'system';
  const path = `${where}/${actor}s/${pathId(who)}/roles/${pathId(role)}`;
  return inherited ? `/v3/OS-INHERIT/${path}/inherited_to_projects` : `/v3/${path}`;
}

/** Groups of a directory exist where it was read, as users do: without those, an export leaves out what they have. */
async function leftOutOf(state: State, actor: Actor, { name, domain }: NamedReference) {
  const { domains, kinds } = state.need;
  if (actor === 'user' || domains || kinds.has('user_grant') || !domain || !(await isInDirectory(state, domain.id))) return {};
  return { leftOut: [`roles of group ${quote(name)}${ofDomain(domain.name)}, which is in a directory: with --users only`] };
}

async function addGrant(state: State, actor: Actor, assignment: Assignment): Promise<void> {
  const { role, scope } = assignment;
  const { project, domain } = scope;
  const who = assignment[actor]!;
  const key = ({ name, domain: of }: NamedReference): Key => [of?.name ?? '', name];
  const place: Key = project
    ? [project.domain?.name ?? '', 'organization', project.name]
    : domain
      ? [domain.name, 'domain', null]
      : [null, 'system', null];
  const inherited = scope['OS-INHERIT:inherited_to'] === 'projects';
  const isOwn = actor === 'user' ? who.id === state.client.me.userId : (await state.ownGroups()).has(who.id);
  state.addLink(
    `${actor}_grant`,
    [...place, ...key(who), role.domain?.name ?? null, role.name, inherited],
    grantPath(actor, { project: project?.id, domain: domain?.id }, who.id, role.id, inherited),
    { ...(isOwn ? { keep: 'it is your own' } : {}), ...(await leftOutOf(state, actor, who)) },
  );
}

async function readGrants(state: State, actor: Actor): Promise<void> {
  const read = async (filter: string): Promise<void> => {
    const rows = await state.list(`/v3/role_assignments?include_names=true${filter}`);
    for (const row of rows as unknown as Assignment[]) if (row[actor]) await addGrant(state, actor, row);
  };
  const { grantees } = state.need;
  if (!grantees) return read('');
  await state.client.each(grantees, async ({ kind, key }) => {
    const id = kind === actor ? state.idOf(kind, key) : undefined;
    if (id !== undefined) await read(`&${kind}.id=${pathId(id)}`);
  });
}

const grantsOf = (actor: Actor): KindDefinition => ({
  label: (key) =>
    `role ${quote(key[6])}${ofDomain(key[5])} of ${actor} ${quote(key[4])}${ofDomain(key[3])} ${placeLabel(key)}${key[7] ? ', inherited by what is below' : ''}`,
  required: { role: RoleReference, [actor]: actor === 'group' ? GroupReference : UserReference },
  optional: {
    organization: OrganizationReference,
    domain: Name64,
    system: t.boolean({ description: 'true: on the system.' }),
    inherited: t.boolean({ description: 'For the organizations below, not for the place itself.' }),
  },
  keyOf(entry: GrantEntry, _above, naming) {
    const { role, group, user, inherited = false, system } = entry;
    const place = placeKey(entry, naming);
    if (inherited && system) naming.refuse('nothing is below the system', 'inherited');
    naming.refer('role', roleKey(role), 'role');
    if (group) naming.refer('group', nameKey(group), 'group');
    if (user) naming.user(user, 'user');
    return [...place, ...nameKey((group ?? user)!), ...roleKey(role), inherited];
  },
  scopes: (list: readonly GrantEntry[], domains) => [
    ...domains.map((domain) => ({ prefix: [domain] })),
    ...(list.some(({ system }) => system) ? [{ prefix: [null] }] : []),
  ],
  entryOf(key) {
    const { organization, domain, who, role, inherited } = partsOf(key);
    return {
      role: roleReference(role),
      [actor]: nameOf(who),
      ...(organization ? { organization: nameOf(organization) } : domain ? { domain: domain[0] } : { system: true }),
      ...(inherited ? { inherited } : {}),
    };
  },
  exported: (entry, { leftOut }) => (leftOut === undefined ? entry : undefined),
  needs: actor === 'group' ? ['role', 'group', 'organization'] : ['role', 'organization'],
  read: (state) => readGrants(state, actor),
  address(key, ids) {
    const { organization, domain, who, role, inherited } = partsOf(key);
    const place = {
      project: organization && ids('organization', organization),
      domain: domain && ids('domain', domain),
    };
    return grantPath(actor, place, ids(actor, who), ids('role', role), inherited);
  },
  rule: (action, [domain]) => {
    const what = domain === null ? 'system_grant' : 'grant';
    return rulesOf(`identity:create_${what}`, `identity:revoke_${what}`)(action);
  },
  subject({ key }, id) {
    const { organization, domain, who, role } = partsOf(key);
    return {
      [`${actor}_id`]: id(actor, who),
      ...(organization ? { project_id: id('organization', organization) } : {}),
      ...(domain ? { domain_id: id('domain', domain) } : {}),
      role_id: id('role', role),
    };
  },
});

export const group_grant = grantsOf('group');
export const user_grant = grantsOf('user');
