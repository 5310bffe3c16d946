// OS-EP-FILTER, as Keystone has it: endpoints and groups of endpoints are given to projects. The catalog of a project that was given any has only
// those.
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { findProject, tagOf } from '../../access/context/index.ts';
import type { Nouns } from '../../access/noun/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { readProjectsWithTags } from '../../directory/projects/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { EndpointGroupRow, ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import {
  deletePart,
  endpointsInGroup,
  endpointsOfProject,
  groupsOfProject,
  hasPart,
  insertPart,
  type ProjectPart,
  projectIdsWith,
} from './endpoint-filter.store.ts';

const eventTarget = (part: ProjectPart) =>
  'groupId' in part
    ? ({ kind: 'endpoint_group', id: part.groupId } as const)
    : ({ kind: 'endpoint', id: part.endpointId } as const);

/** In an existing transaction. Whoever calls has looked for both. */
export async function givePart({ tx, audit, invalidate }: Change, projectId: string, part: ProjectPart): Promise<void> {
  await insertPart(tx, projectId, part);
  invalidate(tagOf.project(projectId));
  audit(`${eventTarget(part).kind}.added_to_project`, eventTarget(part), { project_id: projectId });
}

export function createEndpointFilter({ db, change, nouns }: Pick<Deps, 'db' | 'change'> & { readonly nouns: Nouns }) {
  /** What the path names beside the project must exist. */
  const checkPart = (part: ProjectPart): Promise<unknown> =>
    'groupId' in part ? nouns.endpoint_group.find(part.groupId) : nouns.endpoint.find(part.endpointId);

  const notGiven = (projectId: string, part: ProjectPart): never =>
    'groupId' in part
      ? fail('endpoint_group.not_in_project', { id: part.groupId, project: projectId })
      : fail('endpoint.not_in_project', { id: part.endpointId, project: projectId });

  return {
    projectTarget: async (id: string): Promise<IdentityTarget<ProjectRow>> =>
      targetOf(
        await findProject(db.read, id),
        () => ({}),
        () => fail('project.not_found', { id }),
      ),

    endpointsInGroup: (group: EndpointGroupRow) => endpointsInGroup(db.read, group),
    endpointsOfProject: ({ id }: ProjectRow) => endpointsOfProject(db.read, id),
    groupsOfProject: ({ id }: ProjectRow) => groupsOfProject(db.read, id),

    async projectsWith(part: ProjectPart) {
      return readProjectsWithTags(db.read, await projectIdsWith(db.read, part));
    },

    async check({ id }: ProjectRow, part: ProjectPart): Promise<void> {
      await checkPart(part);
      if (!(await hasPart(db.read, id, part))) notGiven(id, part);
    },

    async give(caller: Caller, { id }: ProjectRow, part: ProjectPart): Promise<void> {
      await checkPart(part);
      await change(caller, async (transaction) => {
        try {
          await failOnBrokenReference(
            () => fail('project.not_found', { id }),
            () => givePart(transaction, id, part),
          );
        } catch (error) {
          if (isUniqueViolation(error)) fail('resource.duplicate', { kind: 'project endpoint', field: 'project', value: id });
          throw error;
        }
      });
    },

    async take(caller: Caller, { id }: ProjectRow, part: ProjectPart): Promise<void> {
      await checkPart(part);
      await change(caller, async ({ tx, audit, invalidate }) => {
        if (!(await deletePart(tx, id, part))) notGiven(id, part);
        invalidate(tagOf.project(id));
        audit(`${eventTarget(part).kind}.removed_from_project`, eventTarget(part), { project_id: id });
      });
    },
  };
}

export type EndpointFilter = ReturnType<typeof createEndpointFilter>;
