// Projects: organizations in a tree below their domain.
import type { Query, Static } from '../../platform/http/index.ts';
import {
  ancestorsOf,
  type Caller,
  type Facts,
  type IdentityTarget,
  permit,
  tagOf,
  targetOf,
  visibleDomain,
} from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { ProjectRow, Reader } from '../database.ts';
import { fail } from '../faults.ts';
import {
  bit,
  criteriaOf,
  type Deps,
  type Filters,
  failOnBrokenReference,
  pageOf,
  refuseImmutable,
  single,
  whereEquals,
} from '../resource/index.ts';
import type { Domains } from './domains.rules.ts';
import type { CreateProject, ProjectWithTags, UpdateProject } from './projects.schema.ts';
import {
  deleteProject,
  findProjectRow,
  hasChildren,
  listProjects,
  lockProject,
  readProjects,
  type TagFilters,
  withTags,
} from './projects.store.ts';
import { insertProjectRow, type ProjectRevision, updateProjectRow } from './rows.ts';

export type NewProject = Static<typeof CreateProject>['project'];
export type ProjectChanges = Static<typeof UpdateProject>['project'];

const filters: Filters = {
  name: { column: 'projects.name', kind: 'text' },
  domain_id: { column: 'projects.domain_id', kind: 'text' },
  parent_id: { column: 'projects.parent_id', kind: 'text' },
  enabled: { column: 'projects.enabled', kind: 'flag' },
  is_domain: { column: 'projects.is_domain', kind: 'flag' },
};

const tagNames = (query: Query, name: string): string[] => [...new Set(single(query, name)?.split(',').filter(Boolean))];

function tagFiltersOf(query: Query): TagFilters {
  return {
    all: tagNames(query, 'tags'),
    any: tagNames(query, 'tags-any'),
    notAll: tagNames(query, 'not-tags'),
    none: tagNames(query, 'not-tags-any'),
  };
}

/** A project that acts as a domain has no domain_id, so the rules for domain managers do not apply to it here. */
export const projectFacts = ({ id, domain_id }: ProjectRow): Facts => ({ domainId: domain_id, projectId: id });

/** Where a new project is to be created, before it is checked. */
export interface ProjectPosition {
  readonly domainId: string;
  readonly parent: ProjectRow | undefined;
}

const domainAround = (parent: ProjectRow | undefined): string | undefined =>
  parent && (parent.is_domain ? parent.id : parent.domain_id!);

