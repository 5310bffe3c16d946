// /v3/roles, the roles they imply, and /v3/role_inferences
import type { App } from '../../platform/http/index.ts';
import type { Caller } from '../caller.ts';
import { filtered, listOf } from '../lists.ts';
import type { ImpliedRoles, Inference } from './implied.rules.ts';
import type { Roles } from './roles.rules.ts';
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

const FILTERED = filtered(['name'], [], { domain_id: 'The roles of this domain, instead of those of none.' });

export function mountRoles(app: App<Caller>, { roles }: { roles: Roles }): void {
  app.get(
    '/v3/roles',
    { summary: 'List roles', tag, policy: 'identity:list_roles', described: FILTERED, reply: { 200: RoleList } },
    async (call) => {
      const page = await roles.list(call.caller, call.query);
      return listOf(call, 'roles', { ...page, items: page.items.map((role) => renderRole(call.base, role)) });
    },
  );

  app.post(
    '/v3/roles',
    { summary: 'Create a role', tag, policy: 'identity:create_role', body: CreateRole, reply: { 201: RoleEnvelope } },
    async ({ caller, body, base }) => ({ role: renderRole(base, await roles.create(caller, body.role)) }),
  );

  app.get(
    '/v3/roles/:role_id',
    { summary: 'Show a role', tag, policy: 'identity:get_role', reply: { 200: RoleEnvelope } },
    async ({ caller, params, base }) => ({ role: renderRole(base, await roles.get(caller, params.role_id)) }),
  );

  app.patch(
    '/v3/roles/:role_id',
    { summary: 'Change a role', tag, policy: 'identity:update_role', body: UpdateRole, reply: { 200: RoleEnvelope } },
    async ({ caller, params, body, base }) => ({ role: renderRole(base, await roles.update(caller, params.role_id, body.role)) }),
  );

  app.delete(
    '/v3/roles/:role_id',
    { summary: 'Delete a role and its grants', tag, policy: 'identity:delete_role', reply: { 204: null } },
    async ({ caller, params }) => roles.remove(caller, params.role_id),
  );
}

export function mountImpliedRoles(app: App<Caller>, { implied }: { implied: ImpliedRoles }): void {
  const rendered = (base: string, { prior, implied: roles }: Inference) => ({
    prior_role: renderRoleRef(base, prior),
    implies: roles.map((role) => renderRoleRef(base, role)),
  });
  const one = '/v3/roles/:prior_role_id/implies/:implied_role_id';

  app.get(
    '/v3/roles/:prior_role_id/implies',
    { summary: 'List the roles a role implies', tag, policy: 'identity:list_implied_roles', reply: { 200: ImpliedRolesReply } },
    async ({ caller, params, base, path }) => ({
      role_inference: rendered(base, await implied.list(caller, params.prior_role_id)),
      links: { self: base + path },
    }),
  );

  app.get(
    one,
    { summary: 'Show an implication', tag, policy: 'identity:get_implied_role', reply: { 200: ImpliedRole } },
    async ({ caller, params, base, path }) => {
      const { prior, implied: role } = await implied.get(caller, params.prior_role_id, params.implied_role_id);
      return {
        role_inference: { prior_role: renderRoleRef(base, prior), implies: renderRoleRef(base, role) },
        links: { self: base + path },
      };
    },
  );

  app.head(
    one,
    { summary: 'Check an implication', tag, policy: 'identity:check_implied_role', reply: { 204: null } },
    async ({ caller, params }) => {
      await implied.get(caller, params.prior_role_id, params.implied_role_id);
    },
  );

  app.put(
    one,
    { summary: 'Make a role imply another', tag, policy: 'identity:create_implied_role', reply: { 201: ImpliedRole } },
    async ({ caller, params, base, path }) => {
      const { prior, implied: role } = await implied.create(caller, params.prior_role_id, params.implied_role_id);
      return {
        role_inference: { prior_role: renderRoleRef(base, prior), implies: renderRoleRef(base, role) },
        links: { self: base + path },
      };
    },
  );

  app.delete(
    one,
    { summary: 'End an implication', tag, policy: 'identity:delete_implied_role', reply: { 204: null } },
    async ({ caller, params }) => implied.remove(caller, params.prior_role_id, params.implied_role_id),
  );

  app.get(
    '/v3/role_inferences',
    { summary: 'List every implication', tag, policy: 'identity:list_role_inference_rules', reply: { 200: RoleInferences } },
    async ({ caller, base, path }) => ({
      role_inferences: (await implied.all(caller)).map((inference) => rendered(base, inference)),
      links: { self: base + path },
    }),
  );
}
