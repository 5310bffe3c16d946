// /scim/v2/Roles and /Entitlements: what a client can give people as `roles` and `entitlements`.

import { factsOnly, type IdentityApp, type IdentityTarget, listFacts, PROVISIONING } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import type { Resource } from '../core/attribute.ts';
import { matches, parseFilter } from '../core/filter.ts';
import { findPlace } from '../core/lookup.ts';
import { type OfferKind, renderOffer } from '../core/offers.ts';
import { listSchema, resourceSchema } from '../core/openapi.ts';
import { project } from '../core/projection.ts';
import { askedByQuery, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import { sortResources } from '../core/sort.ts';
import { answer, contextOf, listAnswer, pathId, ROOT, type ScimCall, tag } from './answers.ts';
import { LISTED, SHOWN } from './documentation.ts';
import { users } from './operations.ts';

const access = PROVISIONING;
/** Whoever may list the people of the domain sees what they can be given. */
const { list: rule } = users.rules;

export function mountOffers<T>(app: IdentityApp, parts: { readonly scim: Scim }, kind: OfferKind<T>): void {
  const { type } = kind;
  const path = `${ROOT}${type.endpoint}`;
  const One = resourceSchema(type);

  async function target(call: ScimCall): Promise<IdentityTarget<T>> {
    const id = pathId(call);
    const offer = (await parts.scim.listOffers(kind, contextOf(call), [id])).find((one) => kind.idOf(one) === id);
    const missing = () => fail(kind.attribute === 'roles' ? 'role.not_found' : 'project.not_found', { id });
    return { facts: listFacts(call.caller), get: () => offer ?? missing() };
  }

  app.get(
    path,
    {
      summary: `List: ${type.name}`,
      tag,
      access,
      rule,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: LISTED,
      reply: { 200: listSchema({ ...One, required: ['schemas', 'id'] }) },
    },
    async (call) => {
      const context = contextOf(call);
      const asked = askedByQuery(call.query);
      const { filter, cursor, startIndex, count, sortBy, descending } = readListRequest(asked);
      if (cursor !== undefined) fail('scim.invalid_cursor');
      const projection = readProjectionOf(type, asked);
      const wanted = filter === undefined ? undefined : parseFilter(type, filter);
      const all: Resource[] = (await parts.scim.listOffers(kind, context)).map((offer) => renderOffer(kind, offer, context.base));
      const found = wanted ? all.filter((resource) => matches(wanted, resource)) : all;
      const sorted =
        sortBy && findPlace(type, sortBy) ? sortResources(type, found, sortBy, descending ? 'descending' : 'ascending') : found;
      const page = sorted.slice(startIndex - 1, startIndex - 1 + count);
      const resources = projection ? page.map((resource) => project(type, resource, projection)) : page;
      return listAnswer({ resources, total: found.length }, { startIndex });
    },
  );
  app.get(
    `${path}/:id`,
    { summary: `Show: ${type.name}`, tag, access, rule, target, documentation: SHOWN, reply: { 200: One } },
    (call) => {
      const projection = readProjectionOf(type, askedByQuery(call.query));
      const resource = renderOffer(kind, call.target, contextOf(call).base);
      return answer(200, projection ? project(type, resource, projection) : resource);
    },
  );
}
