// /v3/roles, the roles they imply, and /v3/role_inferences

import type { IdentityApp } from '../../access/rules/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  searchDocumentation,
  single,
  withEtag,
} from '../../ground/resource/index.ts';
import type { ImpliedRoles, Inference, RolePair } from './implied.rules.ts';
import { type Roles, roleSorts } from './roles.rules.ts';
import {
  CreateRole,
  ImpliedRole,
  ImpliedRoles as ImpliedRolesReply,
  RoleEnvelope,
  RoleInferences,
  RoleList,
  renderRole,
  renderRoleRef,
  UpdateRole,
} from './roles.schema.ts';

const tag = 'Roles';

const FILTERS = filterDocumentation(['name'], [], { domain_id: 'Roles of this domain instead of the global ones.' });
const FILTERED = searchDocumentation(FILTERS, 'name', roleSorts);

export function mountRoles(app: IdentityApp, { roles }: { roles: Roles }): void {
  const role = ({ params }: { params: { role_id: string } }) => roles.target(params.role_id);

  app.get(
    '/v3/roles',
    {
      id: 'listRoles',
      summary: 'List roles',
      tag,
      rule: 'identity:list_roles',
      target: ({ query }) => ({ facts: { roleDomainId: single(query, 'domain_id') || null }, get: () => undefined }),
      documentation: FILTERED,
      reply: { 200: RoleList },
    },
    async (call) => listOf(call, 'roles', await roles.list(call.query), renderRole),
  );

  app.post(
    '/v3/roles',
    {
      id: 'createRole',
      summary: 'Create a role',
      tag,
      rule: 'identity:create_role',
      body: CreateRole,
      reply: { 201: RoleEnvelope },
    },
    async ({ caller, body, base }) => ({ role: renderRole(base, await roles.create(caller, body.role)) }),
  );

  app.get(
    '/v3/roles/:role_id',
    {
      id: 'getRole',
      summary: 'Show a role',
      tag,
      rule: 'identity:get_role',
      target: role,
      documentation: ETAG,
      reply: { 200: RoleEnvelope },
    },
    ({ target, base }) => withEtag(target, { role: renderRole(base, target) }),
  );

  app.patch(
    '/v3/roles/:role_id',
    {
      id: 'updateRole',
      summary: 'Change a role',
      tag,
      rule: 'identity:update_role',
      target: role,
      body: UpdateRole,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: RoleEnvelope },
    },
    async (call) => {
      const row = await roles.update(callerIfMatch('role', call), call.target, call.body.role);
      return withEtag(row, { role: renderRole(call.base, row) });
    },
  );

  app.delete(
    '/v3/roles/:role_id',
    {
      id: 'deleteRole',
      summary: 'Delete a role',
      description: 'Its grants end, and tokens that contain it.',
      tag,
      rule: 'identity:delete_role',
      target: role,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => roles.remove(callerIfMatch('role', call), call.target),
  );
}

export function mountImpliedRoles(app: IdentityApp, { implied }: { implied: ImpliedRoles }): void {
  const renderInference = (base: string, { prior, implied: roles }: Inference) => ({
    prior_role: renderRoleRef(base, prior),
    implies: roles.map((role) => renderRoleRef(base, role)),
  });
  const one = '/v3/roles/:prior_role_id/implies/:implied_role_id';
  const pair = ({ params }: { params: { prior_role_id: string; implied_role_id: string } }) =>
    implied.pairTarget(params.prior_role_id, params.implied_role_id);
  const renderImplication = ({ target, base, path }: { target: RolePair; base: string; path: string }) => ({
    role_inference: { prior_role: renderRoleRef(base, target.prior), implies: renderRoleRef(base, target.implied) },
    links: { self: base + path },
  });

  app.get(
    '/v3/roles/:prior_role_id/implies',
    {
      id: 'listImpliedRoles',
      summary: 'List the roles a role implies',
      tag,
      rule: 'identity:list_implied_roles',
      target: ({ params }) => implied.priorTarget(params.prior_role_id),
      reply: { 200: ImpliedRolesReply },
    },
    async ({ target, base, path }) => ({
      role_inference: renderInference(base, await implied.list(target)),
      links: { self: base + path },
    }),
  );

  app.get(
    one,
    {
      id: 'getImpliedRole',
      summary: 'Show an implication',
      tag,
      rule: 'identity:get_implied_role',
      target: pair,
      reply: { 200: ImpliedRole },
    },
    async (call) => {
      await implied.check(call.target);
      return renderImplication(call);
    },
  );

  app.head(
    one,
    {
      id: 'checkImpliedRole',
      summary: 'Check an implication',
      tag,
      rule: 'identity:check_implied_role',
      target: pair,
      reply: { 204: null },
    },
    ({ target }) => implied.check(target),
  );

  app.put(
    one,
    {
      id: 'createImpliedRole',
      summary: 'Make a role imply another',
      description:
        'Whoever has the first has the second, too. Circles are refused, and so is what it implies already; `admin` cannot be implied.',
      tag,
      rule: 'identity:create_implied_role',
      target: pair,
      reply: { 201: ImpliedRole },
    },
    async (call) => {
      await implied.create(call.caller, call.target);
      return renderImplication(call);
    },
  );

  app.delete(
    one,
    {
      id: 'deleteImpliedRole',
      summary: 'Delete an implication',
      tag,
      rule: 'identity:delete_implied_role',
      target: pair,
      reply: { 204: null },
    },
    ({ caller, target }) => implied.remove(caller, target),
  );

  app.get(
    '/v3/role_inferences',
    {
      id: 'listRoleInferences',
      summary: 'List all implications',
      tag,
      rule: 'identity:list_role_inference_rules',
      reply: { 200: RoleInferences },
    },
    async ({ base, path }) => ({
      role_inferences: (await implied.all()).map((inference) => renderInference(base, inference)),
      links: { self: base + path },
    }),
  );
}
