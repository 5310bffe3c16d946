// Lists of role assignments: the grants as stored or, with `effective`, the roles they give each user in each project.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type Access, ancestorsOf, closureOf, findProject, type RoleGraph } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, listFacts, permit, visibleDomain } from '../../access/rules/index.ts';
import type { GrantRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, foundPage, pageOf, readFlag, single } from '../../ground/resource/index.ts';
import { descendants } from '../projects/index.ts';
import { type GrantFilter, listGrants, membersOf, type NameRow, namesOf } from './grants.store.ts';

/** Limit of effective assignments on one page: an inherited grant of a large group expands to members times projects. */
const MAX_EFFECTIVE = 100_000;

export interface Assignment {
  readonly roleId: string;
  readonly userId?: string;
  readonly groupId?: string;
  readonly targetId: string | null;
  readonly inherited: boolean;
  /** The grant this comes from, and the role that implied this one: for the links. */
  readonly grant: GrantRow;
  readonly priorRoleId?: string;
}

/** What a page needs besides ids: which targets are domains and, with `include_names`, the names. */
export interface AssignmentNames {
  isDomain(id: string): boolean;
  nameOf(
    kind: 'user' | 'group' | 'role' | 'target',
    id: string,
  ): { name: string; domain?: { id: string; name: string } } | undefined;
}

interface AssignmentQuery {
  readonly userId: string | undefined;
  readonly groupId: string | undefined;
  readonly roleId: string | undefined;
  readonly projectId: string | undefined;
  readonly domainId: string | undefined;
  readonly system: boolean;
  readonly inherited: boolean | undefined;
  readonly effective: boolean;
  readonly subtree: boolean;
}

function parseAssignmentQuery(query: Query): AssignmentQuery {
  const inheritedTo = single(query, 'scope.OS-INHERIT:inherited_to');
  const criteria: AssignmentQuery = {
    userId: single(query, 'user.id'),
    groupId: single(query, 'group.id'),
    roleId: single(query, 'role.id'),
    projectId: single(query, 'scope.project.id'),
    domainId: single(query, 'scope.domain.id'),
    system: single(query, 'scope.system') !== undefined,
    inherited: inheritedTo === undefined ? undefined : inheritedTo === 'projects',
    effective: readFlag(query, 'effective') ?? false,
    subtree: readFlag(query, 'include_subtree') ?? false,
  };
  const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });
  if (criteria.effective && criteria.groupId !== undefined)
    refuse('group.id', 'effective assignments belong to users, not to groups');
  if (criteria.effective && criteria.inherited && criteria.domainId !== undefined)
    refuse('scope.OS-INHERIT:inherited_to', 'inherited assignments of a domain take effect in projects only');
  if (criteria.userId !== undefined && criteria.groupId !== undefined)
    refuse('group.id', 'an assignment belongs to a user or to a group');
  if ([criteria.projectId, criteria.domainId, criteria.system || undefined].filter((scope) => scope !== undefined).length > 1) {
    refuse('scope.domain.id', 'an assignment has one scope');
  }
  if (criteria.subtree && criteria.projectId === undefined) refuse('include_subtree', 'it needs scope.project.id');
  return criteria;
}

/** Runs one query per table for the whole page. */
async function readAssignmentNames(db: Reader, items: readonly Assignment[], withNames: boolean): Promise<AssignmentNames> {
  // Only a domain has no domain_id.
  const targets = await namesOf(
    db,
    'projects',
    items.flatMap((item) => [item.targetId, item.grant.target_id].flatMap((id) => id ?? [])),
  );
  const isDomain = (id: string): boolean => targets.get(id)?.domain_id === null;
  if (!withNames) return { isDomain, nameOf: () => undefined };
  const [user, group, role] = await Promise.all([
    namesOf(
      db,
      'users',
      items.flatMap((item) => item.userId ?? []),
    ),
    namesOf(
      db,
      'groups',
      items.flatMap((item) => item.groupId ?? []),
    ),
    namesOf(
      db,
      'roles',
      items.map((item) => item.roleId),
    ),
  ]);
  const tables: Record<string, Map<string, NameRow>> = { user, group, role, target: targets };
  const domainIds = Object.values(tables).flatMap((rows) => [...rows.values()].flatMap((row) => row.domain_id ?? []));
  const domains = await namesOf(db, 'projects', domainIds);
  return {
    isDomain,
    nameOf(kind, id) {
      const row = tables[kind]?.get(id);
      const domain = row?.domain_id ? domains.get(row.domain_id) : undefined;
      return row && { name: row.name, ...(domain ? { domain: { id: domain.id, name: domain.name } } : {}) };
    },
  };
}

