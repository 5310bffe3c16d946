// OS-EP-FILTER, as Keystone has it: endpoints and groups of endpoints are given to projects. The catalog of a project that was given any has only
// those.
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { findProject, tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { readProjects, withTags } from '../../directory/projects/index.ts';
import type { EndpointGroupRow, EndpointRow, ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { criteriaOf, type Deps, type Filters, failOnBrokenReference, pageOf, single } from '../../ground/resource/index.ts';
import type { CreateEndpointGroup, UpdateEndpointGroup } from './endpoint-filter.schema.ts';
import {
  deleteEndpointGroup,
  deletePart,
  endpointsInGroup,
  endpointsOfProject,
  findEndpoint,
  findEndpointGroup,
  groupsOfProject,
  hasPart,
  insertEndpointGroup,
  insertPart,
  listEndpointGroups,
  lockEndpointGroup,
  type ProjectPart,
  projectIdsWith,
  updateEndpointGroup,
} from './endpoint-filter.store.ts';

type NewGroup = Static<typeof CreateEndpointGroup>['endpoint_group'];
type GroupChanges = Static<typeof UpdateEndpointGroup>['endpoint_group'];

const filters: Filters = { name: { column: 'endpoint_groups.name', kind: 'text' } };

export function createEndpointFilter({ db, change }: Pick<Deps, 'db' | 'change'>) {
  const missing = (id: string): never => fail('endpoint_group.not_found', { id });

  /** What the path names beside the project must exist. */
  async function checkPart(part: ProjectPart): Promise<void> {
    if ('groupId' in part) {
      if (!(await findEndpointGroup(db.read, part.groupId))) missing(part.groupId);
    } else if (!(await findEndpoint(db.read, part.endpointId))) fail('endpoint.not_found', { id: part.endpointId });
  }

  const notGiven = (projectId: string, part: ProjectPart): never =>
    'groupId' in part
      ? fail('endpoint_group.not_in_project', { id: part.groupId, project: projectId })
      : fail('endpoint.not_in_project', { id: part.endpointId, project: projectId });

  const eventTarget = (part: ProjectPart) =>
    'groupId' in part
      ? ({ kind: 'endpoint_group', id: part.groupId } as const)
      : ({ kind: 'endpoint', id: part.endpointId } as const);

  /** Every token of a project with the group shows its endpoints. */
  const changeGroup = (caller: Caller, id: string, verb: string, work: Parameters<typeof change<EndpointGroupRow>>[1]) =>
    change(caller, async (transaction) => {
      const row = await work(transaction);
      transaction.invalidate(tagOf.everything);
      transaction.audit(`endpoint_group.${verb}`, { kind: 'endpoint_group', id });
      return row;
    });

  return {
    groupTarget: async (id: string): Promise<IdentityTarget<EndpointGroupRow>> =>
      targetOf(
        await findEndpointGroup(db.read, id),
        () => ({}),
        () => missing(id),
      ),
    endpointTarget: async (id: string): Promise<IdentityTarget<EndpointRow>> =>
      targetOf(
        await findEndpoint(db.read, id),
        () => ({}),
        () => fail('endpoint.not_found', { id }),
      ),
    projectTarget: async (id: string): Promise<IdentityTarget<ProjectRow>> =>
      targetOf(
        await findProject(db.read, id),
        () => ({}),
        () => fail('project.not_found', { id }),
      ),

    async listGroups(query: Query) {
      const page = await listEndpointGroups(db, pageOf(query), criteriaOf(query, filters));
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    async createGroup(caller: Caller, body: NewGroup): Promise<EndpointGroupRow> {
      if (Object.keys(body.filters).length === 0) fail('request.bad_value', { field: 'filters', why: 'it must not be empty' });
      const row = {
        id: newId(),
        name: body.name,
        description: body.description ?? null,
        filters: JSON.stringify(body.filters),
      };
      return changeGroup(caller, row.id, 'created', async ({ tx }) => {
        await insertEndpointGroup(tx, row);
        return row;
      });
    },

    async updateGroup(caller: Caller, { id }: EndpointGroupRow, body: GroupChanges): Promise<EndpointGroupRow> {
      if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'endpoint group' });
      return changeGroup(caller, id, 'updated', async ({ tx }) => {
        const row = (await lockEndpointGroup(db, tx, id)) ?? missing(id);
        const values = {
          name: body.name ?? row.name,
          description: body.description === undefined ? row.description : body.description,
          filters: body.filters === undefined ? row.filters : JSON.stringify(body.filters),
        };
        await updateEndpointGroup(tx, id, values);
        return { ...row, ...values };
      });
    },

    async removeGroup(caller: Caller, group: EndpointGroupRow): Promise<void> {
      await changeGroup(caller, group.id, 'deleted', async ({ tx }) => {
        if (!(await deleteEndpointGroup(tx, group.id))) missing(group.id);
        return group;
      });
    },

    endpointsInGroup: (group: EndpointGroupRow) => endpointsInGroup(db.read, group),
    endpointsOfProject: ({ id }: ProjectRow) => endpointsOfProject(db.read, id),
    groupsOfProject: ({ id }: ProjectRow) => groupsOfProject(db.read, id),

    async projectsWith(part: ProjectPart) {
      return withTags(db.read, await readProjects(db.read, await projectIdsWith(db.read, part)));
    },

    async check({ id }: ProjectRow, part: ProjectPart): Promise<void> {
      await checkPart(part);
      if (!(await hasPart(db.read, id, part))) notGiven(id, part);
    },

    async give(caller: Caller, { id }: ProjectRow, part: ProjectPart): Promise<void> {
      await checkPart(part);
      await change(caller, async ({ tx, audit, invalidate }) => {
        try {
          await failOnBrokenReference(
            () => fail('project.not_found', { id }),
            () => insertPart(tx, id, part),
          );
        } catch (error) {
          if (isUniqueViolation(error)) fail('resource.duplicate', { kind: 'project endpoint', field: 'project', value: id });
          throw error;
        }
        invalidate(tagOf.project(id));
        audit(`${eventTarget(part).kind}.added_to_project`, eventTarget(part), { project_id: id });
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
