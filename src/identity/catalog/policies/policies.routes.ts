// OS-ENDPOINT-POLICY, below /v3/policies and /v3/endpoints

import type { Nouns } from '../../access/noun/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { endpoint } from '../services/index.ts';
import type { PolicyAssociations } from './associations.rules.ts';
import { policy } from './policy.ts';

const { tag } = policy;

interface PolicyRouteDeps {
  readonly policyAssociations: PolicyAssociations;
  readonly nouns: Nouns;
}

export function mountPolicyAssociations(app: IdentityApp, { policyAssociations: associations, nouns }: PolicyRouteDeps): void {
  const one = '/v3/policies/:policy_id';
  const target = ({ params }: { params: { policy_id: string } }) => nouns.policy.target(params.policy_id);

  app.get(
    `${one}/OS-ENDPOINT-POLICY/endpoints`,
    {
      id: 'listEndpointsOfPolicy',
      summary: 'List the endpoints that a policy is for',
      tag,
      rule: 'identity:list_endpoints_for_policy',
      target,
      reply: { 200: endpoint.schemas.List },
    },
    async (call) => endpoint.listOf(call, await associations.endpointsFor(call.target)),
  );
  app.get(
    '/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy',
    {
      id: 'getPolicyOfEndpoint',
      summary: 'Show the policy of an endpoint',
      description: 'Its own, else that of its service in its region or a region above, else that of its service.',
      tag,
      rule: 'identity:get_policy_for_endpoint',
      target: ({ params }: { params: { endpoint_id: string } }) => nouns.endpoint.target(params.endpoint_id),
      reply: { 200: policy.schemas.Envelope },
    },
    async ({ target: endpoint, base }) => ({ policy: policy.render(base, await associations.policyFor(endpoint)) }),
  );
  for (const association of ASSOCIATIONS) mountAssociation(app, association, { policyAssociations: associations, nouns });
}

const ASSOCIATIONS = [
  { path: 'endpoints/:endpoint_id', name: 'endpoint', id: 'PolicyForEndpoint', words: 'an endpoint' },
  { path: 'services/:service_id', name: 'service', id: 'PolicyForService', words: 'all endpoints of a service' },
  {
    path: 'services/:service_id/regions/:region_id',
    name: 'region_and_service',
    id: 'PolicyForServiceInRegion',
    words: 'the endpoints of a service in a region and the regions below it',
  },
] as const;

function mountAssociation(
  app: IdentityApp,
  { path, name, id, words }: (typeof ASSOCIATIONS)[number],
  { policyAssociations: associations, nouns }: PolicyRouteDeps,
): void {
  const whole = `/v3/policies/:policy_id/OS-ENDPOINT-POLICY/${path}` as const;
  const target = ({ params }: { params: { policy_id: string } }) => nouns.policy.target(params.policy_id);
  const pathOf = ({ policy_id: _, ...rest }: { policy_id: string }) => rest;
  app.put(
    whole,
    {
      id: `use${id}`,
      summary: `Use a policy for ${words}`,
      description: 'It replaces the policy that was used for exactly this.',
      tag,
      rule: `identity:create_policy_association_for_${name}`,
      target,
      reply: { 204: null },
    },
    ({ caller, target: row, params }) => associations.associate(caller, row, pathOf(params)),
  );
  app.get(
    whole,
    {
      id: `check${id}`,
      summary: `Check that a policy is used for ${words}`,
      tag,
      rule: `identity:check_policy_association_for_${name}`,
      target,
      reply: { 204: null },
    },
    ({ target: row, params }) => associations.check(row, pathOf(params)),
  );
  app.delete(
    whole,
    {
      id: `end${id}`,
      summary: `No longer use a policy for ${words}`,
      tag,
      rule: `identity:delete_policy_association_for_${name}`,
      target,
      reply: { 204: null },
    },
    ({ caller, target: row, params }) => associations.dissociate(caller, row, pathOf(params)),
  );
}
