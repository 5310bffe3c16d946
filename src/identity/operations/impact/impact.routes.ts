// .../OS-IMPACT/deletion: what a deletion would end and remove, in numbers, for whoever may delete the thing

import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Caller, IdentityApp, RankGuard } from '../../access/rules/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { Groups } from '../../directory/groups/index.ts';
import type { Domains, Projects } from '../../directory/projects/index.ts';
import type { Roles } from '../../directory/roles/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { CredentialTypeManagement } from '../../role-credentials/types/index.ts';
import { createImpact } from './impact.rules.ts';
import { Impact } from './impact.schema.ts';
import type { CountedKind } from './impact.store.ts';

interface ImpactDeps extends Pick<Deps, 'db'> {
  readonly clock: Clock;
  readonly refuseIfOutranked: RankGuard;
  readonly users: Users;
  readonly groups: Groups;
  readonly projects: Projects;
  readonly domains: Domains;
  readonly roles: Roles;
  readonly consumers: Consumers;
  readonly federation: Pick<Federation, 'identityProviders'>;
  readonly credentialTypeManagement: CredentialTypeManagement;
}

export function mountImpact(app: IdentityApp, deps: ImpactDeps): void {
  const { users, groups, projects, domains, roles, consumers, federation, credentialTypeManagement } = deps;
  const impact = createImpact(deps);
  const spec = (id: string, thing: string) => ({
    id,
    summary: `Show what deleting ${thing} would end and remove, in numbers`,
    tag: 'Impact',
    reply: { 200: Impact },
  });
  const answer =
    (kind: CountedKind) =>
    async ({ caller, target, base, path }: { caller: Caller; target: { id: string }; base: string; path: string }) => ({
      impact: { ...(await impact(caller, kind, target.id, seconds(deps.clock))), links: { self: base + path } },
    });

  app.get(
    '/v3/users/:user_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfUserDeletion', 'a user'),
      rule: 'identity:delete_user',
      target: ({ params }) => users.target(params.user_id),
    },
    answer('user'),
  );
  app.get(
    '/v3/groups/:group_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfGroupDeletion', 'a group'),
      rule: 'identity:delete_group',
      target: ({ params }) => groups.target(params.group_id),
    },
    answer('group'),
  );
  app.get(
    '/v3/projects/:project_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfProjectDeletion', 'a project'),
      rule: 'identity:delete_project',
      target: ({ params }) => projects.target(params.project_id),
    },
    answer('project'),
  );
  app.get(
    '/v3/domains/:domain_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfDomainDeletion', 'a domain'),
      rule: 'identity:delete_domain',
      target: ({ params }) => domains.target(params.domain_id),
    },
    answer('domain'),
  );
  app.get(
    '/v3/roles/:role_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfRoleDeletion', 'a role'),
      rule: 'identity:delete_role',
      target: ({ params }) => roles.target(params.role_id),
    },
    answer('role'),
  );
  app.get(
    '/v3/OS-OAUTH2/consumers/:consumer_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfConsumerDeletion', 'a consumer'),
      rule: 'delete_consumer',
      target: ({ caller, params }) => consumers.target(caller, params.consumer_id),
    },
    answer('consumer'),
  );
  app.get(
    '/v3/OS-FEDERATION/identity_providers/:idp_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfIdentityProviderDeletion', 'an identity provider'),
      rule: 'identity:delete_identity_provider',
      target: ({ params }) => federation.identityProviders.target(params.idp_id),
    },
    answer('identity_provider'),
  );
  app.get(
    '/v3/OS-ROLE-CREDENTIALS/types/:type_id/OS-IMPACT/deletion',
    {
      ...spec('getImpactOfCredentialTypeDeletion', 'a credential type'),
      rule: 'delete_credential_type',
      target: ({ caller, params }) => credentialTypeManagement.target(caller, params.type_id),
    },
    answer('credential_type'),
  );
}
