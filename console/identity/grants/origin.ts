// Where a role of a person or group in an organization, a domain or the system comes from.
import { html, nothing } from 'lit';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { namesOf, type Role } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface NamedReference {
  readonly id: string;
  readonly name?: string;
  readonly domain?: { readonly id: string; readonly name?: string };
}

/** As `GET /v3/role_assignments` has it. */
export interface Assignment {
  readonly role: NamedReference;
  readonly user?: NamedReference;
  readonly group?: NamedReference;
  readonly scope: {
    readonly project?: NamedReference;
    readonly domain?: NamedReference;
    readonly 'OS-INHERIT:inherited_to'?: string;
  };
  readonly links: { readonly assignment: string; readonly membership?: string; readonly prior_role?: string };
}

/** The grant that an assignment comes from: its path says what was given to whom, and where. */
export interface Origin {
  readonly path: string;
  readonly place: 'system' | 'domains' | 'projects';
  readonly placeId: string;
  readonly to: 'users' | 'groups';
  readonly toId: string;
  readonly isInherited: boolean;
  /** The role that implies this one. */
  readonly priorRoleId: string | undefined;
}

const GRANT = /^\/v3\/(OS-INHERIT\/)?(?:(system)|(domains|projects)\/([^/]+))\/(users|groups)\/([^/]+)\/roles\//;

export function originOf({ links }: Assignment): Origin | undefined {
  const path = URL.parse(links.assignment)?.pathname ?? '';
  const found = GRANT.exec(path);
  if (!found) return undefined;
  const [, inherited, system, place, placeId = '', to, toId = ''] = found;
  return {
    path,
    place: system ? 'system' : (place as 'domains'),
    placeId: decodeURIComponent(placeId),
    to: to as 'users',
    toId: decodeURIComponent(toId),
    isInherited: inherited !== undefined,
    priorRoleId: links.prior_role === undefined ? undefined : links.prior_role.slice(links.prior_role.lastIndexOf('/') + 1),
  };
}

export const scopeId = ({ scope }: Assignment): string => scope.project?.id ?? scope.domain?.id ?? '';

export const keyOf = (assignment: Assignment): string =>
  [assignment.user?.id, assignment.group?.id, assignment.role.id, scopeId(assignment), ...Object.values(assignment.links)].join(
    ' ',
  );

/** Names of what the origins of these assignments mention by id. */
export class OriginNames {
  #groups: ReadonlyMap<string, string> = new Map();
  #projects: ReadonlyMap<string, string> = new Map();
  #domains: ReadonlyMap<string, string> = new Map();
  #roles: ReadonlyMap<string, string> = new Map();

  async load(assignments: readonly Assignment[], signal: AbortSignal): Promise<void> {
    const known = new Map(
      assignments.map(({ scope: { project, domain } }) => [(project ?? domain)?.id ?? '', (project ?? domain)?.name]),
    );
    const origins = assignments.flatMap((assignment) => originOf(assignment) ?? []);
    const idsAt = (place: Origin['place']): string[] =>
      origins.filter((origin) => origin.place === place && !known.get(origin.placeId)).map(({ placeId }) => placeId);
    const withNames = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
      new Map([...[...known].flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])), ...names]);
    const needsRoles = origins.some(({ priorRoleId }) => priorRoleId !== undefined);
    const [groups, projects, domains, roles] = await Promise.all([
      namesOf(
        'groups',
        assignments.flatMap((one) => (one.links.membership ? [originOf(one)?.toId ?? ''] : [])),
        signal,
      ),
      namesOf('projects', idsAt('projects'), signal),
      namesOf('domains', idsAt('domains'), signal),
      needsRoles ? roleNames(signal) : new Map<string, string>(),
    ]);
    this.#groups = groups;
    this.#projects = withNames(projects);
    this.#domains = withNames(domains);
    this.#roles = roles;
  }

  role(id: string): string {
    return this.#roles.get(id) ?? id;
  }
  group(id: string): string {
    return this.#groups.get(id) ?? id;
  }
  place({ place, placeId }: Origin): string {
    return (place === 'domains' ? this.#domains : this.#projects).get(placeId) ?? placeId;
  }
}

async function roleNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  try {
    const { roles } = await api.get<{ roles: readonly Role[] }>('/v3/roles', { signal });
    return new Map(roles.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (signal.aborted) throw error;
    return new Map();
  }
}

/** Whether the role was given to exactly this person or group, exactly here. */
export function isDirect(assignment: Assignment): boolean {
  const origin = originOf(assignment);
  return (
    origin !== undefined &&
    origin.priorRoleId === undefined &&
    !assignment.links.membership &&
    !(origin.isInherited && origin.placeId !== scopeId(assignment))
  );
}

/** Such as "through the group staff, inherited from the domain Default, implied by manager". */
export function originText(assignment: Assignment, names: OriginNames): Content {
  const { grants } = words;
  const origin = originOf(assignment);
  if (!origin) return nothing;
  const isBelow = origin.isInherited && origin.placeId !== scopeId(assignment);
  const steps: Content[] = [];
  if (assignment.links.membership)
    steps.push(html`${grants.throughGroup} <a href=${hrefOf(`/groups/${part(origin.toId)}`)}>${names.group(origin.toId)}</a>`);
  if (isBelow)
    steps.push(
      html`${origin.place === 'domains' ? grants.fromDomain : grants.fromOrganization}
        <a href=${hrefOf(`/${origin.place === 'domains' ? 'domains' : 'organizations'}/${part(origin.placeId)}`)}>${names.place(origin)}</a>`,
    );
  if (origin.priorRoleId !== undefined) steps.push(html`${grants.impliedBy} <strong>${names.role(origin.priorRoleId)}</strong>`);
  if (!isBelow && origin.isInherited) return html`<span class="badge">${grants.forBelow}</span>`;
  if (steps.length === 0) return html`<span class="badge">${grants.direct}</span>`;
  return html`${steps.map((step, at) => html`${at > 0 ? ', ' : ''}${step}`)}`;
}
