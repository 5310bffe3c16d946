// /v3/policies, and OS-ENDPOINT-POLICY below it and below /v3/endpoints
import type { IdentityApp } from '../access/index.ts';
import { EndpointList, renderEndpoint } from '../catalog/index.ts';
import { filterDocumentation, listOf, wholeList } from '../resource/index.ts';
import type { Policies } from './policies.rules.ts';
import { CreatePolicy, PolicyEnvelope, PolicyList, renderPolicy, UpdatePolicy } from './policies.schema.ts';

const tag = 'Policies';

export function mountPolicies(app: IdentityApp, { policies }: { readonly policies: Policies }): void {
  const one = '/v3/policies/:policy_id';
  const target = ({ params }: { params: { policy_id: string } }) => policies.target(params.policy_id);

  app.get(
    '/v3/policies',
    {
      summary: 'List policies',
      tag,
      rule: 'identity:list_policies',
      documentation: filterDocumentation(['type']),
      reply: { 200: PolicyList },
    },
    async (call) => {
      const page = await policies.list(call.query);
      return listOf(call, 'policies', { ...page, items: page.items.map((row) => renderPolicy(call.base, row)) });
    },
  );
  app.post(
    '/v3/policies',
    {
      summary: 'Store a policy of a service',
      description: 'It is kept as it is. It has no effect on this service.',
      tag,
      rule: 'identity:create_policy',
      body: CreatePolicy,
      reply: { 201: PolicyEnvelope },
    },
    async ({ caller, body, base }) => ({ policy: renderPolicy(base, await policies.create(caller, body.policy)) }),
  );
  app.get(
    one,
    { summary: 'Show a policy', tag, rule: 'identity:get_policy', target, reply: { 200: PolicyEnvelope } },
    ({ target: row, base }) => ({ policy: renderPolicy(base, row) }),
  );
  app.patch(
    one,
    {
      summary: 'Change a policy',
      tag,
      rule: 'identity:update_policy',
      target,
      body: UpdatePolicy,
      reply: { 200: PolicyEnvelope },
    },
    async ({ caller, target: row, body, base }) => ({
      policy: renderPolicy(base, await policies.update(caller, row, body.policy)),
    }),
  );
  app.delete(
    one,
    {
      summary: 'Delete a policy',
      description: 'Endpoints that it was for have none then, or the next one that is for them.',
      tag,
      rule: 'identity:delete_policy',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => policies.remove(caller, row),
  );

  app.get(
    `${one}/OS-ENDPOINT-POLICY/endpoints`,
    {
      summary: 'List the endpoints that a policy is for',
      tag,
      rule: 'identity:list_endpoints_for_policy',
      target,
      reply: { 200: EndpointList },
    },
    async (call) => {
      const endpoints = await policies.endpointsFor(call.target);
      return wholeList(
        call,
        'endpoints',
        endpoints.map((row) => renderEndpoint(call.base, row)),
      );
    },
  );
  app.get(
    '/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy',
    {
      summary: 'Show the policy of an endpoint',
      description: 'Its own, else that of its service in its region or a region above, else that of its service.',
      tag,
      rule: 'identity:get_policy_for_endpoint',
      target: ({ params }: { params: { endpoint_id: string } }) => policies.endpointTarget(params.endpoint_id),
      reply: { 200: PolicyEnvelope },
    },
    async ({ target: endpoint, base }) => ({ policy: renderPolicy(base, await policies.policyFor(endpoint)) }),
  );
  mountAssociations(app, policies);
}

const ASSOCIATIONS = [
  { path: 'endpoints/:endpoint_id', name: 'endpoint', words: 'an endpoint' },
  { path: 'services/:service_id', name: 'service', words: 'all endpoints of a service' },
  {
    path: 'services/:service_id/regions/:region_id',
    name: 'region_and_service',
    words: 'the endpoints of a service in a region and the regions below it',
  },
] as const;

function mountAssociations(app: IdentityApp, policies: Policies): void {
  for (const { path, name, words } of ASSOCIATIONS) {
    const whole = `/v3/policies/:policy_id/OS-ENDPOINT-POLICY/${path}` as const;
    const target = ({ params }: { params: { policy_id: string } }) => policies.target(params.policy_id);
    const pathOf = ({ policy_id: _, ...rest }: { policy_id: string }) => rest;
    app.put(
      whole,
      {
        summary: `Use a policy for ${words}`,
        description: 'It replaces the policy that was used for exactly this.',
        tag,
        rule: `identity:create_policy_association_for_${name}`,
        target,
        reply: { 204: null },
      },
      ({ caller, target: policy, params }) => policies.associate(caller, policy, pathOf(params)),
    );
    app.get(
      whole,
      {
        summary: `Check that a policy is used for ${words}`,
        tag,
        rule: `identity:check_policy_association_for_${name}`,
        target,
        reply: { 204: null },
      },
      ({ target: policy, params }) => policies.check(policy, pathOf(params)),
    );
    app.delete(
      whole,
      {
        summary: `No longer use a policy for ${words}`,
        tag,
        rule: `identity:delete_policy_association_for_${name}`,
        target,
        reply: { 204: null },
      },
      ({ caller, target: policy, params }) => policies.dissociate(caller, policy, pathOf(params)),
    );
  }
}
