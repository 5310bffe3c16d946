// /v3/projects and the tags of a project

import { Answer } from '../../../platform/http/index.ts';
import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  type Deps,
  ETAG,
  filterDocumentation,
  listOf,
  NAME_AND_CREATION,
  searchDocumentation,
  withEtag,
  withExtra,
} from '../../ground/resource/index.ts';
import { hierarchyOf } from './hierarchy.ts';
import type { Projects } from './projects.rules.ts';
import {
  CreateProject,
  ProjectEnvelope,
  ProjectList,
  renderProject,
  TagList,
  UpdateProject,
  UpdateTags,
} from './projects.schema.ts';
import type { ProjectTags } from './tags.rules.ts';

const tag = 'Projects';

const FILTERS = filterDocumentation(['name', 'domain_id', 'parent_id'], ['enabled'], {
  is_domain: 'true: only projects that act as a domain; false (the default): only the others.',
  tags: 'Comma-separated. Only projects with all of these tags.',
  'tags-any': 'Only projects with at least one of these tags.',
  'not-tags': 'Only projects that do not have all of these tags.',
  'not-tags-any': 'Only projects with none of these tags.',
});
const FILTERED = searchDocumentation(FILTERS, 'name', NAME_AND_CREATION);
const HIERARCHY = {
  query: {
    parents_as_list: 'Show the ancestors that the caller may see. Not with parents_as_ids.',
    parents_as_ids: 'Show the ids of the ancestors, as a tree.',
    subtree_as_list: 'Show the descendants that the caller may see. Not with subtree_as_ids.',
    subtree_as_ids: 'Show the ids of the descendants, as a tree.',
  },
};

interface ProjectDeps extends Pick<Deps, 'db'> {
  readonly projects: Projects;
  readonly tags: ProjectTags;
  /** The projects in which a user has a role. */
  readonly userScopes: { everyProjectOf(userId: string): Promise<readonly { readonly id: string }[]> };
}

export function mountProjects(app: IdentityApp, { db, projects, userScopes }: ProjectDeps): void {
  const project = ({ params }: { params: { project_id: string } }) => projects.target(params.project_id);

  app.get(
    '/v3/projects',
    {
      id: 'listProjects',
      summary: 'List projects',
      description: 'A token for a domain sees only the projects of that domain.',
      tag,
      rule: 'identity:list_projects',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: FILTERED,
      reply: { 200: ProjectList },
    },
    async (call) => listOf(call, 'projects', await projects.list(call.caller, call.query), renderProject),
  );

  app.post(
    '/v3/projects',
    {
      id: 'createProject',
      summary: 'Create a project',
      description: 'Without `parent_id`, it is directly below its domain. The tree has a limited depth.',
      tag,
      rule: 'identity:create_project',
      target: ({ caller, body }) => projects.positionTarget(caller, body.project),
      body: CreateProject,
      reply: { 201: ProjectEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      project: renderProject(base, await projects.create(caller, target, body.project)),
    }),
  );

  app.get(
    '/v3/projects/:project_id',
    {
      id: 'getProject',
      summary: 'Show a project, optionally with its ancestors and descendants',
      tag,
      rule: 'identity:get_project',
      target: project,
      documentation: { ...HIERARCHY, ...ETAG },
      reply: { 200: ProjectEnvelope },
    },
    async ({ caller, target, query, base }) => {
      const row = await projects.get(target);
      const hierarchy = await hierarchyOf(db, caller, target, query, base, () => userScopes.everyProjectOf(caller.userId));
      return withEtag(row, { project: { ...renderProject(base, row), ...hierarchy } });
    },
  );

  app.patch(
    '/v3/projects/:project_id',
    {
      id: 'updateProject',
      summary: 'Change a project',
      description:
        'Only the attributes in the body change. `enabled: false` ends all tokens for the project; a project with enabled children cannot be disabled.',
      tag,
      rule: 'identity:update_project',
      target: project,
      body: UpdateProject,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: ProjectEnvelope },
    },
    async (call) => {
      const row = await projects.update(callerIfMatch('project', call), call.target, call.body.project);
      return withEtag(row, { project: withExtra(row, renderProject(call.base, row)) });
    },
  );

  app.delete(
    '/v3/projects/:project_id',
    {
      id: 'deleteProject',
      summary: 'Delete a project',
      description: 'A project with children is refused. Tokens for it, and roles in it, end.',
      tag,
      rule: 'identity:delete_project',
      target: project,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => projects.remove(callerIfMatch('project', call), call.target),
  );
}

export function mountTags(app: IdentityApp, { projects, tags }: Pick<ProjectDeps, 'projects' | 'tags'>): void {
  const project = ({ params }: { params: { project_id: string } }) => projects.target(params.project_id);
  const path = '/v3/projects/:project_id/tags';
  const one = '/v3/projects/:project_id/tags/:tag';
  const renderTags = (call: { base: string; path: string }, names: readonly string[]) => ({
    tags: names,
    links: { self: call.base + call.path },
  });

  app.get(
    path,
    {
      id: 'listProjectTags',
      summary: 'List the tags of a project',
      tag,
      rule: 'identity:list_project_tags',
      target: project,
      reply: { 200: TagList },
    },
    async (call) => renderTags(call, await tags.list(call.target)),
  );
  app.put(
    path,
    {
      id: 'setProjectTags',
      summary: 'Replace the tags of a project',
      description: 'Tags that are not in the body are removed.',
      tag,
      rule: 'identity:update_project_tags',
      target: project,
      body: UpdateTags,
      reply: { 200: TagList },
    },
    async (call) => renderTags(call, await tags.replace(call.caller, call.target, call.body.tags)),
  );
  app.delete(
    path,
    {
      id: 'deleteProjectTags',
      summary: 'Remove all tags of a project',
      tag,
      rule: 'identity:delete_project_tags',
      target: project,
      reply: { 204: null },
    },
    async ({ caller, target }) => {
      await tags.replace(caller, target, []);
    },
  );
  app.get(
    one,
    {
      id: 'checkProjectTag',
      summary: 'Check for a tag',
      tag,
      rule: 'identity:get_project_tag',
      target: project,
      reply: { 204: null },
    },
    ({ target, params }) => tags.check(target, params.tag),
  );
  app.put(
    one,
    {
      id: 'addProjectTag',
      summary: 'Add a tag',
      tag,
      rule: 'identity:create_project_tag',
      target: project,
      documentation: { replyHeaders: { Location: 'Address of the tag.' } },
      reply: { 201: null },
    },
    async ({ caller, target, params, base }) => {
      const added = await tags.add(caller, target, params.tag);
      return new Answer({ headers: { Location: `${base}/v3/projects/${target.id}/tags/${encodeURIComponent(added)}` } });
    },
  );
  app.delete(
    one,
    {
      id: 'deleteProjectTag',
      summary: 'Remove a tag',
      tag,
      rule: 'identity:delete_project_tag',
      target: project,
      reply: { 204: null },
    },
    ({ caller, target, params }) => tags.remove(caller, target, params.tag),
  );
}
