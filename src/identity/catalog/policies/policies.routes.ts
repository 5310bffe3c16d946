// /v3/policies, and OS-ENDPOINT-POLICY below it and below /v3/endpoints

import { mountNoun } from '../../access/noun/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import { endpoint } from '../services/index.ts';
import { type Policies, policy } from './policy.ts';

const { tag } = policy;

export function mountPolicies(app: IdentityApp, { policies }: { readonly policies: Policies }): void {
  mountNoun(app, policy, policies);
  const one = '/v3/policies/:policy_id';
  const target = ({ params }: { params: { policy_id: string } }) => policies.target(params.policy_id);

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
    async (call) => {
      const endpoints = await policies.endpointsFor(call.target);
      return wholeList(
        call,
        'endpoints',
        endpoints.map((row) => endpoint.render(call.base, row)),
      );
    },
  );
  app.get(
    '/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy',
    {
      id: 'getPolicyOfEndpoint',
      summary: 'Show the policy of an endpoint',
      description: 'Its own, else that of its service in its region or a region above, else that of its service.',
      tag,
      rule: 'identity:get_policy_for_endpoint',
      target: ({ params }: { params: { endpoint_id: string } }) => policies.endpointTarget(params.endpoint_id),
      reply: { 200: policy.schemas.Envelope },
    },
    async ({ target: endpoint, base }) => ({ policy: policy.render(base, await policies.policyFor(endpoint)) }),
  );
  mountAssociations(app, policies);
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

function mountAssociations(app: IdentityApp, policies: Policies): void {
  for (const { path, name, id, words } of ASSOCIATIONS) {
    const whole = `/v3/policies/:policy_id/OS-ENDPOINT-POLICY/${path}` as const;
    const target = ({ params }: { params: { policy_id: string } }) => policies.target(params.policy_id);
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
      ({ caller, target: row, params }) => policies.associate(caller, row, pathOf(params)),
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
      ({ target: row, params }) => policies.check(row, pathOf(params)),
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
      ({ caller, target: row, params }) => policies.dissociate(caller, row, pathOf(params)),
    );
  }
}
