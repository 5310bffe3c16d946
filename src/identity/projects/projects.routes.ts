// /v3/projects and the tags of a project

import { Answer } from '../../platform/http/index.ts';
import type { Deps } from '../deps.ts';
import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
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

const FILTERED = filtered(['name', 'domain_id', 'parent_id'], ['enabled'], {
  is_domain: 'true: those that act as a domain; false, or nothing: the others.',
  tags: 'Names by commas. Only those with all of these tags.',
  'tags-any': 'Only those with one of these tags.',
  'not-tags': 'Only those without all of these tags together.',
  'not-tags-any': 'Only those without any of these tags.',
});
const HIERARCHY = {
  query: {
    parents_as_list: 'Show what is above, as far as the caller may see it. Not with parents_as_ids.',
    parents_as_ids: 'Show the ids of what is above, as a tree.',
    subtree_as_list: 'Show what is below, as far as the caller may see it. Not with subtree_as_ids.',
    subtree_as_ids: 'Show the ids of what is below, as a tree.',
  },
};

interface ProjectDeps extends Pick<Deps, 'db'> {
  readonly projects: Projects;
  readonly tags: ProjectTags;
  /** Ids of the projects a user has any role in. */
  projectIdsOf(userId: string): Promise<ReadonlySet<string>>;
}

export function mountProjects(app: IdentityApp, { db, projects, projectIdsOf }: ProjectDeps): void {
  app.get(
    '/v3/projects',
    { summary: 'List projects', tag, policy: 'identity:list_projects', described: FILTERED, reply: { 200: ProjectList } },
    async (call) => {
      const page = await projects.list(call.caller, call.query);
      return listOf(call, 'projects', { ...page, items: page.items.map((project) => renderProject(call.base, project)) });
    },
  );

  app.post(
    '/v3/projects',
    { summary: 'Create a project', tag, policy: 'identity:create_project', body: CreateProject, reply: { 201: ProjectEnvelope } },
    async ({ caller, body, base }) => ({ project: renderProject(base, await projects.create(caller, body.project)) }),
  );

  app.get(
    '/v3/projects/:project_id',
    {
      summary: 'Show a project, with what is above or below it on request',
      tag,
      policy: 'identity:get_project',
      described: HIERARCHY,
      reply: { 200: ProjectEnvelope },
    },
    async ({ caller, params, query, base }) => {
      const project = await projects.get(caller, params.project_id);
      const hierarchy = await hierarchyOf(db, caller, project, query, base, () => projectIdsOf(caller.userId));
      return { project: { ...renderProject(base, project), ...hierarchy } };
    },
  );

  app.patch(
    '/v3/projects/:project_id',
    { summary: 'Change a project', tag, policy: 'identity:update_project', body: UpdateProject, reply: { 200: ProjectEnvelope } },
    async ({ caller, params, body, base }) => ({
      project: renderProject(base, await projects.update(caller, params.project_id, body.project)),
    }),
  );

  app.delete(
    '/v3/projects/:project_id',
    { summary: 'Delete a project without children', tag, policy: 'identity:delete_project', reply: { 204: null } },
    async ({ caller, params }) => projects.remove(caller, params.project_id),
  );
}

export function mountTags(app: IdentityApp, { tags }: { tags: ProjectTags }): void {
  const path = '/v3/projects/:project_id/tags';
  const one = '/v3/projects/:project_id/tags/:tag';
  const rendered = (call: { base: string; path: string }, names: readonly string[]) => ({
    tags: names,
    links: { self: call.base + call.path },
  });

  app.get(
    path,
    { summary: 'List the tags of a project', tag, policy: 'identity:list_project_tags', reply: { 200: TagList } },
    async (call) => rendered(call, await tags.list(call.caller, call.params.project_id)),
  );
  app.put(
    path,
    {
      summary: 'Replace the tags of a project',
      tag,
      policy: 'identity:update_project_tags',
      body: UpdateTags,
      reply: { 200: TagList },
    },
    async (call) => rendered(call, await tags.replace(call.caller, call.params.project_id, call.body.tags)),
  );
  app.delete(
    path,
    { summary: 'Remove all tags of a project', tag, policy: 'identity:delete_project_tags', reply: { 204: null } },
    async ({ caller, params }) => {
      await tags.clear(caller, params.project_id);
    },
  );
  app.get(
    one,
    { summary: 'Check for a tag', tag, policy: 'identity:get_project_tag', reply: { 204: null } },
    async ({ caller, params }) => tags.check(caller, params.project_id, params.tag),
  );
  app.put(
    one,
    {
      summary: 'Add a tag',
      tag,
      policy: 'identity:create_project_tag',
      described: { replyHeaders: { Location: 'Where the tag is from now on.' } },
      reply: { 201: null },
    },
    async ({ caller, params, base, path: at }) => {
      await tags.add(caller, params.project_id, params.tag);
      return new Answer({ headers: { Location: base + at } });
    },
  );
  app.delete(
    one,
    { summary: 'Remove a tag', tag, policy: 'identity:delete_project_tag', reply: { 204: null } },
    async ({ caller, params }) => tags.remove(caller, params.project_id, params.tag),
  );
}
