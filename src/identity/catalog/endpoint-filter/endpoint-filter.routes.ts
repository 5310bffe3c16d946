// /v3/OS-EP-FILTER
import type { Nouns } from '../../access/noun/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { ProjectList, renderProject } from '../../directory/projects/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import { endpoint } from '../services/index.ts';
import type { EndpointFilter } from './endpoint-filter.rules.ts';
import { ProjectEndpointGroupEnvelope, renderProjectEndpointGroup } from './endpoint-filter.schema.ts';
import { endpointGroup } from './endpoint-group.ts';

const { tag } = endpointGroup;
const base = '/v3/OS-EP-FILTER';

interface EndpointFilterRouteDeps {
  readonly endpointFilter: EndpointFilter;
  readonly nouns: Nouns;
}

export function mountEndpointFilter(app: IdentityApp, modules: EndpointFilterRouteDeps): void {
  mountGroupsOfProjects(app, modules);
  mountEndpointsOfProjects(app, modules);
}

function mountGroupsOfProjects(app: IdentityApp, { endpointFilter: filter, nouns }: EndpointFilterRouteDeps): void {
  const groups = `${base}/endpoint_groups/:endpoint_group_id` as const;
  const pair = `${groups}/projects/:project_id` as const;
  const group = ({ params }: { params: { endpoint_group_id: string } }) => nouns.endpoint_group.target(params.endpoint_group_id);
  const project = ({ params }: { params: { project_id: string } }) => filter.projectTarget(params.project_id);

  app.get(
    `${groups}/endpoints`,
    {
      id: 'listEndpointsInGroup',
      summary: 'List the endpoints in an endpoint group',
      tag,
      rule: 'identity:list_endpoints_associated_with_endpoint_group',
      target: group,
      reply: { 200: endpoint.schemas.List },
    },
    async (call) => endpoint.listOf(call, await filter.endpointsInGroup(call.target)),
  );
  app.get(
    `${groups}/projects`,
    {
      id: 'listProjectsOfEndpointGroup',
      summary: 'List the projects that have an endpoint group',
      tag,
      rule: 'identity:list_projects_associated_with_endpoint_group',
      target: group,
      reply: { 200: ProjectList },
    },
    async (call) => wholeList(call, 'projects', await filter.projectsWith({ groupId: call.target.id }), renderProject),
  );
  app.get(
    `${base}/projects/:project_id/endpoint_groups`,
    {
      id: 'listEndpointGroupsOfProject',
      summary: 'List the endpoint groups of a project',
      tag,
      rule: 'identity:list_endpoint_groups_for_project',
      target: project,
      reply: { 200: endpointGroup.schemas.List },
    },
    async (call) => endpointGroup.listOf(call, await filter.groupsOfProject(call.target)),
  );
  app.put(
    pair,
    {
      id: 'addEndpointGroupToProject',
      summary: 'Give an endpoint group to a project',
      tag,
      rule: 'identity:add_endpoint_group_to_project',
      target: project,
      reply: { 204: null },
    },
    ({ caller, target, params }) => filter.give(caller, target, { groupId: params.endpoint_group_id }),
  );
  app.get(
    pair,
    {
      id: 'checkEndpointGroupInProject',
      summary: 'Check that a project has an endpoint group',
      tag,
      rule: 'identity:get_endpoint_group_in_project',
      target: project,
      reply: { 200: ProjectEndpointGroupEnvelope },
    },
    async (call) => {
      const { endpoint_group_id: groupId } = call.params;
      await filter.check(call.target, { groupId });
      return { project_endpoint_group: renderProjectEndpointGroup(call.base, groupId, call.target.id) };
    },
  );
  app.delete(
    pair,
    {
      id: 'removeEndpointGroupFromProject',
      summary: 'Take an endpoint group from a project',
      tag,
      rule: 'identity:remove_endpoint_group_from_project',
      target: project,
      reply: { 204: null },
    },
    ({ caller, target, params }) => filter.take(caller, target, { groupId: params.endpoint_group_id }),
  );
}

function mountEndpointsOfProjects(app: IdentityApp, { endpointFilter: filter, nouns }: EndpointFilterRouteDeps): void {
  const pair = `${base}/projects/:project_id/endpoints/:endpoint_id` as const;
  const project = ({ params }: { params: { project_id: string } }) => filter.projectTarget(params.project_id);

  app.get(
    `${base}/endpoints/:endpoint_id/projects`,
    {
      id: 'listProjectsOfEndpoint',
      summary: 'List the projects that were given an endpoint',
      tag,
      rule: 'identity:list_projects_for_endpoint',
      target: ({ params }: { params: { endpoint_id: string } }) => nouns.endpoint.target(params.endpoint_id),
      reply: { 200: ProjectList },
    },
    async (call) => wholeList(call, 'projects', await filter.projectsWith({ endpointId: call.target.id }), renderProject),
  );
  app.get(
    `${base}/projects/:project_id/endpoints`,
    {
      id: 'listEndpointsOfProject',
      summary: 'List the endpoints of a project',
      description: 'Those it was given, and those of its endpoint groups. Without any, the catalog has all endpoints.',
      tag,
      rule: 'identity:list_endpoints_for_project',
      target: project,
      reply: { 200: endpoint.schemas.List },
    },
    async (call) => endpoint.listOf(call, await filter.endpointsOfProject(call.target)),
  );
  app.put(
    pair,
    {
      id: 'addEndpointToProject',
      summary: 'Give an endpoint to a project',
      description: 'The catalog of its tokens then has only the endpoints that it was given.',
      tag,
      rule: 'identity:add_endpoint_to_project',
      target: project,
      reply: { 204: null },
    },
    ({ caller, target, params }) => filter.give(caller, target, { endpointId: params.endpoint_id }),
  );
  app.get(
    pair,
    {
      id: 'checkEndpointInProject',
      summary: 'Check that a project was given an endpoint',
      tag,
      rule: 'identity:check_endpoint_in_project',
      target: project,
      reply: { 204: null },
    },
    ({ target, params }) => filter.check(target, { endpointId: params.endpoint_id }),
  );
  app.delete(
    pair,
    {
      id: 'removeEndpointFromProject',
      summary: 'Take an endpoint from a project',
      tag,
      rule: 'identity:remove_endpoint_from_project',
      target: project,
      reply: { 204: null },
    },
    ({ caller, target, params }) => filter.take(caller, target, { endpointId: params.endpoint_id }),
  );
}
