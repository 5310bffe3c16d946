// /v3/role_assignments, and where a user has roles: /v3/users/{id}/projects, /v3/auth/{projects,domains,system}

import type { Call } from '../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../access/index.ts';
import { DomainList, ProjectList, type ProjectPage, renderDomain, renderProject } from '../projects/index.ts';
import { filtered, LISTED, listOf } from '../resource/index.ts';
import type { Assignments } from './assignments.rules.ts';
import { RoleAssignmentList, renderAssignment, SystemList } from './assignments.schema.ts';
import type { Reach } from './reach.rules.ts';

const tag = 'Role assignments';

const ASSIGNED = {
  query: {
    ...LISTED.query,
    'user.id': 'Only those of this user. Not with group.id.',
    'group.id': 'Only those of this group. Not with effective.',
    'role.id': 'Only those of this role.',
    'scope.project.id': 'Only those on this project. One scope at a time.',
    'scope.domain.id': 'Only those on this domain.',
    'scope.system': 'Only those on the system, whatever the value.',
    'scope.OS-INHERIT:inherited_to': 'projects: only those that are handed down to projects.',
    effective: 'Show what comes of them: of groups their members, of roles what they imply, of those handed down each project.',
    include_subtree: 'With scope.project.id: those on the projects below it as well.',
    include_names: 'Show names and domains beside the ids.',
  },
};

export function mountAssignments(app: IdentityApp, { assignments, reach }: { assignments: Assignments; reach: Reach }): void {
  app.get(
    '/v3/role_assignments',
    {
      summary: 'List role assignments',
      tag,
      rule: 'identity:list_role_assignments',
      target: ({ caller, query }) => assignments.target(caller, query),
      documentation: ASSIGNED,
      reply: { 200: RoleAssignmentList },
    },
    async (call) => {
      const { naming, ...page } = await assignments.list(call.caller, call.target, call.query);
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
      rule: 'identity:list_user_projects',
      target: ({ params }) => reach.userTarget(params.user_id),
      documentation: filtered(['name', 'domain_id'], ['enabled']),
      reply: { 200: ProjectList },
    },
    async (call) => projects(call, await reach.projectsOf(call.target, call.query)),
  );

  app.get(
    '/v3/auth/projects',
    {
      summary: 'List the projects this token can be scoped to',
      tag,
      rule: 'identity:get_auth_projects',
      documentation: filtered(['name', 'domain_id'], ['enabled']),
      reply: { 200: ProjectList },
    },
    async (call) => projects(call, await reach.ownProjects(call.caller, call.query)),
  );

  app.get(
    '/v3/auth/domains',
    {
      summary: 'List the domains this token can be scoped to',
      tag,
      rule: 'identity:get_auth_domains',
      documentation: filtered(['name'], [], { domain_id: 'No domain is in another: with it the list is empty.' }),
      reply: { 200: DomainList },
    },
    async (call) => {
      const page = await reach.ownDomains(call.caller, call.query);
      return listOf(call, 'domains', { ...page, items: page.items.map((domain) => renderDomain(call.base, domain)) });
    },
  );

  app.get(
    '/v3/auth/system',
    {
      summary: 'Whether this token can be scoped to the system',
      tag,
      rule: 'identity:get_auth_system',
      reply: { 200: SystemList },
    },
    async ({ caller, base, path }) => ({
      system: (await reach.ownSystem(caller)) ? [{ all: true }] : [],
      links: { self: base + path },
    }),
  );
}
