// What must be true of the projects around one that is created or changed.
import type { Static } from '../../../platform/http/index.ts';
import { ancestorsOf, findProject } from '../../access/context/index.ts';
import type { ProjectRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, type Deps } from '../../ground/resource/index.ts';
import type { CreateProject, UpdateProject } from './projects.schema.ts';
import { hasChildren, holdProjects } from './projects.store.ts';

export type NewProject = Static<typeof CreateProject>['project'];
export type ProjectChanges = Static<typeof UpdateProject>['project'];

/** Where a new project is to be created, before it is checked. */
export interface ProjectPosition {
  readonly domainId: string;
  readonly parent: ProjectRow | undefined;
}

export const domainAround = (parent: ProjectRow | undefined): string | undefined =>
  parent && (parent.is_domain ? parent.id : parent.domain_id!);

export function checkFixed(project: ProjectRow, body: ProjectChanges): void {
  if (body.id !== undefined && body.id !== project.id) fail('resource.id_fixed', { kind: 'project' });
  if (body.domain_id !== undefined && body.domain_id !== project.domain_id) fail('resource.domain_fixed');
  if (body.parent_id !== undefined && body.parent_id !== project.parent_id) fail('project.parent_fixed');
  if (body.is_domain !== undefined && bit(body.is_domain) !== project.is_domain)
    fail('request.bad_value', { field: 'is_domain', why: 'it cannot be changed' });
}

export function createProjectChecks({ db, config }: Pick<Deps, 'db' | 'config'>) {
  // The strict model of limits knows domains and the projects in them.
  const deepest = (): number => (config.limitModel === 'strict_two_level' ? 1 : config.maxProjectTreeDepth);

  /** Checked again in the transaction that creates a project there, with the rows held. */
  function checkEnabled(rows: readonly ProjectRow[], parentId: string): void {
    for (const { id, is_domain, enabled } of rows) {
      if (enabled === 1) continue;
      if (is_domain) fail('request.bad_value', { field: 'domain_id', why: 'the domain is disabled' });
      if (id === parentId) fail('request.bad_value', { field: 'parent_id', why: 'it is disabled' });
    }
  }

  async function checkPosition(
    { domainId, parent }: ProjectPosition,
    body: NewProject,
  ): Promise<{ domainId: string; parentId: string }> {
    // The same message for a parent in another domain, so that managers learn nothing about other domains.
    if (body.parent_id && domainAround(parent) !== domainId)
      fail('request.bad_value', { field: 'parent_id', why: `there is no project ${body.parent_id} in the domain ${domainId}` });
    const domain = parent?.is_domain ? parent : await findProject(db.read, domainId);
    if (!domain?.is_domain) fail('request.bad_value', { field: 'domain_id', why: `there is no domain ${domainId}` });
    checkEnabled([...(parent ? [parent] : []), domain], parent?.id ?? domainId);
    const depth = parent && !parent.is_domain ? (await ancestorsOf(db.read, parent.id)).length : 0;
    if (depth + 1 > deepest()) fail('project.too_deep', { depth: deepest() });
    return { domainId, parentId: parent?.id ?? domainId };
  }

  /** The row is locked, and what is above is held: a project is not enabled while somebody disables its parent, or the other way round. */
  async function checkEnabling(tx: Tx, project: ProjectRow, enabled: boolean | undefined): Promise<void> {
    if (enabled === false && project.enabled === 1 && (await hasChildren(tx, project.id, true)))
      fail('project.children_enabled', { id: project.id });
    if (enabled === true && project.enabled === 0) {
      const above = await holdProjects(db, tx, await ancestorsOf(tx, project.id));
      if (above.some((parent) => parent.enabled === 0)) fail('project.parent_disabled', { id: project.id });
    }
  }

  return { checkEnabled, checkPosition, checkEnabling };
}
