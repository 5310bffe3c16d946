// /scim/v2/Roles and /Entitlements: what a client can assign to users in `roles` and `entitlements`.

import { factsOnly, type IdentityApp, type IdentityTarget, listFacts, PROVISIONING } from '../../../access/rules/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Resource } from '../core/attribute.ts';
import { matches, parseFilter } from '../core/filter.ts';
import { findAttributePath } from '../core/lookup.ts';
import { type OfferKind, renderOffer } from '../core/offers.ts';
import { listSchema, resourceSchema } from '../core/openapi.ts';
import { project } from '../core/projection.ts';
import { parametersOf, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { sortResources } from '../core/sort.ts';
import { answer, contextOf, listAnswer, pathId, ROOT, type ScimCall, tag } from './answers.ts';
import { LIST_DOCUMENTATION, SHOW_DOCUMENTATION } from './documentation.ts';
import { users } from './operations.ts';

const access = PROVISIONING;
/** Callers who may list the users of the domain may list the offers. */
const { list: rule } = users.rules;

export function mountOffers<T>(app: IdentityApp, modules: { readonly scim: Scim }, kind: OfferKind<T>): void {
  const { type } = kind;
  const path = `${ROOT}${type.endpoint}`;
  const OfferReply = resourceSchema(type);

  async function target(call: ScimCall): Promise<IdentityTarget<T>> {
    const id = pathId(call);
    const offer = (await modules.scim.listOffers(kind, contextOf(call), [id])).find((one) => kind.idOf(one) === id);
    const missing = () => fail(kind.attribute === 'roles' ? 'role.not_found' : 'project.not_found', { id });
    return { facts: listFacts(call.caller), get: () => offer ?? missing() };
  }

  app.get(
    path,
    {
      id: `listScim${type.name}s`,
      summary: `List ${type.name}s`,
      tag,
      access,
      rule,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: LIST_DOCUMENTATION,
      reply: { 200: listSchema(type.name, OfferReply) },
    },
    async (call) => {
      const context = contextOf(call);
      const parameters = parametersOf(call.query);
      const { filter, cursor, startIndex, count, sortBy, descending } = readListRequest(parameters);
      if (cursor !== undefined) fail('scim.invalid_cursor');
      const projection = readProjectionOf(type, parameters);
      const condition = filter === undefined ? undefined : parseFilter(type, filter);
      const all: Resource[] = (await modules.scim.listOffers(kind, context)).map((offer) =>
        renderOffer(kind, offer, context.base),
      );
      const found = condition ? all.filter((resource) => matches(condition, resource)) : all;
      const sorted =
        sortBy && findAttributePath(type, sortBy)
          ? sortResources(type, found, sortBy, descending ? 'descending' : 'ascending')
          : found;
      const page = sorted.slice(startIndex - 1, startIndex - 1 + count);
      const resources = projection ? page.map((resource) => project(type, resource, projection)) : page;
      return listAnswer({ resources, total: found.length }, { startIndex });
    },
  );
  app.get(
    `${path}/:id`,
    {
      id: `getScim${type.name}`,
      summary: `Show ${type.name}`,
      tag,
      access,
      rule,
      target,
      documentation: SHOW_DOCUMENTATION,
      reply: { 200: OfferReply },
    },
    (call) => {
      const projection = readProjectionOf(type, parametersOf(call.query));
      const resource = renderOffer(kind, call.target, contextOf(call).base);
      return answer(200, projection ? project(type, resource, projection) : resource);
    },
  );
}
