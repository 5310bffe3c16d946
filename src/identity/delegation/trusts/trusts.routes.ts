// /v3/OS-TRUST/trusts
import type { IdentityApp } from '../../access/rules/index.ts';
import { RoleEnvelope, RoleList, renderRole } from '../../directory/roles/index.ts';
import { listOf, PAGE_DOCUMENTATION, wholeList } from '../../ground/resource/index.ts';
import type { Trusts } from './trusts.rules.ts';
import { CreateTrust, renderListedTrust, renderTrust, rolesOf, TrustEnvelope, TrustList } from './trusts.schema.ts';

const tag = 'Trusts';

export function mountTrusts(app: IdentityApp, { trusts }: { readonly trusts: Trusts }): void {
  const all = '/v3/OS-TRUST/trusts';
  const one = '/v3/OS-TRUST/trusts/:trust_id';
  const trust = ({ params }: { params: { trust_id: string } }) => trusts.target(params.trust_id);

  app.get(
    all,
    {
      id: 'listTrusts',
      summary: 'List trusts',
      description:
        'The roles are left out. Callers who are neither administrators nor readers of the system must name themselves as trustor or trustee.',
      tag,
      rule: 'identity:list_trusts',
      target: ({ query }) => trusts.listTarget(query),
      documentation: {
        query: {
          ...PAGE_DOCUMENTATION.query,
          trustor_user_id: 'Only trusts of this trustor.',
          trustee_user_id: 'Only trusts of this trustee.',
        },
      },
      reply: { 200: TrustList },
    },
    async (call) => listOf(call, 'trusts', await trusts.list(call.query), renderListedTrust),
  );
  app.post(
    all,
    {
      id: 'createTrust',
      summary: 'Create a trust',
      description:
        'The user of the token is the trustor. With a token of a trust, that trust is redelegated: the new trust gives the same roles or fewer, and ends with the first one.',
      tag,
      rule: 'identity:create_trust',
      target: ({ body }) => ({
        facts: { userId: body.trust.trustor_user_id },
        get: () => body.trust.trustor_user_id,
      }),
      body: CreateTrust,
      reply: { 201: TrustEnvelope },
    },
    async ({ caller, target, body, base }) => ({ trust: renderTrust(base, await trusts.create(caller, target, body.trust)) }),
  );
  app.get(
    one,
    { id: 'getTrust', summary: 'Show a trust', tag, rule: 'identity:get_trust', target: trust, reply: { 200: TrustEnvelope } },
    ({ target, base }) => ({ trust: renderTrust(base, target) }),
  );
  app.delete(
    one,
    {
      id: 'deleteTrust',
      summary: 'Delete a trust, the trusts that were redelegated from it, and their tokens',
      tag,
      rule: 'identity:delete_trust',
      target: ({ params }) => trusts.targetToRemove(params.trust_id),
      reply: { 204: null },
    },
    ({ caller, target }) => trusts.remove(caller, target),
  );
  app.get(
    `${one}/roles`,
    {
      id: 'listRolesOfTrust',
      summary: 'List the roles of a trust',
      tag,
      rule: 'identity:list_roles_for_trust',
      target: trust,
      reply: { 200: RoleList },
    },
    (call) => wholeList(call, 'roles', rolesOf(call.base, call.target)),
  );
  app.get(
    '/v3/OS-TRUST/trusts/:trust_id/roles/:role_id',
    {
      id: 'getRoleOfTrust',
      summary: 'Show a role of a trust',
      tag,
      rule: 'identity:get_role_for_trust',
      target: trust,
      reply: { 200: RoleEnvelope },
    },
    ({ params, target, base }) => ({ role: renderRole(base, trusts.roleOf(target, params.role_id)) }),
  );
}
