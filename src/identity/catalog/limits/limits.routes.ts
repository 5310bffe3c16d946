// /v3/registered_limits and /v3/limits
import type { IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import type { Limits } from './limits.rules.ts';
import {
  CreatedLimits,
  CreatedRegisteredLimits,
  CreateLimits,
  CreateRegisteredLimits,
  LimitEnvelope,
  LimitList,
  LimitModelEnvelope,
  RegisteredLimitEnvelope,
  RegisteredLimitList,
  renderLimit,
  renderRegisteredLimit,
  UpdateLimit,
  UpdateRegisteredLimit,
} from './limits.schema.ts';

const tag = 'Limits';
const RESOURCE = ['service_id', 'region_id', 'resource_name'] as const;

export function mountLimits(app: IdentityApp, { limits }: { readonly limits: Limits }): void {
  mountRegisteredLimits(app, limits);
  mountProjectLimits(app, limits);
}

function mountRegisteredLimits(app: IdentityApp, limits: Limits): void {
  const one = '/v3/registered_limits/:registered_limit_id';
  const target = ({ params }: { params: { registered_limit_id: string } }) => limits.registeredTarget(params.registered_limit_id);

  app.get(
    '/v3/registered_limits',
    {
      id: 'listRegisteredLimits',
      summary: 'List registered limits',
      tag,
      rule: 'identity:list_registered_limits',
      documentation: filterDocumentation(RESOURCE),
      reply: { 200: RegisteredLimitList },
    },
    async (call) => listOf(call, 'registered_limits', await limits.listRegistered(call.query), renderRegisteredLimit),
  );
  app.post(
    '/v3/registered_limits',
    {
      id: 'createRegisteredLimits',
      summary: 'Register resources with the amount that everybody may use by default',
      description: 'All of them, or none.',
      tag,
      rule: 'identity:create_registered_limits',
      body: CreateRegisteredLimits,
      reply: { 201: CreatedRegisteredLimits },
    },
    async ({ caller, body, base }) => ({
      registered_limits: (await limits.register(caller, body.registered_limits)).map((row) => renderRegisteredLimit(base, row)),
    }),
  );
  app.get(
    one,
    {
      id: 'getRegisteredLimit',
      summary: 'Show a registered limit',
      tag,
      rule: 'identity:get_registered_limit',
      target,
      reply: { 200: RegisteredLimitEnvelope },
    },
    ({ target: row, base }) => ({ registered_limit: renderRegisteredLimit(base, row) }),
  );
  app.patch(
    one,
    {
      id: 'updateRegisteredLimit',
      summary: 'Change a registered limit that no limit refers to',
      tag,
      rule: 'identity:update_registered_limit',
      target,
      body: UpdateRegisteredLimit,
      reply: { 200: RegisteredLimitEnvelope },
    },
    async ({ caller, target: row, body, base }) => ({
      registered_limit: renderRegisteredLimit(base, await limits.updateRegistered(caller, row, body.registered_limit)),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteRegisteredLimit',
      summary: 'Delete a registered limit that no limit refers to',
      tag,
      rule: 'identity:delete_registered_limit',
      target: ({ params }) => limits.unregisterTarget(params.registered_limit_id),
      reply: { 204: null },
    },
    ({ caller, target: row }) => limits.unregister(caller, row),
  );
}

function mountProjectLimits(app: IdentityApp, limits: Limits): void {
  const one = '/v3/limits/:limit_id';
  const target = ({ params }: { params: { limit_id: string } }) => limits.target(params.limit_id);

  app.get(
    '/v3/limits/model',
    {
      id: 'getLimitModel',
      summary: 'Show the enforcement model',
      description: 'Whether limits of projects must fit into those of their domain.',
      tag,
      rule: 'identity:get_limit_model',
      reply: { 200: LimitModelEnvelope },
    },
    () => ({ model: limits.model() }),
  );
  app.get(
    '/v3/limits',
    {
      id: 'listLimits',
      summary: 'List limits',
      description:
        'With a token for a project: those of the project. For a domain: those of the domain and of its projects. For the system: all.',
      tag,
      rule: 'identity:list_limits',
      documentation: filterDocumentation([...RESOURCE, 'project_id', 'domain_id']),
      reply: { 200: LimitList },
    },
    async (call) => listOf(call, 'limits', await limits.list(call.caller, call.query), renderLimit),
  );
  app.post(
    '/v3/limits',
    {
      id: 'createLimits',
      summary: 'Set limits of projects and domains',
      description: 'All of them, or none. Each needs a registered limit of the same service, region and resource.',
      tag,
      rule: 'identity:create_limits',
      body: CreateLimits,
      reply: { 201: CreatedLimits },
    },
    async ({ caller, body, base }) => ({
      limits: (await limits.create(caller, body.limits)).map((limit) => renderLimit(base, limit)),
    }),
  );
  app.get(
    one,
    { id: 'getLimit', summary: 'Show a limit', tag, rule: 'identity:get_limit', target, reply: { 200: LimitEnvelope } },
    ({ target: limit, base }) => ({ limit: renderLimit(base, limit) }),
  );
  app.patch(
    one,
    {
      id: 'updateLimit',
      summary: 'Change a limit',
      tag,
      rule: 'identity:update_limit',
      target,
      body: UpdateLimit,
      reply: { 200: LimitEnvelope },
    },
    async ({ caller, target: limit, body, base }) => ({
      limit: renderLimit(base, await limits.update(caller, limit, body.limit)),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteLimit',
      summary: 'Delete a limit',
      tag,
      rule: 'identity:delete_limit',
      target: ({ params }) => limits.removalTarget(params.limit_id),
      reply: { 204: null },
    },
    ({ caller, target: limit }) => limits.remove(caller, limit),
  );
}
