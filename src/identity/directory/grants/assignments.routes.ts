// /v3/role_assignments, and where a user has roles: /v3/users/{id}/projects, /v3/auth/{projects,domains,system}

import type { Call } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import { DomainList, ProjectList, type ProjectPage, renderDomain, renderProject } from '../projects/index.ts';
import type { Assignments } from './assignments.rules.ts';
import { RoleAssignmentList, renderAssignment, SystemList } from './assignments.schema.ts';
import type { UserScopes } from './user-scopes.rules.ts';

const tag = 'Role assignments';

const QUERY_DOCUMENTATION = {
  query: {
    ...PAGE_DOCUMENTATION.query,
    'user.id': 'Only those of this user. Not with group.id.',
    'group.id': 'Only those of this group. Not with effective.',
    'role.id': 'Only those of this role.',
    'scope.project.id': 'Only those on this project. One scope at a time.',
    'scope.domain.id': 'Only those on this domain.',
    'scope.system': 'Only those on the system, whatever the value.',
    'scope.OS-INHERIT:inherited_to': 'projects: only those that are inherited by projects.',
    effective:
      'Show effective assignments: groups are replaced by their members, implied roles are added, and inherited assignments are shown for each project.',
    include_subtree: 'With scope.project.id: also those on the projects below it.',
    include_names: 'Show names and domains in addition to ids.',
  },
};

export function mountAssignments(
  app: IdentityApp,
  { assignments, userScopes }: { assignments: Assignments; userScopes: UserScopes },
): void {
  app.get(
    '/v3/role_assignments',
    {
      id: 'listRoleAssignments',
      summary: 'List role assignments',
      description:
        'Who has which role where. `effective` resolves groups, inheritance and implied roles, and lists the users themselves.',
      tag,
      rule: 'identity:list_role_assignments',
      target: ({ caller, query }) => assignments.target(caller, query),
      documentation: QUERY_DOCUMENTATION,
      reply: { 200: RoleAssignmentList },
    },
    async (call) => {
      const { names, ...page } = await assignments.list(call.caller, call.target, call.query);
      return listOf(call, 'role_assignments', {
        ...page,
        items: page.items.map((item) => renderAssignment(call.base, item, names)),
      });
    },
  );

  const projects = (call: Call<Caller>, page: ProjectPage) => listOf(call, 'projects', page, renderProject);

  app.get(
    '/v3/users/:user_id/projects',
    {
      id: 'listUserProjects',
      summary: 'List the projects a user has a role in',
      tag,
      rule: 'identity:list_user_projects',
      target: ({ params }) => userScopes.userTarget(params.user_id),
      documentation: filterDocumentation(['name', 'domain_id'], ['enabled']),
      reply: { 200: ProjectList },
    },
    async (call) => projects(call, await userScopes.projectsOf(call.target, call.query)),
  );

  // The second path of each is the one that federated users were told, before the first was for everybody.
  for (const [path, id] of [
    ['/v3/auth/projects', 'listAuthProjects'],
    ['/v3/OS-FEDERATION/projects', 'listFederationProjects'],
  ] as const)
    app.get(
      path,
      {
        id,
        summary: 'List the projects this token can be scoped to',
        description: 'Of the user of the token: directly, through groups, inherited and implied.',
        tag,
        rule: 'identity:get_auth_projects',
        documentation: filterDocumentation(['name', 'domain_id'], ['enabled']),
        reply: { 200: ProjectList },
      },
      async (call) => projects(call, await userScopes.ownProjects(call.caller, call.query)),
    );

  for (const [path, id] of [
    ['/v3/auth/domains', 'listAuthDomains'],
    ['/v3/OS-FEDERATION/domains', 'listFederationDomains'],
  ] as const)
    app.get(
      path,
      {
        id,
        summary: 'List the domains this token can be scoped to',
        description: 'Of the user of the token.',
        tag,
        rule: 'identity:get_auth_domains',
        documentation: filterDocumentation(['name'], [], {
          domain_id: 'Domains are not nested, so the list is empty with this parameter.',
        }),
        reply: { 200: DomainList },
      },
      async (call) => listOf(call, 'domains', await userScopes.ownDomains(call.caller, call.query), renderDomain),
    );

  app.get(
    '/v3/auth/system',
    {
      id: 'listAuthSystem',
      summary: 'Show whether this token can be scoped to the system',
      description: 'The list is empty if it cannot.',
      tag,
      rule: 'identity:get_auth_system',
      reply: { 200: SystemList },
    },
    async ({ caller, base, path }) => ({
      system: (await userScopes.ownSystem(caller)) ? [{ all: true }] : [],
      links: { self: base + path },
    }),
  );
}