export function createAssignments({
  db,
  clock,
  access,
}: Pick<Deps, 'db' | 'clock'> & { readonly access: Pick<Access, 'roleGraph'> }) {
  async function queriedProjects(criteria: AssignmentQuery): Promise<string[] | undefined> {
    if (criteria.projectId === undefined) return undefined;
    const below = criteria.subtree ? await descendants(db.read, criteria.projectId) : [];
    return [criteria.projectId, ...below.map((row) => row.id)];
  }

  async function filterFor(criteria: AssignmentQuery, { implied }: RoleGraph, own: string | undefined): Promise<GrantFilter> {
    const { userId, groupId, roleId, domainId, system, inherited, effective } = criteria;
    const projects = await queriedProjects(criteria);
    const targets = domainId !== undefined ? [domainId] : projects;
    const above =
      effective && projects ? [...new Set((await Promise.all(projects.map((id) => ancestorsOf(db.read, id)))).flat())] : [];
    const roleIds =
      effective && roleId !== undefined
        ? [roleId, ...[...implied.keys()].filter((prior) => closureOf(implied, [prior]).has(roleId))]
        : roleId === undefined
          ? undefined
          : [roleId];
    return {
      ...(userId === undefined ? {} : { userId, throughGroupsAt: effective ? seconds(clock) : undefined }),
      ...(groupId === undefined ? {} : { groupId }),
      ...(roleIds ? { roleIds } : {}),
      ...(targets ? { targets, inheritedFrom: above } : {}),
      ...(system ? { system } : {}),
      ...(inherited === undefined ? (effective && domainId !== undefined ? { inherited: false } : {}) : { inherited }),
      ...(own === undefined ? {} : { domainId: own }),
    };
  }

  /** Where a grant takes effect. An inherited one does in the projects below its target, or in those of them that were asked for. */
  async function effectiveTargets(grant: GrantRow, projects: ReadonlySet<string> | undefined): Promise<(string | null)[]> {
    if (!grant.inherited) return [grant.target_id];
    const below = await descendants(db.read, grant.target_id!);
    return below.map((row) => row.id).filter((id) => !projects || projects.has(id));
  }

  async function expand(
    rows: readonly GrantRow[],
    criteria: AssignmentQuery,
    { implied, roles: known }: RoleGraph,
  ): Promise<Assignment[]> {
    const groups = rows.flatMap((row) => row.group_id ?? []);
    const members = await membersOf(db.lists, groups, criteria.userId, { now: seconds(clock), limit: MAX_EFFECTIVE + 1 });
    const projects = await queriedProjects(criteria);
    const selected = projects && new Set(projects);
    const found: Assignment[] = [];
    for (const grant of rows) {
      const users = grant.user_id !== null ? [grant.user_id] : (members.get(grant.group_id!) ?? []);
      const roles = [...closureOf(implied, [grant.role_id]).keys()].filter(
        (id) => known.get(id)?.domainId === null && (criteria.roleId === undefined || id === criteria.roleId),
      );
      for (const targetId of await effectiveTargets(grant, selected)) {
        for (const userId of users) {
          for (const roleId of roles) {
            found.push({
              roleId,
              userId,
              targetId,
              inherited: grant.inherited === 1,
              grant,
              ...(roleId === grant.role_id ? {} : { priorRoleId: grant.role_id }),
            });
          }
          if (found.length > MAX_EFFECTIVE) fail('assignments.too_many', { limit: MAX_EFFECTIVE });
        }
      }
    }
    return found;
  }

  const plain = (grant: GrantRow): Assignment => ({
    roleId: grant.role_id,
    ...(grant.user_id === null ? { groupId: grant.group_id! } : { userId: grant.user_id }),
    targetId: grant.target_id,
    inherited: grant.inherited === 1,
    grant,
  });

  return {
    async target(caller: Caller, query: Query): Promise<IdentityTarget<AssignmentQuery>> {
      const criteria = parseAssignmentQuery(query);
      const top = criteria.subtree && criteria.projectId ? await findProject(db.read, criteria.projectId) : undefined;
      const tree = { projectId: criteria.projectId };
      // A subtree has a stricter rule than the route.
      if (criteria.subtree)
        permit(caller, 'identity:list_role_assignments_for_tree', { ...tree, domainId: top?.domain_id ?? null });
      return {
        facts: { ...listFacts(caller), ...(criteria.subtree ? tree : {}) },
        get: () => (criteria.subtree && !top ? fail('project.not_found', { id: criteria.projectId ?? '' }) : criteria),
      };
    },

    async list(caller: Caller, criteria: AssignmentQuery, query: Query) {
      const graph = await access.roleGraph();
      const filter = await filterFor(criteria, graph, visibleDomain(caller));
      const page = foundPage(query, await listGrants(db, pageOf(query), filter));
      const items = criteria.effective ? await expand(page.items, criteria, graph) : page.items.map(plain);
      return { ...page, items, names: await readAssignmentNames(db.lists, items, readFlag(query, 'include_names') ?? false) };
    },
  };
}

export type Assignments = ReturnType<typeof createAssignments>;
