// Domains: the containers of users, groups and projects.
import type { Query, Static } from '../../../platform/http/index.ts';
import { DEFAULT_DOMAIN, findProject, tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf, visibleDomain } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type Criterion,
  criteriaOf,
  type Deps,
  type Filters,
  foundPage,
  NAME_AND_CREATION,
  pageOf,
  refuseImmutable,
  searchOf,
  whereEquals,
} from '../../ground/resource/index.ts';
import type { CreateDomain, ProjectWithTags, UpdateDomain } from './projects.schema.ts';
import {
  deleteProject,
  listProjects,
  lockProject,
  projectsWithOptions,
  revokeTokensOfProject,
  withTags,
} from './projects.store.ts';
import { insertProjectRow, updateProjectRow } from './rows.ts';

type NewDomain = Static<typeof CreateDomain>['domain'];
type DomainChanges = Static<typeof UpdateDomain>['domain'];

/** The domain of the first administrator. Without it nobody could log in to restore it. */

const filters: Filters = {
  name: { column: 'projects.name', kind: 'text' },
  enabled: { column: 'projects.enabled', kind: 'flag' },
};

export interface DomainDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  /** The file in which the operator has settings of the domain with this name. */
  fileOf(name: string): string | undefined;
}

export function createDomains(deps: DomainDeps) {
  const { db, clock, change, fileOf } = deps;

  async function target(id: string): Promise<IdentityTarget<ProjectRow>> {
    const row = await findProject(db.read, id);
    return targetOf(
      row?.is_domain ? row : undefined,
      (domain) => ({ domainId: domain.id }),
      () => fail('domain.not_found', { id }),
    );
  }

  async function reread(id: string): Promise<ProjectWithTags> {
    const domain = (await findProject(db.read, id)) ?? fail('domain.not_found', { id });
    return get(domain);
  }

  const get = async (domain: ProjectRow): Promise<ProjectWithTags> => (await withTags(db.read, [domain]))[0]!;

  async function list(caller: Caller, query: Query) {
    const visible: Criterion[] = [
      { column: 'projects.is_domain', comparison: 'equals', value: 1 },
      ...whereEquals('projects.id', visibleDomain(caller)),
    ];
    return foundPage(
      query,
      await listProjects(db, pageOf(query), {
        ...searchOf(query, NAME_AND_CREATION),
        criteria: criteriaOf(query, filters),
        visible,
      }),
    );
  }

  async function create(caller: Caller, body: NewDomain): Promise<ProjectWithTags> {
    const requestedId = body.explicit_domain_id;
    if (requestedId !== undefined && (await findProject(db.read, requestedId)))
      fail('resource.duplicate', { kind: 'domain', field: 'ID', value: requestedId });
    const { id } = await change(caller, (transaction) => insertProjectRow(transaction, clock, body, null, { id: requestedId }));
    return reread(id);
  }

  /** People of the domain would be in another directory, or in none, without a word. */
  function refuseOtherFile(before: string, after: string): void {
    if (before === after) return;
    for (const name of [before, after]) {
      const file = fileOf(name);
      if (file !== undefined) fail('domain.name_of_file', { name, file });
    }
  }

  async function update(caller: Caller, domain: ProjectRow, body: DomainChanges): Promise<ProjectWithTags> {
    const { id } = domain;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'domain' });
    if (id === DEFAULT_DOMAIN && body.enabled === false) fail('domain.default');
    await change(caller, (transaction) =>
      updateProjectRow(
        deps,
        transaction,
        domain,
        () => ({ body }),
        (row) => {
          refuseImmutable('domain', row, 'update', body);
          refuseOtherFile(row.name, body.name?.trim() ?? row.name);
        },
      ),
    );
    return reread(id);
  }

  /** Deletes everything in it in the same transaction: users, groups, projects, roles, grants. */
  async function remove(caller: Caller, { id }: ProjectRow): Promise<void> {
    if (id === DEFAULT_DOMAIN) fail('domain.default');
    await change(caller, async ({ tx, audit, invalidate }) => {
      // Locked: nobody enables it, or adds a project, between the checks and the deletion.
      const domain = (await lockProject(db, tx, id)) ?? fail('domain.not_found', { id });
      if (domain.enabled) fail('domain.enabled');
      refuseImmutable('domain', domain, 'delete');
      for (const project of await projectsWithOptions(tx, id)) refuseImmutable('project', project, 'delete');
      await deleteProject(tx, id);
      invalidate(tagOf.everything);
      audit('domain.deleted', { kind: 'domain', id });
    });
  }

  /** Of all its people, with their sessions, and those scoped to it. */
  async function endTokens({ tx, invalidate }: Change, id: string): Promise<void> {
    await revokeTokensOfProject(tx, id, clock.now());
    invalidate(tagOf.project(id));
  }

  return { target, get, list, create, update, remove, endTokens };
}

export type Domains = ReturnType<typeof createDomains>;
