// Grants of roles: /v3/{projects,domains,system}/.../{users,groups}/.../roles, and their inherited form under /v3/OS-INHERIT

import type { IdentityApp } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import { RoleList, renderRole } from '../roles/index.ts';
import type { GrantContext, Grants } from './grants.rules.ts';

const tag = 'Grants';
const GRANT = 'Granting it twice changes nothing.';
const CHECK = '404 if there is no such grant. Roles through groups, inheritance and implied roles do not count here.';
const REVOKE = 'Tokens that contain the role end.';

interface Params {
  readonly [name: string]: string;
}

const TARGETS: readonly { kind: GrantContext['target']['kind']; path: string; param?: string; name: string }[] = [
  { kind: 'project', path: '/projects/:project_id', param: 'project_id', name: 'Project' },
  { kind: 'domain', path: '/domains/:domain_id', param: 'domain_id', name: 'Domain' },
  { kind: 'system', path: '/system', name: 'System' },
];

const ACTORS = [
  { kind: 'user', path: '/users/:user_id', param: 'user_id', name: 'User' },
  { kind: 'group', path: '/groups/:group_id', param: 'group_id', name: 'Group' },
] as const;

export function mountGrants(app: IdentityApp, { grants }: { grants: Grants }): void {
  function mount(
    list: string,
    one: string,
    contextOf: (params: Params) => GrantContext,
    what: string,
    kind: 'grant' | 'system_grant',
    name: string,
  ): void {
    const target = ({ params }: { params: unknown }) => grants.target(contextOf(params as Params), (params as Params).role_id!);

    app.get(
      list,
      {
        id: `listRolesOf${name}`,
        summary: `List roles of ${what}`,
        tag,
        rule: `identity:list_${kind}s`,
        target: ({ params }) => grants.contextTarget(contextOf(params as Params)),
        reply: { 200: RoleList },
      },
      async (call) => wholeList(call, 'roles', await grants.list(call.target), renderRole),
    );
    app.put(
      one,
      {
        id: `grantRoleTo${name}`,
        summary: `Grant a role to ${what}`,
        description: GRANT,
        tag,
        rule: `identity:create_${kind}`,
        target,
        reply: { 204: null },
      },
      ({ caller, target: request }) => grants.create(caller, request),
    );
    app.get(
      one,
      {
        id: `checkRoleOf${name}`,
        summary: `Check a role of ${what}`,
        description: CHECK,
        tag,
        rule: `identity:check_${kind}`,
        target,
        reply: { 204: null },
      },
      ({ target: request }) => grants.check(request),
    );
    app.delete(
      one,
      {
        id: `revokeRoleOf${name}`,
        summary: `Revoke a role of ${what}`,
        description: REVOKE,
        tag,
        rule: `identity:revoke_${kind}`,
        target,
        reply: { 204: null },
      },
      ({ caller, target: request }) => grants.revoke(caller, request),
    );
  }

  for (const target of TARGETS) {
    for (const actor of ACTORS) {
      const context =
        (inherited: boolean) =>
        (params: Params): GrantContext => ({
          actor: { kind: actor.kind, id: params[actor.param]! },
          target: { kind: target.kind, id: target.param ? params[target.param]! : null },
          inherited,
        });
      const path = `${target.path}${actor.path}/roles`;
      const where = target.kind === 'system' ? 'the system' : `a ${target.kind}`;
      const kind = target.kind === 'system' ? 'system_grant' : 'grant';
      mount(
        `/v3${path}`,
        `/v3${path}/:role_id`,
        context(false),
        `a ${actor.kind} on ${where}`,
        kind,
        `${actor.name}On${target.name}`,
      );
      if (target.kind === 'system') continue;
      const below = `a ${actor.kind} on every project below ${where}`;
      mount(
        `/v3/OS-INHERIT${path}/inherited_to_projects`,
        `/v3/OS-INHERIT${path}/:role_id/inherited_to_projects`,
        context(true),
        below,
        kind,
        `${actor.name}Below${target.name}`,
      );
    }
  }
}
