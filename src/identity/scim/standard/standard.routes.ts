// /scim/v2: SCIM as RFC 7643, 7644 and 9865 have it.

import { type Answer, t } from '../../../platform/http/index.ts';
import { factsOnly, type IdentityApp, listFacts, PROVISIONING } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import { shownOf } from '../core/handler.ts';
import { entitlementOffers, roleOffers } from '../core/offers.ts';
import { listSchema, Message, resourceSchema } from '../core/openapi.ts';
import { type Asked, askedByQuery, expecting, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { contextOf, listAnswer, patched, pathId, ROOT, read, type ScimCall, shown, tag } from './answers.ts';
import { mountBulk } from './bulk.routes.ts';
import { mountDiscovery } from './discovery.routes.ts';
import { CHANGED, created, LISTED, REMOVED, replaced, SEARCHED, SEARCHED_ALL, SHOWN } from './documentation.ts';
import { mountMe } from './me.routes.ts';
import { mountOffers } from './offers.routes.ts';
import { type Kind, kinds, type Operations, operationsOf, perform, users } from './operations.ts';

const access = PROVISIONING;

interface Parts {
  readonly scim: Scim;
}

export function mountScim(app: IdentityApp, parts: Parts): void {
  for (const kind of kinds) {
    const operations = operationsOf(kind, () => parts.scim);
    mountLists(app, parts, kind, operations);
    mountOne(app, parts, kind, operations);
  }
  mountOffers(app, parts, roleOffers);
  mountOffers(app, parts, entitlementOffers);
  mountMe(app, parts);
  mountDiscovery(app);
  mountSearch(app, parts);
  mountBulk(app, parts);
}

/** Lists, and what comes onto them. */
function mountLists(app: IdentityApp, parts: Parts, { type, of }: Kind, { list, create }: Operations): void {
  const { name } = type;
  const path = `${ROOT}${type.endpoint}`;
  const One = resourceSchema(type);
  // Any part of a resource can be asked for.
  const Some = listSchema({ ...One, required: ['schemas', 'id'] });

  async function search(call: ScimCall, asked: Asked): Promise<Answer> {
    const data = readListRequest(asked);
    const projection = readProjectionOf(type, asked);
    const context = contextOf(call);
    const { rows, total, nextCursor } = await list.handler({ context, target: undefined, data });
    const resources = await shownOf(of(parts.scim), context, rows, projection);
    return listAnswer({ resources, total, nextCursor }, data);
  }

  app.get(
    path,
    {
      summary: `List: ${name}`,
      tag,
      access,
      rule: list.rule,
      target: (call) => list.target(contextOf(call), ''),
      documentation: LISTED,
      reply: { 200: Some },
    },
    (call) => search(call, askedByQuery(call.query)),
  );
  app.post(
    `${path}/.search`,
    {
      summary: `Search: ${name}`,
      tag,
      access,
      rule: list.rule,
      target: (call) => list.target(contextOf(call), ''),
      onlyReads: true,
      body: Message,
      documentation: SEARCHED,
      reply: { 200: Some },
    },
    (call) => search(call, call.body),
  );
  app.post(
    path,
    {
      summary: `Create: ${name}`,
      tag,
      access,
      rule: create.rule,
      target: (call) => create.target(contextOf(call), ''),
      body: Message,
      documentation: created(type),
      reply: { 201: One },
    },
    async (call) => {
      const row = await create.handler({ context: contextOf(call), target: call.target, data: call.body });
      return shown(of(parts.scim), call, row, 201);
    },
  );
}

/** One resource, by its id. */
function mountOne(app: IdentityApp, parts: Parts, { type, of }: Kind, operations: Operations): void {
  const { name } = type;
  const path = `${ROOT}${type.endpoint}/:id`;
  const One = resourceSchema(type);
  const { show, replace, patch, remove } = operations;

  app.get(
    path,
    {
      summary: `Show: ${name}`,
      tag,
      access,
      rule: show.rule,
      target: (call) => show.target(contextOf(call), pathId(call)),
      documentation: SHOWN,
      reply: { 200: One, 304: null },
    },
    (call) => read(of(parts.scim), call, call.target),
  );
  app.put(
    path,
    {
      summary: `Replace: ${name}`,
      tag,
      access,
      rule: replace.rule,
      target: (call) => replace.target(contextOf(call), pathId(call)),
      body: Message,
      documentation: replaced(type),
      reply: { 200: One },
    },
    async (call) => {
      const expect = expecting(call.headers['if-match']);
      const row = await replace.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return shown(of(parts.scim), call, row, 200);
    },
  );
  app.patch(
    path,
    {
      summary: `Change: ${name}`,
      tag,
      access,
      rule: patch.rule,
      target: (call) => patch.target(contextOf(call), pathId(call)),
      body: Message,
      documentation: CHANGED,
      reply: { 204: null, 200: One },
    },
    async (call) => {
      const expect = expecting(call.headers['if-match']);
      const row = await patch.handler({ context: contextOf(call), target: call.target, data: call.body, expect });
      return patched(of(parts.scim), call, row);
    },
  );
  app.delete(
    path,
    {
      summary: `Delete: ${name}`,
      tag,
      access,
      rule: remove.rule,
      target: (call) => remove.target(contextOf(call), pathId(call)),
      documentation: REMOVED,
      reply: { 204: null },
    },
    (call) => {
      const expect = expecting(call.headers['if-match']);
      return remove.handler({ context: contextOf(call), target: call.target, data: undefined, expect });
    },
  );
}

/** All kinds at once, by those who may list each of them. */
function mountSearch(app: IdentityApp, parts: Parts): void {
  app.post(
    `${ROOT}/.search`,
    {
      summary: 'Search all kinds',
      tag,
      access,
      rule: users.rules.list,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      onlyReads: true,
      body: Message,
      documentation: SEARCHED_ALL,
      reply: { 200: listSchema(t.open({})) },
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
        const page = await perform(operationsOf(kind, () => parts.scim).list, { context, data });
        const projection = readProjectionOf(kind.type, call.body);
        resources.push(...(await shownOf(kind.of(parts.scim), context, page.rows, projection)));
        total += page.total ?? 0;
      }
      return listAnswer({ resources, total }, first);
    },
  );
}
