// /v3/OS-SCIM: SCIM as Keyrock serves it, on the same core. Only for administrators; answers 200 where the standard has 201.

import { Answer } from '../../../../platform/http/index.ts';
import { domainOfNew, type IdentityApp, PROVISIONING } from '../../../access/rules/index.ts';
import { groupType } from '../core/definitions.ts';
import { Message } from '../core/openapi.ts';
import { checkRequired } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import {
  createDocumentation,
  DELETE_DOCUMENTATION,
  listDocumentation,
  patchDocumentation,
  SHOW_DOCUMENTATION,
  updateDocumentation,
} from './documentation.ts';
import { checkId, fromKeyrock, KeyrockConfig, keyrockList } from './keyrock.schema.ts';
import {
  createKeyrockResource,
  groups,
  type KeyrockCall,
  type KeyrockKind,
  type KeyrockMountPoint,
  organizations,
  users,
} from './resource.ts';
import { mountKeyrockRoles } from './roles.routes.ts';
import { keyrockServiceProviderConfig } from './service-provider.ts';

const tag = 'OS-SCIM';
const access = PROVISIONING;
const rule = 'OS-SCIM:administer';

const VERSIONS: readonly KeyrockMountPoint[] = [
  { prefix: '/v3/OS-SCIM/v2', name: 'KeyrockV2', version: '2.0' },
  { prefix: '/v3/OS-SCIM/v1', name: 'KeyrockV1', version: '1.0' },
  { prefix: '/v3/OS-SCIM', name: 'Keyrock', version: '1.0' },
];

export function mountKeyrockScim(app: IdentityApp, modules: { scim: Scim } & Parameters<typeof mountKeyrockRoles>[2]): void {
  for (const mountPoint of VERSIONS) {
    const { prefix, name, version } = mountPoint;
    for (const kind of version === '2.0' ? [users, groups, organizations] : [users, groups])
      mountKind(app, modules, mountPoint, kind);
    mountKeyrockRoles(app, mountPoint, modules);
    app.get(
      `${prefix}/ServiceProviderConfigs`,
      {
        id: `list${name}ServiceProviderConfigs`,
        summary: 'Show the features of the service and its totals',
        tag,
        access,
        rule: 'OS-SCIM:discover',
        reply: { 200: KeyrockConfig },
      },
      async () => {
        const { config, totals } = modules.scim;
        return new Answer({ text: keyrockServiceProviderConfig(version, config.scimTokenType, await totals()) });
      },
    );
  }
}

function mountKind(app: IdentityApp, modules: { readonly scim: Scim }, mountPoint: KeyrockMountPoint, kind: KeyrockKind): void {
  const { type, replySchema, singular, plural } = kind;
  const { handler, contextOf, names, list, resourceAnswer, readChange } = createKeyrockResource(modules, mountPoint, kind);
  const path = `${mountPoint.prefix}${type.endpoint}`;
  const name = `${mountPoint.name}${type.name}`;
  const target = (call: KeyrockCall) => handler().target(contextOf(call), (call.params as { id: string }).id);

  app.get(
    path,
    {
      id: `list${name}s`,
      summary: `List ${plural}`,
      tag,
      access,
      rule,
      documentation: listDocumentation(type),
      reply: { 200: keyrockList(type.name, replySchema) },
    },
    list,
  );

  app.post(
    path,
    {
      id: `create${name}`,
      summary: `Create ${singular}`,
      tag,
      access,
      rule,
      body: Message,
      documentation: createDocumentation(type, replySchema),
      reply: { 200: replySchema },
    },
    async (call) => {
      const { input, extras } = fromKeyrock(type, call.body, names());
      checkRequired(type, input);
      if (type !== groupType) checkId(extras.id);
      await modules.scim.checkDomain(extras.domainId);
      const context = contextOf(call);
      const domainId = domainOfNew(call.caller, extras.domainId ?? context.domainId);
      return resourceAnswer(call, await handler().create(context, domainId, input, extras));
    },
  );

  app.get(
    `${path}/:id`,
    {
      id: `get${name}`,
      summary: `Show ${singular}`,
      tag,
      access,
      rule,
      target,
      documentation: SHOW_DOCUMENTATION,
      reply: { 200: replySchema },
    },
    (call) => resourceAnswer(call, call.target),
  );

  for (const method of ['put', 'patch'] as const) {
    const documentation = method === 'put' ? updateDocumentation(type, replySchema) : patchDocumentation(type, replySchema);
    const id = `${method === 'put' ? 'replace' : 'update'}${name}`;
    const summary = `${method === 'put' ? 'Update' : 'Change'} ${singular}`;
    app[method](
      `${path}/:id`,
      { id, summary, tag, access, rule, target, body: Message, documentation, reply: { 200: replySchema } },
      async (call) => {
        const { revision, extras } = readChange(call.body, method === 'patch');
        return resourceAnswer(call, await handler().revise(contextOf(call), call.target, revision, undefined, extras));
      },
    );
  }

  app.delete(
    `${path}/:id`,
    {
      id: `delete${name}`,
      summary: `Delete ${singular}`,
      tag,
      access,
      rule,
      target,
      documentation: DELETE_DOCUMENTATION,
      reply: { 204: null },
    },
    (call) => handler().remove(contextOf(call), call.target),
  );
}
