// /scim/v2: SCIM by RFC 7643, 7644 and 9865.

import { type Answer, t } from '../../../../platform/http/index.ts';
import { factsOnly, type IdentityApp, listFacts, PROVISIONING } from '../../../access/rules/index.ts';
import { fail } from '../../../ground/faults.ts';
import { renderResources } from '../core/handler.ts';
import { entitlementOffers, roleOffers } from '../core/offers.ts';
import { listSchema, Message, resourceSchema } from '../core/openapi.ts';
import { type ListParameters, parametersOf, preconditionOf, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { contextOf, listAnswer, patchAnswer, pathId, ROOT, readAnswer, resourceAnswer, type ScimCall, tag } from './answers.ts';
import { type BulkRouteDeps, mountBulk } from './bulk.routes.ts';
import { mountDiscovery } from './discovery.routes.ts';
import {
  createDocumentation,
  DELETE_DOCUMENTATION,
  LIST_DOCUMENTATION,
  PATCH_DOCUMENTATION,
  replaceDocumentation,
  SEARCH_ALL_DOCUMENTATION,
  SEARCH_DOCUMENTATION,
  SHOW_DOCUMENTATION,
} from './documentation.ts';
import { mountMe } from './me.routes.ts';
import { mountOffers } from './offers.routes.ts';
import { kinds, operationsOf, perform, type ResourceKind, type ResourceOperations, users } from './operations.ts';

const access = PROVISIONING;

interface ScimRouteDeps {
  readonly scim: Scim;
}

export function mountScim(app: IdentityApp, modules: BulkRouteDeps): void {
  for (const kind of kinds) {
    const operations = operationsOf(kind, () => modules.scim);
    mountLists(app, modules, kind, operations);
    mountOne(app, modules, kind, operations);
  }
  mountOffers(app, modules, roleOffers);
  mountOffers(app, modules, entitlementOffers);
  mountMe(app, modules);
  mountDiscovery(app);
  mountSearch(app, modules);
  mountBulk(app, modules);
}

/** List, search and create. */
function mountLists(
  app: IdentityApp,
  modules: ScimRouteDeps,
  { type, handlerOf }: ResourceKind,
  { list, create }: ResourceOperations,
): void {
  const { name } = type;
  const path = `${ROOT}${type.endpoint}`;
  const ResourceReply = resourceSchema(type);
  const ListReply = listSchema(name, ResourceReply);

  async function search(call: ScimCall, parameters: ListParameters): Promise<Answer> {
    const data = readListRequest(parameters);
    const projection = readProjectionOf(type, parameters);
    const context = contextOf(call);
    const { rows, total, nextCursor } = await list.handler({ context, target: undefined, data });
    const resources = await renderResources(handlerOf(modules.scim), context, rows, projection);
    return listAnswer({ resources, total, nextCursor }, data);
  }

  app.get(
    path,
    {
      id: `listScim${name}s`,
      summary: `List ${name}s`,
      tag,
      access,
      rule: list.rule,
      target: (call) => list.target(contextOf(call), ''),
      documentation: LIST_DOCUMENTATION,
      reply: { 200: ListReply },
    },
    (call) => search(call, parametersOf(call.query)),
  );
  app.post(
    `${path}/.search`,
    {
      id: `searchScim${name}s`,
      summary: `Search ${name}s`,
      tag,
      access,
      rule: list.rule,
      target: (call) => list.target(contextOf(call), ''),
      onlyReads: true,
      body: Message,
      documentation: SEARCH_DOCUMENTATION,
      reply: { 200: ListReply },
    },
    (call) => search(call, call.body),
  );
  app.post(
    path,
    {
      id: `createScim${name}`,
      summary: `Create ${name}`,
      tag,
      access,
      rule: create.rule,
      target: (call) => create.target(contextOf(call), ''),
      body: Message,
      documentation: createDocumentation(type),
      reply: { 201: ResourceReply },
    },
    async (call) => {
      const row = await create.handler({ context: contextOf(call), target: call.target, data: call.body });
      return resourceAnswer(handlerOf(modules.scim), call, row, 201);
    },
  );
}

/** One resource, by its id. */
function mountOne(
  app: IdentityApp,
  modules: ScimRouteDeps,
  { type, handlerOf }: ResourceKind,
  operations: ResourceOperations,
): void {
  const { name } = type;
  const path = `${ROOT}${type.endpoint}/:id`;
  const ResourceReply = resourceSchema(type);
  const { show, replace, patch, remove } = operations;

  app.get(
    path,
    {
      id: `getScim${name}`,
      summary: `Show ${name}`,
      tag,
      access,
      rule: show.rule,
      target: (call) => show.target(contextOf(call), pathId(call)),
      documentation: SHOW_DOCUMENTATION,
      reply: { 200: ResourceReply, 304: null },
    },
    (call) => readAnswer(handlerOf(modules.scim), call, call.target),
  );
  app.put(
    path,
    {
      id: `replaceScim${name}`,
      summary: `Replace ${name}`,
      tag,
      access,
      rule: replace.rule,
      target: (call) => replace.target(contextOf(call), pathId(call)),
      body: Message,
      documentation: replaceDocumentation(type),
      reply: { 200: ResourceReply },
    },
    async (call) => {
      const expect = preconditionOf(call.headers['if-match']);
      const row = await replace.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return resourceAnswer(handlerOf(modules.scim), call, row, 200);
    },
  );
  app.patch(
    path,
    {
      id: `updateScim${name}`,
      summary: `Change ${name}`,
      tag,
      access,
      rule: patch.rule,
      target: (call) => patch.target(contextOf(call), pathId(call)),
      body: Message,
      documentation: PATCH_DOCUMENTATION,
      reply: { 204: null, 200: ResourceReply },
    },
    async (call) => {
      const expect = preconditionOf(call.headers['if-match']);
      const row = await patch.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return patchAnswer(handlerOf(modules.scim), call, row);
    },
  );
  app.delete(
    path,
    {
      id: `deleteScim${name}`,
      summary: `Delete ${name}`,
      tag,
      access,
      rule: remove.rule,
      target: (call) => remove.target(contextOf(call), pathId(call)),
      documentation: DELETE_DOCUMENTATION,
      reply: { 204: null },
    },
    (call) => {
      const expect = preconditionOf(call.headers['if-match']);
      return remove.handler({ context: contextOf(call), target: call.target, data: undefined, expect });
    },
  );
}

/** Searches all resource types. The caller must be allowed to list each of them. */
function mountSearch(app: IdentityApp, modules: ScimRouteDeps): void {
  app.post(
    `${ROOT}/.search`,
    {
      id: 'searchScim',
      summary: 'Search all resource types',
      description: 'Resource types are searched one after the other.',
      tag,
      access,
      rule: users.rules.list,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      onlyReads: true,
      body: Message,
      documentation: SEARCH_ALL_DOCUMENTATION,
      reply: { 200: listSchema('Resource', t.open({})) },
    },
    async (call) => {
      const first = readListRequest(call.body);
      if (first.cursor !== undefined) fail('scim.invalid_cursor');
      const context = contextOf(call);
      const resources: unknown[] = [];
      let total = 0;
      for (const kind of kinds) {
        const data = {
          ...first,
          startIndex: Math.max(1, first.startIndex - total),
          count: first.count - resources.length,
        };
        const page = await perform(operationsOf(kind, () => modules.scim).list, { context, data });
        const projection = readProjectionOf(kind.type, call.body);
        resources.push(...(await renderResources(kind.handlerOf(modules.scim), context, page.rows, projection)));
        total += page.total ?? 0;
      }
      return listAnswer({ resources, total }, first);
    },
  );
}
