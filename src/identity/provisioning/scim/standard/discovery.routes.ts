// /scim/v2: discovery (RFC 7644, 4).
import {
  exampleOfResource,
  ProtectedResource,
  protectedResource,
  protectedResourcePath,
  t,
} from '../../../../platform/http/index.ts';
import { type IdentityApp, PROVISIONING } from '../../../access/rules/index.ts';
import { SCIM_PATH, SCIM_SCOPE } from '../../../applications/apis/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Resource } from '../core/attribute.ts';
import { entitlementType, resourceTypeResource, roleType, schemaResource } from '../core/definitions.ts';
import { listSchema } from '../core/openapi.ts';
import { answer, listAnswer, pathId, ROOT, tag } from './answers.ts';
import { DISCOVERY_LIST_DOCUMENTATION, SCIM_DOCUMENTATION } from './documentation.ts';
import { kinds } from './operations.ts';
import { serviceProviderConfig } from './service-provider.ts';

const access = PROVISIONING;
const rule = 'SCIM:discover';

export function mountDiscovery(app: IdentityApp): void {
  const types = [...kinds.map(({ type }) => type), roleType, entitlementType];
  const schemas = types.flatMap(({ core, extensions }) => [core, ...extensions]);
  const Documentation = t.open({ schemas: t.array(t.string()) });
  t.name({ ScimDocumentation: Documentation });
  const all = (resources: unknown[]) => listAnswer({ resources, total: resources.length }, { startIndex: 1 });

  app.get(
    protectedResourcePath(SCIM_PATH),
    {
      id: 'getScimResourceMetadata',
      summary: 'Show whose access tokens SCIM takes',
      description: 'RFC 9728. A refusal (401) names this address.',
      tag,
      rule: 'anyone',
      forEveryOrigin: true,
      documentation: exampleOfResource(SCIM_PATH, 'SCIM', [SCIM_SCOPE]),
      reply: { 200: ProtectedResource },
    },
    ({ base }) => protectedResource(base, SCIM_PATH, 'SCIM', [SCIM_SCOPE]),
  );
  app.get(
    `${ROOT}/ServiceProviderConfig`,
    {
      id: 'getScimServiceProviderConfig',
      summary: 'Show the features of the service',
      tag,
      access,
      rule,
      documentation: SCIM_DOCUMENTATION,
      reply: { 200: Documentation },
    },
    ({ base }) => answer(200, serviceProviderConfig(base + ROOT)),
  );
  const describe = <T>(
    name: 'ResourceType' | 'Schema',
    things: readonly T[],
    idOf: (thing: T) => string,
    show: (thing: T, location: string) => Resource,
  ): void => {
    const path = `${name}s` as const;
    const one = (base: string, thing: T) => show(thing, `${base}${ROOT}/${path}/${idOf(thing)}`);
    app.get(
      `${ROOT}/${path}`,
      {
        id: `listScim${path}`,
        summary: `List ${path}`,
        tag,
        access,
        rule,
        documentation: DISCOVERY_LIST_DOCUMENTATION,
        reply: { 200: listSchema('Documentation', Documentation) },
      },
      ({ base, query }) => {
        // RFC 7644, 4: a filter is refused here.
        if (query.filter !== undefined) fail('auth.forbidden', { action: 'filter' });
        return all(things.map((thing) => one(base, thing)));
      },
    );
    app.get(
      `${ROOT}/${path}/:id`,
      {
        id: `getScim${name}`,
        summary: `Show one of ${path}`,
        tag,
        access,
        rule,
        documentation: SCIM_DOCUMENTATION,
        reply: { 200: Documentation },
      },
      (call) => {
        const id = pathId(call).toLowerCase();
        const thing = things.find((candidate) => idOf(candidate).toLowerCase() === id);
        return thing ? answer(200, one(call.base, thing)) : fail('route.not_found');
      },
    );
  };
  describe('ResourceType', types, ({ name }) => name, resourceTypeResource);
  describe('Schema', schemas, ({ id }) => id, schemaResource);
}
