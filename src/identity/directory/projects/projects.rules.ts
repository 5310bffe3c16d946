// Projects: organizations in a tree below their domain.
import type { Query } from '../../../platform/http/index.ts';
import { DEFAULT_DOMAIN, findProject, tagOf } from '../../access/context/index.ts';
import { type Caller, type Facts, type IdentityTarget, permit, targetOf, visibleDomain } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProjectRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Deps,
  type Filters,
  failOnBrokenReference,
  foundPage,
  NAME_AND_CREATION,
  pageOf,
  refuseImmutable,
  searchOf,
  single,
  whereEquals,
} from '../../ground/resource/index.ts';
import {
  checkFixed,
  createProjectChecks,
  domainAround,
  type NewProject,
  type ProjectChanges,
  type ProjectPosition,
} from './checks.ts';
import type { Domains } from './domains.rules.ts';
import type { ProjectWithTags } from './projects.schema.ts';
import {
  deleteProject,
  hasChildren,
  holdProjects,
  listProjects,
  lockProject,
  type TagFilters,
  withTags,
} from './projects.store.ts';
import { insertProjectRow, type ProjectRevision, updateProjectRow } from './rows.ts';

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

export function createProjects(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'change'> & { domains: Domains }) {
  const { db, clock, change, domains } = deps;
  const { checkEnabled, checkPosition, checkEnabling } = createProjectChecks(deps);

  const target = async (id: string): Promise<IdentityTarget<ProjectRow>> =>
    targetOf(await findProject(db.read, id), projectFacts, () => fail('project.not_found', { id }));

  /** Below the named parent, else at the top of its domain. Null for a project that acts as a domain. */
  async function positionTarget(caller: Caller, body: NewProject): Promise<IdentityTarget<ProjectPosition | null>> {
    if (body.is_domain) {
      if (body.domain_id || body.parent_id)
        fail('request.bad_value', { field: 'parent_id', why: 'a project that acts as a domain has no parent' });
      // Creating a domain has a stricter rule than the route.
      permit(caller, 'identity:create_domain');
      return { facts: {}, get: () => null };
    }
    const parent = body.parent_id ? await findProject(db.read, body.parent_id) : undefined;
    const domainId = body.domain_id ?? visibleDomain(caller) ?? domainAround(parent) ?? DEFAULT_DOMAIN;
    return { facts: { domainId }, get: () => ({ domainId, parent }) };
  }

  const get = async (project: ProjectRow): Promise<ProjectWithTags> => (await withTags(db.read, [project]))[0]!;

  async function reread(id: string, from: Reader = db.read): Promise<ProjectWithTags> {
    const project = (await findProject(from, id)) ?? fail('project.not_found', { id });
    return (await withTags(from, [project]))[0]!;
  }

  async function list(caller: Caller, query: Query) {
    const criteria = criteriaOf('is_domain' in query ? query : { ...query, is_domain: 'false' }, filters);
    const visible = whereEquals('projects.domain_id', visibleDomain(caller));
    return foundPage(
      query,
      await listProjects(
        db,
        pageOf(query),
        { ...searchOf(query, NAME_AND_CREATION), criteria, visible },
        { tags: tagFiltersOf(query) },
      ),
    );
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
    const { domainId } = parent;
    const { id } = provisioned;
    if (id !== undefined && (await findProject(db.read, id)))
      fail('resource.duplicate', { kind: 'project', field: 'id', value: id });
    const row = await change(caller, async (transaction) => {
      checkEnabled(await holdProjects(db, transaction.tx, [parent.parentId, domainId]), parent.parentId);
      return insertProjectRow(transaction, clock, body, parent, provisioned);
    });
    // The database sorts tags.
    return body.tags?.length ? reread(row.id) : { ...row, tags: [] };
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
    return change(caller, async (transaction) => {
      await updateProjectRow(deps, transaction, project, revisionOf, async (row, changes) => {
        refuseImmutable('project', row, 'update', changes);
        await checkEnabling(transaction.tx, row, changes.enabled);
      });
      // Read in the transaction: with the version of a later change the caller could overwrite what they have not seen.
      return reread(id, transaction.tx);
    });
  }

  /** Enables a project as part of another change. */
  async function enable(transaction: Change, id: string): Promise<void> {
    const project = (await findProject(transaction.tx, id)) ?? fail('project.not_found', { id });
    if (project.enabled === 1) return;
    await updateProjectRow(
      deps,
      transaction,
      project,
      () => ({ body: { enabled: true } }),
      async (row) => {
        refuseImmutable('project', row, 'update');
        await checkEnabling(transaction.tx, row, true);
      },
    );
  }

  /** `expect` gets the locked row, and throws if it is not as the caller expects. */
  async function remove(caller: Caller, project: ProjectRow, expect?: (project: ProjectRow) => void): Promise<void> {
    const { id } = project;
    if (project.is_domain) return domains.remove(caller, project);
    await change(caller, async ({ tx, audit, invalidate }) => {
      const current = (await lockProject(db, tx, id)) ?? fail('project.not_found', { id });
      refuseImmutable('project', current, 'delete');
      expect?.(current);
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
