// /v3/OS-SCIM/v1/Roles: base roles "of a domain" by their name (`domain#name`), as orchestrators of Keyrock use them.

import { Answer, t } from '../../../../platform/http/index.ts';
import { type IdentityApp, PROVISIONING } from '../../../access/rules/index.ts';
import type { Roles } from '../../../directory/roles/index.ts';
import { fail } from '../../../ground/faults.ts';
import { MAX_PAGE, single } from '../../../ground/resource/index.ts';
import type { Scim } from '../core/scim.rules.ts';
import { LIST_ROLES_DOCUMENTATION } from './documentation.ts';
import { KeyrockRole, keyrockList } from './keyrock.schema.ts';
import type { KeyrockMountPoint } from './resource.ts';

const tag = 'OS-SCIM';
const access = PROVISIONING;
const rule = 'OS-SCIM:administer';
const SEPARATOR = '#';

const RoleInput = t.open(
  {},
  { id: t.string(), name: t.string({ minLength: 1, maxLength: 255, pattern: '\\S' }), domain_id: t.nullable(t.string()) },
);

/** The handler requires a name. */
const NewRole = { ...RoleInput, required: ['name'] };
const CREATE_DOCUMENTATION = { body: NewRole };

const nameOf = (name: string, domainId: string | null | undefined): string => (domainId ? domainId + SEPARATOR + name : name);

export function mountKeyrockRoles(
  app: IdentityApp,
  { prefix, name, version }: KeyrockMountPoint,
  modules: { roles: Roles; scim: Scim },
): void {
  const path = `${prefix}/Roles`;
  const { roles } = modules;
  const target = (call: { params: unknown }) => roles.target((call.params as { id: string }).id);
  const schemasNow = (): string[] => [`${modules.scim.config.scimExtension}:${version}`];

  function render({ id, name }: { id: string; name: string }) {
    const at = name.indexOf(SEPARATOR);
    const schemas = schemasNow();
    return at > 0 ? { schemas, id, name: name.slice(at + 1), domain_id: name.slice(0, at) } : { schemas, id, name };
  }

  app.get(
    path,
    {
      id: `list${name}Roles`,
      summary: 'List roles',
      tag,
      access,
      rule,
      documentation: LIST_ROLES_DOCUMENTATION,
      reply: { 200: keyrockList('Role', KeyrockRole as never) },
    },
    async (call) => {
      const domainId = single(call.query, 'domain_id');
      const query = { limit: String(MAX_PAGE), ...(domainId ? { name__startswith: domainId + SEPARATOR } : {}) };
      const { items } = await roles.list(query);
      return {
        schemas: schemasNow(),
        totalResults: items.length,
        itemsPerPage: items.length,
        startIndex: 1,
        Resources: items.map(render),
      };
    },
  );

  app.post(
    path,
    {
      id: `create${name}Role`,
      summary: 'Create a role',
      tag,
      access,
      rule,
      body: RoleInput,
      documentation: CREATE_DOCUMENTATION,
      reply: { 201: KeyrockRole },
    },
    async (call) => {
      const { name, domain_id: domainId } = call.body;
      if (name === undefined) fail('scim.invalid_value', { name: 'name', why: 'it is required' });
      await modules.scim.checkDomain(domainId ?? undefined);
      return render(await roles.create(call.caller, { name: nameOf(name, domainId) }));
    },
  );

  app.get(
    `${path}/:id`,
    { id: `get${name}Role`, summary: 'Show a role', tag, access, rule, target, reply: { 200: KeyrockRole } },
    (call) => render(call.target),
  );

  for (const [method, verb] of [
    ['put', 'replace'],
    ['patch', 'update'],
  ] as const) {
    app[method](
      `${path}/:id`,
      {
        id: `${verb}${name}Role`,
        summary: 'Rename a role',
        tag,
        access,
        rule,
        target,
        body: RoleInput,
        reply: { 200: KeyrockRole },
      },
      async (call) => {
        const { domain_id: current } = render(call.target);
        const { id, name, domain_id: domainId } = call.body;
        if (id !== undefined && id !== call.target.id) fail('resource.id_fixed', { kind: 'role' });
        if (domainId && domainId !== current) fail('resource.domain_fixed');
        return render(await roles.update(call.caller, call.target, name === undefined ? {} : { name: nameOf(name, current) }));
      },
    );
  }

  app.delete(
    `${path}/:id`,
    { id: `delete${name}Role`, summary: 'Delete a role', tag, access, rule, target, reply: { 204: null } },
    async (call) => {
      await roles.remove(call.caller, call.target);
      return new Answer({ status: 204 });
    },
  );
}

t.name({ NewKeyrockRole: NewRole, KeyrockRoleChanges: RoleInput });
