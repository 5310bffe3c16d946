// /v3/OS-SCIM: SCIM as Keyrock serves it, over the same core. Only administrators, and 200 where the standard has 201.

import { Answer } from '../../../platform/http/index.ts';
import { domainOfNew, type IdentityApp, PROVISIONING } from '../../access/index.ts';
import { groupType } from '../core/definitions.ts';
import { Message } from '../core/openapi.ts';
import { insistOnRequired } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import { changed, created, listed, REMOVED, SHOWN, updated } from './documentation.ts';
import { checkId, fromKeyrock, KeyrockConfig, keyrockList } from './keyrock.schema.ts';
import { createKeyrockResource, groups, type KeyrockCall, type Kind, organizations, type Place, users } from './resource.ts';
import { mountKeyrockRoles } from './roles.routes.ts';
import { keyrockServiceProviderConfig } from './service-provider.ts';

const tag = 'OS-SCIM';
const access = PROVISIONING;
const rule = 'OS-SCIM:administer';

const PLACES: readonly Place[] = [
  { prefix: '/v3/OS-SCIM/v2', version: '2.0' },
  { prefix: '/v3/OS-SCIM/v1', version: '1.0' },
  { prefix: '/v3/OS-SCIM', version: '1.0' },
];

export function mountKeyrockScim(app: IdentityApp, parts: { scim: Scim } & Parameters<typeof mountKeyrockRoles>[2]): void {
  for (const place of PLACES) {
    const { prefix, version } = place;
    for (const kind of version === '2.0' ? [users, groups, organizations] : [users, groups]) mountKind(app, parts, place, kind);
    mountKeyrockRoles(app, place, parts);
    app.get(
      `${prefix}/ServiceProviderConfigs`,
      {
        summary: 'What this service can do, and how much it holds',
        tag,
        access,
        rule: 'OS-SCIM:discover',
        reply: { 200: KeyrockConfig },
      },
      async () => {
        const { config, census } = parts.scim;
        return new Answer({ text: keyrockServiceProviderConfig(version, config.scimTokenType, await census()) });
      },
    );
  }
}

function mountKind(app: IdentityApp, parts: { readonly scim: Scim }, place: Place, kind: Kind): void {
  const { type, One, noun } = kind;
  const { handler, contextOf, names, list, shown, readChange } = createKeyrockResource(parts, place, kind);
  const path = `${place.prefix}${type.endpoint}`;
  const target = (call: KeyrockCall) => handler().target(contextOf(call), (call.params as { id: string }).id);

  app.get(
    path,
    { summary: `List ${noun}`, tag, access, rule, documentation: listed(type), reply: { 200: keyrockList(One) } },
    list,
  );

  app.post(
    path,
    {
      summary: `Create one of ${noun}`,
      tag,
      access,
      rule,
      body: Message,
      documentation: created(type, One),
      reply: { 200: One },
    },
    async (call) => {
      const { input, extras } = fromKeyrock(type, call.body, names());
      insistOnRequired(type, input);
      if (type !== groupType) checkId(extras.id);
      await parts.scim.checkDomain(extras.domainId);
      const context = contextOf(call);
      const domainId = domainOfNew(call.caller, extras.domainId ?? context.domainId);
      return shown(call, await handler().create(context, domainId, input, extras));
    },
  );

  app.get(
    `${path}/:id`,
    { summary: `Show one of ${noun}`, tag, access, rule, target, documentation: SHOWN, reply: { 200: One } },
    (call) => shown(call, call.target),
  );

  for (const method of ['put', 'patch'] as const) {
    const documentation = method === 'put' ? updated(type, One) : changed(type, One);
    const summary = `${method === 'put' ? 'Update' : 'Change'} one of ${noun}`;
    app[method](
      `${path}/:id`,
      { summary, tag, access, rule, target, body: Message, documentation, reply: { 200: One } },
      async (call) => {
        const { revision, extras } = readChange(call.body, method === 'patch');
        return shown(call, await handler().revise(contextOf(call), call.target, revision, undefined, extras));
      },
    );
  }

  app.delete(
    `${path}/:id`,
    { summary: `Delete one of ${noun}`, tag, access, rule, target, documentation: REMOVED, reply: { 204: null } },
    (call) => handler().remove(contextOf(call), call.target),
  );
}
