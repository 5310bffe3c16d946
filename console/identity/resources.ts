// Resources of the API that several screens show, and how they are found.
import { html } from 'lit';
import type { Choice } from '../shared/pick.ts';
import { hrefOf, part } from '../shared/router.ts';
import type { Content } from '../shared/screen.ts';
import { api, session } from './session.ts';
import { words } from './words/index.ts';

export interface Links {
  readonly next: string | null;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly enabled: boolean;
  readonly email?: string | null;
  readonly description?: string | null;
  /** What another client stored may be of any type. */
  readonly given_name?: unknown;
  readonly family_name?: unknown;
  readonly language?: unknown;
  readonly zoneinfo?: unknown;
  readonly default_project_id?: string | null;
  readonly password_expires_at: string | null;
  readonly options?: UserOptions;
}

/** Exceptions from the rules for accounts. */
export interface UserOptions {
  readonly ignore_password_expiry?: boolean;
  readonly ignore_lockout_failure_attempts?: boolean;
  readonly ignore_change_password_upon_first_use?: boolean;
  readonly ignore_user_inactivity?: boolean;
  readonly ignore_two_factor_policy?: boolean;
  readonly lock_password?: boolean;
  readonly multi_factor_auth_enabled?: boolean;
  readonly multi_factor_auth_rules?: readonly (readonly string[])[];
}

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly description: string;
}

export interface Domain {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly description: string;
  readonly tags?: readonly string[];
}

export interface Organization extends Domain {
  readonly domain_id: string | null;
  readonly parent_id: string | null;
  readonly is_domain: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
}

export interface Application {
  readonly id: string;
  readonly name: string;
}

const OFFERED = 20;
const PATHS = { users: 'user', groups: 'group', projects: 'project', domains: 'domain' } as const;
export type Kind = keyof typeof PATHS;

/** The names of things that an answer mentions by id only. Those that may not be seen are left out. */
export async function namesOf(kind: Kind, ids: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const name = async (id: string): Promise<readonly (readonly [string, string])[]> => {
    try {
      const answer = await api.get<Record<string, { readonly name: string }>>(`/v3/${kind}/${encodeURIComponent(id)}`, {
        signal,
      });
      return [[id, answer[PATHS[kind]]!.name]];
    } catch {
      return [];
    }
  };
  return new Map((await Promise.all([...new Set(ids)].map(name))).flat());
}

const SCREENS = {
  users: '/people/',
  groups: '/groups/',
  projects: '/organizations/',
  domains: '/domains/',
  applications: '/applications/',
} as const;

/** A link to the screen of a thing; for whoever may not see the thing, and so does not know its name: its id. */
export const thingLink = (kind: keyof typeof SCREENS, id: string, name: string | undefined): Content =>
  name === undefined ? html`<code>${id}</code>` : html`<a href=${hrefOf(SCREENS[kind] + part(id))}>${name}</a>`;

/** All domains that the person sees, as far as one page has them. Who may not list them acts in one at most. */
export async function domainNames(signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { kind, id: own, name: ownName } = session.scope;
  if (!session.may('identity:list_domains')) return new Map(kind === 'domain' ? [[own, ownName]] : []);
  const { domains } = await api.get<{ domains: readonly Domain[] }>('/v3/domains', { query: { limit: 200 }, signal });
  return new Map(domains.map(({ id, name }) => [id, name]));
}

const searched = (text: string): Record<string, string | number> => ({
  limit: OFFERED,
  ...(text === '' ? {} : { search: text }),
});

export async function findPeople(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { users } = await api.get<{ users: readonly User[] }>('/v3/users', { query: searched(text), signal });
  return users.map(({ id, name, email }) => ({ value: id, label: name, detail: email && email !== name ? email : undefined }));
}

export async function findGroups(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { groups } = await api.get<{ groups: readonly Group[] }>('/v3/groups', { query: searched(text), signal });
  return groups.map(({ id, name, description }) => ({ value: id, label: name, detail: description }));
}

export async function findOrganizations(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { projects } = await api.get<{ projects: readonly Organization[] }>('/v3/projects', { query: searched(text), signal });
  return projects.map(({ id, name, description }) => ({ value: id, label: name, detail: description }));
}

const isNamed = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

/** Who may not list domains acts in one at most. */
export async function findDomains(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { kind, id: value, name: label } = session.scope;
  if (!session.may('identity:list_domains')) return kind === 'domain' && isNamed(label, text) ? [{ value, label }] : [];
  const { domains } = await api.get<{ domains: readonly Domain[] }>('/v3/domains', { query: searched(text), signal });
  return domains.map(({ id, name, description }) => ({ value: id, label: name, detail: description }));
}

/** For those who may give roles and may not list them: what they have themselves, and what was given in their domain. */
async function givenRoles(signal: AbortSignal): Promise<readonly Role[]> {
  const queries = [{ 'user.id': session.person.id, effective: true }, {}];
  const lists = await Promise.all(
    queries.map((query) =>
      api.get<{ role_assignments: readonly { readonly role: Role }[] }>('/v3/role_assignments', {
        query: { ...query, include_names: true },
        signal,
      }),
    ),
  );
  const roles = new Map(lists.flatMap(({ role_assignments: all }) => all.map(({ role }) => [role.id, role])));
  return [...roles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The base roles. There are few: all are read, and compared here. */
export async function findRoles(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const roles = session.may('identity:list_roles')
    ? (await api.get<{ roles: readonly Role[] }>('/v3/roles', { signal })).roles
    : await givenRoles(signal);
  return roles
    .filter(({ name }) => isNamed(name, text))
    .map(({ id, name }) => ({ value: id, label: name, detail: words.grants.known[name as 'admin'] }));
}

export async function findApplications(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { consumers } = await api.get<{ consumers: readonly Application[] }>('/v3/OS-ROLES/consumers', {
    query: searched(text),
    signal,
  });
  return consumers.map(({ id, name }) => ({ value: id, label: name }));
}

/** The names of applications that the person manages. From their list, because one application is shown with its secret. */
export async function namesOfApplications(ids: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const name = async (id: string): Promise<readonly (readonly [string, string])[]> => {
    try {
      const query = { search: id, limit: OFFERED };
      const { consumers } = await api.get<{ consumers: readonly Application[] }>('/v3/OS-ROLES/consumers', { query, signal });
      return consumers.filter((one) => one.id === id).map((one) => [id, one.name]);
    } catch {
      return [];
    }
  };
  return new Map((await Promise.all([...new Set(ids)].map(name))).flat());
}

/** Roles that every application has. */
export const BUILT_IN_ROLES = ['provider', 'purchaser'] as const;

/** The roles of an application: its own, and the built-in ones that manage it. */
export async function findApplicationRoles(
  applicationId: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  if (!applicationId) return [];
  const { roles } = await api.get<{ roles: readonly Role[] }>('/v3/OS-ROLES/roles', {
    query: { application_id: applicationId },
    signal,
  });
  const builtIn = BUILT_IN_ROLES.filter((id) => !roles.some((role) => role.id === id)).map((id) => ({
    value: id,
    label: words.grants.builtIn[id],
  }));
  return [...builtIn, ...roles.map(({ id, name }) => ({ value: id, label: name }))].filter(({ label }) =>
    label.toLowerCase().includes(text.toLowerCase()),
  );
}