export function createProjects(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'change'> & { domains: Domains }) {
  const { db, clock, config, change, domains } = deps;

  const target = async (id: string): Promise<IdentityTarget<ProjectRow>> =>
    targetOf(await findProjectRow(db.read, id), projectFacts, () => fail('project.not_found', { id }));

  /** Below the named parent, else at the top of its domain. Null for a project that acts as a domain. */
  async function positionTarget(caller: Caller, body: NewProject): Promise<IdentityTarget<ProjectPosition | null>> {
    if (body.is_domain) {
      if (body.domain_id || body.parent_id)
        fail('request.bad_value', { field: 'parent_id', why: 'a project that acts as a domain has no parent' });
      // Creating a domain has a stricter rule than the route.
      permit(caller, 'identity:create_domain');
      return { facts: {}, get: () => null };
    }
    const parent = body.parent_id ? await findProjectRow(db.read, body.parent_id) : undefined;
    const domainId = body.domain_id ?? visibleDomain(caller) ?? domainAround(parent) ?? 'default';
    return { facts: { domainId }, get: () => ({ domainId, parent }) };
  }

  const get = async (project: ProjectRow): Promise<ProjectWithTags> => (await withTags(db.read, [project]))[0]!;

  async function reread(id: string, from: Reader = db.read): Promise<ProjectWithTags> {
    const project = (await findProjectRow(from, id)) ?? fail('project.not_found', { id });
    return (await withTags(from, [project]))[0]!;
  }

  async function list(caller: Caller, query: Query) {
    const criteria = criteriaOf('is_domain' in query ? query : { ...query, is_domain: 'false' }, filters);
    const visible = whereEquals('projects.domain_id', visibleDomain(caller));
    const page = await listProjects(db, pageOf(query), { criteria, visible }, { tags: tagFiltersOf(query) });
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function checkPosition(
    { domainId, parent }: ProjectPosition,
    body: NewProject,
  ): Promise<{ domainId: string; parentId: string }> {
    // The same message for a parent in another domain, so that managers learn nothing about other domains.
    if (body.parent_id && domainAround(parent) !== domainId)
      fail('request.bad_value', { field: 'parent_id', why: `there is no project ${body.parent_id} in the domain ${domainId}` });
    const domain = parent?.is_domain ? parent : await findProjectRow(db.read, domainId);
    if (!domain?.is_domain) fail('request.bad_value', { field: 'domain_id', why: `there is no domain ${domainId}` });
    if (parent?.enabled === 0) fail('request.bad_value', { field: 'parent_id', why: 'it is disabled' });
    if (domain.enabled === 0) fail('request.bad_value', { field: 'domain_id', why: 'the domain is disabled' });
    const depth = parent && !parent.is_domain ? (await ancestorsOf(db.read, parent.id)).length : 0;
    if (depth + 1 > config.maxProjectTreeDepth) fail('project.too_deep', { depth: config.maxProjectTreeDepth });
    return { domainId, parentId: parent?.id ?? domainId };
  }

  /** `provisioned`: attributes of provisioning clients, which may choose the id. */
  async function create(
    caller: Caller,
    position: ProjectPosition | null,
    body: NewProject,
    provisioned: { readonly id?: string | undefined; readonly externalId?: string | null } = {},
  ): Promise<ProjectWithTags> {
    if (!position) return domains.create(caller, body);
    const parent = await checkPosition(position, body);
    const { id } = provisioned;
    if (id !== undefined && (await findProjectRow(db.read, id)))
      fail('resource.duplicate', { kind: 'project', field: 'id', value: id });
    return reread(await change(caller, (transaction) => insertProjectRow(transaction, clock, body, parent, provisioned)));
  }

  async function checkEnabling(tx: Reader, project: ProjectRow, enabled: boolean | undefined): Promise<void> {
    if (enabled === false && project.enabled === 1 && (await hasChildren(tx, project.id, true)))
      fail('project.children_enabled', { id: project.id });
    if (enabled === true && project.enabled === 0) {
      const above = await readProjects(tx, await ancestorsOf(tx, project.id));
      if (above.some((parent) => parent.enabled === 0)) fail('project.parent_disabled', { id: project.id });
    }
  }

  function checkFixed(project: ProjectRow, body: ProjectChanges): void {
    if (body.id !== undefined && body.id !== project.id) fail('resource.id_fixed', { kind: 'project' });
    if (body.domain_id !== undefined && body.domain_id !== project.domain_id) fail('resource.domain_fixed');
    if (body.parent_id !== undefined && body.parent_id !== project.parent_id) fail('project.parent_fixed');
    if (body.is_domain !== undefined && bit(body.is_domain) !== project.is_domain)
      fail('request.bad_value', { field: 'is_domain', why: 'it cannot be changed' });
  }

  const update = (caller: Caller, project: ProjectRow, body: ProjectChanges): Promise<ProjectWithTags> =>
    revise(caller, project, () => ({ body }));

  /** `revisionOf` is called twice: before the transaction for the checks, and again with the locked row. */
  async function revise(
    caller: Caller,
    project: ProjectRow,
    revisionOf: (project: ProjectRow) => ProjectRevision<ProjectChanges>,
  ): Promise<ProjectWithTags> {
    const { id } = project;
    const { body, externalId } = revisionOf(project);
    // Provisioning clients repeat requests. An unchanged project keeps its version.
    if (externalId !== undefined && externalId === project.external_id && Object.keys(body).length === 0) return reread(id);
    checkFixed(project, body);
    if (project.is_domain) return domains.update(caller, project, body);
    refuseImmutable('project', project, 'update', body);
    return change(caller, async (transaction) => {
      await checkEnabling(transaction.tx, project, body.enabled);
      await updateProjectRow(deps, transaction, project, revisionOf);
      // Read in the transaction: with the version of a later change the caller could overwrite what they have not seen.
      return reread(id, transaction.tx);
    });
  }

  /** Enables a project as part of another change. */
  async function enable(transaction: Change, id: string): Promise<void> {
    const project = (await findProjectRow(transaction.tx, id)) ?? fail('project.not_found', { id });
    if (project.enabled === 1) return;
    refuseImmutable('project', project, 'update');
    await checkEnabling(transaction.tx, project, true);
    await updateProjectRow(deps, transaction, project, () => ({ body: { enabled: true } }));
  }

  /** `expect` gets the locked row, and throws if it is not as the caller expects. */
  async function remove(caller: Caller, project: ProjectRow, expect?: (project: ProjectRow) => void): Promise<void> {
    const { id } = project;
    if (project.is_domain) return domains.remove(caller, project);
    refuseImmutable('project', project, 'delete');
    await change(caller, async ({ tx, audit, invalidate }) => {
      expect?.((await lockProject(db, tx, id)) ?? fail('project.not_found', { id }));
      const refuse = () => fail('project.has_children', { id });
      if (await hasChildren(tx, id, false)) refuse();
      await failOnBrokenReference(refuse, () => deleteProject(tx, id));
      invalidate(tagOf.project(id));
      invalidate(tagOf.census('projects'));
      audit('project.deleted', { kind: 'project', id }, { domain_id: project.domain_id });
    });
  }

  return { target, positionTarget, checkPosition, get, list, create, update, revise, enable, remove };
}

export type Projects = ReturnType<typeof createProjects>;
