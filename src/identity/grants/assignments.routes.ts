// /v3/role_assignments, and where a user has roles: /v3/users/{id}/projects, /v3/auth/{projects,domains,system}
import type { App, Call } from '../../platform/http/index.ts';
import type { Caller } from '../caller.ts';
import { listOf } from '../lists.ts';
import { DomainList, ProjectList, type ProjectPage, renderDomain, renderProject } from '../projects/index.ts';
import type { Assignments } from './assignments.rules.ts';
import { RoleAssignmentList, renderAssignment, SystemList } from './assignments.schema.ts';
import type { Reach } from './reach.rules.ts';

const tag = 'Role assignments';

export function mountAssignments(app: App<Caller>, { assignments, reach }: { assignments: Assignments; reach: Reach }): void {
  app.get(
    '/v3/role_assignments',
    { summary: 'List role assignments', tag, policy: 'identity:list_role_assignments', reply: { 200: RoleAssignmentList } },
    async (call) => {
      const { naming, ...page } = await assignments.list(call.caller, call.query);
      return listOf(call, 'role_assignments', {
        ...page,
        items: page.items.map((item) => renderAssignment(call.base, item, naming)),
      });
    },
  );

  const projects = (call: Call<Caller>, page: ProjectPage) =>
    listOf(call, 'projects', { ...page, items: page.items.map((project) => renderProject(call.base, project)) });

  app.get(
    '/v3/users/:user_id/projects',
    {
      summary: 'List the projects a user has a role in',
      tag,
      policy: 'identity:list_user_projects',
      reply: { 200: ProjectList },
    },
    async (call) => projects(call, await reach.projectsOf(call.caller, call.params.user_id, call.query)),
  );

  app.get(
    '/v3/auth/projects',
    { summary: 'List the projects this token can be scoped to', tag, reply: { 200: ProjectList } },
    async (call) => projects(call, await reach.ownProjects(call.caller, call.query)),
  );

  app.get(
    '/v3/auth/domains',
    { summary: 'List the domains this token can be scoped to', tag, reply: { 200: DomainList } },
    async (call) => {
      const page = await reach.ownDomains(call.caller, call.query);
      return listOf(call, 'domains', { ...page, items: page.items.map((domain) => renderDomain(call.base, domain)) });
    },
  );

  app.get(
    '/v3/auth/system',
    { summary: 'Whether this token can be scoped to the system', tag, reply: { 200: SystemList } },
    async ({ caller, base, path }) => ({
      system: (await reach.ownSystem(caller)) ? [{ all: true }] : [],
      links: { self: base + path },
    }),
  );
}
