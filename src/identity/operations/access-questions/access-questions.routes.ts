// /v3/auth/OS-ACCESS: what the caller may do. /v3/users/{user_id}/OS-ACCESS, and in applications: why a user may do something

import type { IdentityApp } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { AccessQuestions } from './access-questions.ts';
import { SUBJECTS } from './allowed.rules.ts';
import { Allowed } from './allowed.schema.ts';
import { ExplanationEnvelope } from './explanation.schema.ts';

const tag = 'Access';

const EXPLANATION = {
  query: {
    project_id: 'In this project. One of project_id, domain_id and system is required.',
    domain_id: 'In this domain.',
    system: 'all: in the system.',
    role_id: 'Why the user has this role. Without it: any role.',
  },
};
const PERMISSIONS = {
  query: {
    organization_id: 'Only roles in this organization.',
    role_id: 'Why the user has this role of the application.',
    permission_id: 'Why the user has this permission.',
    action: 'With resource: a permission with exactly this action and resource.',
    resource: 'With action.',
  },
};

export function mountAccessQuestions(app: IdentityApp, { accessQuestions }: { accessQuestions: AccessQuestions }): void {
  app.get(
    '/v3/auth/OS-ACCESS/allowed',
    {
      id: 'listAllowedRules',
      summary: 'List the rules that let this token pass',
      description:
        'The names are those in `x-policy` of each operation. The parameters name what the question is about; the service asks the rules themselves, so the answer is what it would do.',
      tag,
      rule: 'identity:get_allowed',
      documentation: { query: SUBJECTS },
      reply: { 200: Allowed },
    },
    async (call) => wholeList(call, 'allowed', await accessQuestions.allowed(app.routes, call)),
  );

  app.get(
    '/v3/users/:user_id/OS-ACCESS/explanation',
    {
      id: 'explainAccess',
      summary: 'Explain why a user has a role',
      description:
        'In a project, a domain or the system: every path by which the user has it (groups, grants, inheritance, implied roles), or what is missing.',
      tag,
      rule: 'identity:explain_access',
      target: ({ params, query }) => accessQuestions.target(params.user_id, query),
      documentation: EXPLANATION,
      reply: { 200: ExplanationEnvelope },
    },
    async ({ caller, target, base, path }) => ({
      explanation: { ...(await accessQuestions.explain(caller, target)), links: { self: base + path } },
    }),
  );

  app.get(
    '/v3/OS-ROLES/users/:user_id/applications/:application_id/explanation',
    {
      id: 'explainAppPermissions',
      summary: 'Explain why a user has a role or permission in an application',
      description: 'Every path by which the user has it, or what is missing.',
      tag,
      rule: 'explain_permissions',
      target: ({ caller, params, query }) =>
        accessQuestions.permissionsTarget(caller, params.user_id, params.application_id, query),
      documentation: PERMISSIONS,
      reply: { 200: ExplanationEnvelope },
    },
    async ({ caller, target, base, path }) => ({
      explanation: { ...(await accessQuestions.explainPermissions(caller, target)), links: { self: base + path } },
    }),
  );
}
