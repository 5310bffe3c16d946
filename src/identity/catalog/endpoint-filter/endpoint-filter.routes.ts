// /v3/OS-EP-FILTER
import type { IdentityApp } from '../../access/rules/index.ts';
import { ProjectList, renderProject } from '../../directory/projects/index.ts';
import { filterDocumentation, listOf, wholeList } from '../../ground/resource/index.ts';
import { endpoint } from '../services/index.ts';
import type { EndpointFilter } from './endpoint-filter.rules.ts';
import {
  CreateEndpointGroup,
  EndpointGroupEnvelope,
  EndpointGroupList,
  ProjectEndpointGroupEnvelope,
  renderEndpointGroup,
  renderProjectEndpointGroup,
  UpdateEndpointGroup,
} from './endpoint-filter.schema.ts';

const tag = 'Endpoint filter';
const base = '/v3/OS-EP-FILTER';

export function mountEndpointFilter(app: IdentityApp, { endpointFilter }: { readonly endpointFilter: EndpointFilter }): void {
  mountEndpointGroups(app, endpointFilter);
  mountGroupsOfProjects(app, endpointFilter);
  mountEndpointsOfProjects(app, endpointFilter);
}

function mountEndpointGroups(app: IdentityApp, filter: EndpointFilter): void {
  const all = `${base}/endpoint_groups` as const;
  const one = `${all}/:endpoint_group_id` as const;
  const target = ({ params }: { params: { endpoint_group_id: string } }) => filter.groupTarget(params.endpoint_group_id);

  app.get(
    all,
    {
      id: 'listEndpointGroups',
      summary: 'List endpoint groups',
      tag,
      rule: 'identity:list_endpoint_groups',
      documentation: filterDocumentation(['name']),
      reply: { 200: EndpointGroupList },
    },
    async (call) => {
      const page = await filter.listGroups(call.query);
      return listOf(call, 'endpoint_groups', { ...page, items: page.items.map((row) => renderEndpointGroup(call.base, row)) });
    },
  );
  app.post(
    all,
    {
      id: 'createEndpointGroup',
      summary: 'Create an endpoint group',
      description: 'All endpoints that have the values of `filters`, now and later.',
      tag,
      rule: 'identity:create_endpoint_group',
      body: CreateEndpointGroup,
      reply: { 201: EndpointGroupEnvelope },
    },
    async (call) => ({
      endpoint_group: renderEndpointGroup(call.base, await filter.createGroup(call.caller, call.body.endpoint_group)),
    }),
  );
  app.get(
    one,
    {
      id: 'getEndpointGroup',
      summary: 'Show an endpoint group',
      tag,
      rule: 'identity:get_endpoint_group',
      target,
      reply: { 200: EndpointGroupEnvelope },
    },
    (call) => ({ endpoint_group: renderEndpointGroup(call.base, call.target) }),
  );
  app.patch(
    one,
    {
      id: 'updateEndpointGroup',
      summary: 'Change an endpoint group',
      tag,
      rule: 'identity:update_endpoint_group',
      target,
      body: UpdateEndpointGroup,
      reply: { 200: EndpointGroupEnvelope },
    },
    async (call) => ({
      endpoint_group: renderEndpointGroup(
        call.base,
        await filter.updateGroup(call.caller, call.target, call.body.endpoint_group),
      ),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteEndpointGroup',
      summary: 'Delete an endpoint group',
      description: 'A project without any other endpoint or endpoint group has the whole catalog again.',
      tag,
      rule: 'identity:delete_endpoint_group',
      target,
      reply: { 204: null },
    },
    (call) => filter.removeGroup(call.caller, call.target),
  );
  app.get(
    `${one}/endpoints`,
    {
      id: 'listEndpointsInGroup',
      summary: 'List the endpoints in an endpoint group',
      tag,
      rule: 'identity:list_endpoints_associated_with_endpoint_group',
      target,
      reply: { 200: endpoint.schemas.List },
    },
    async (call) => {
      const endpoints = await filter.endpointsInGroup(call.target);
      return wholeList(
        call,
        'endpoints',
        endpoints.map((row) => endpoint.render(call.base, row)),
      );
    },
  );
}

function mountGroupsOfProjects(app: IdentityApp, filter: EndpointFilter): void {
  const groups = `${base}/endpoint_groups/:endpoint_group_id` as const;
  const pair = `${groups}/projects/:project_id` as const;
  const project = ({ params }: { params: { project_id: string } }) => filter.projectTarget(params.project_id);

  app.get(
    `${groups}/projects`,
    {
      id: 'listProjectsOfEndpointGroup',
      summary: 'List the projects that have an endpoint group',
      tag,
      rule: 'identity:list_projects_associated_with_endpoint_group',
      target: ({ params }: { params: { endpoint_group_id: string } }) => filter.groupTarget(params.endpoint_group_id),
      reply: { 200: ProjectList },
    },
    async (call) => {
      const projects = await filter.projectsWith({ groupId: call.target.id });
      return wholeList(
        call,
        'projects',
        projects.map((row) => renderProject(call.base, row)),
      );
    },
  );
  app.get(
    `${base}/projects/:project_id/endpoint_groups`,
    {
      id: 'listEndpointGroupsOfProject',
      summary: 'List the endpoint groups of a project',
      tag,
      rule: 'identity:list_endpoint_groups_for_project',
      target: project,
      reply: { 200: EndpointGroupList },
    },
    async (call) => {
      const found = await filter.groupsOfProject(call.target);
      return wholeList(
        call,
        'endpoint_groups',
        found.map((row) => renderEndpointGroup(call.base, row)),
      );
    },
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

function mountEndpointsOfProjects(app: IdentityApp, filter: EndpointFilter): void {
  const pair = `${base}/projects/:project_id/endpoints/:endpoint_id` as const;
  const project = ({ params }: { params: { project_id: string } }) => filter.projectTarget(params.project_id);

  app.get(
    `${base}/endpoints/:endpoint_id/projects`,
    {
      id: 'listProjectsOfEndpoint',
      summary: 'List the projects that were given an endpoint',
      tag,
      rule: 'identity:list_projects_for_endpoint',
      target: ({ params }: { params: { endpoint_id: string } }) => filter.endpointTarget(params.endpoint_id),
      reply: { 200: ProjectList },
    },
    async (call) => {
      const projects = await filter.projectsWith({ endpointId: call.target.id });
      return wholeList(
        call,
        'projects',
        projects.map((row) => renderProject(call.base, row)),
      );
    },
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
    async (call) => {
      const endpoints = await filter.endpointsOfProject(call.target);
      return wholeList(
        call,
        'endpoints',
        endpoints.map((row) => endpoint.render(call.base, row)),
      );
    },
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
