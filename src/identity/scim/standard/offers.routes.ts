// /scim/v2/Roles and /Entitlements: what a client can give people as `roles` and `entitlements`.

import { Answer, type Call } from '../../../platform/http/index.ts';
import { type Caller, type IdentityApp, PROVISIONING } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import type { Resource } from '../core/attribute.ts';
import { matches, parseFilter } from '../core/filter.ts';
import type { Context } from '../core/handler.ts';
import { findPlace } from '../core/lookup.ts';
import { type OfferKind, renderOffer } from '../core/offers.ts';
import { listSchema, resourceSchema } from '../core/openapi.ts';
import { project } from '../core/projection.ts';
import { askedByQuery, readListRequest, readProjectionOf } from '../core/requests.ts';
import { sortResources } from '../core/sort.ts';
import { LISTED, SHOWN } from './described.ts';
import { SCIM_JSON } from './scim.face.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const tag = 'SCIM';
const access = PROVISIONING;

export function mountOffers<T>(
  app: IdentityApp,
  kind: OfferKind<T>,
  {
    root,
    contextOf,
    list,
  }: {
    readonly root: string;
    contextOf(call: Call<Caller>): Context;
    list(context: Context, ids?: readonly string[]): Promise<readonly T[]>;
  },
): void {
  const { type } = kind;
  const path = `${root}${type.endpoint}`;
  const One = resourceSchema(type);
  const answer = (body: unknown): Answer => new Answer({ text: JSON.stringify(body), headers: { 'Content-Type': SCIM_JSON } });

  app.get(
    path,
    {
      summary: `List: ${type.name}`,
      tag,
      access,
      described: LISTED,
      reply: { 200: listSchema({ ...One, required: ['schemas', 'id'] }) },
    },
    async (call) => {
      const context = contextOf(call);
      const asked = askedByQuery(call.query);
      const { filter, cursor, startIndex, count, sortBy, descending } = readListRequest(asked);
      if (cursor !== undefined) fail('scim.invalid_cursor');
      const projection = readProjectionOf(type, asked);
      const wanted = filter === undefined ? undefined : parseFilter(type, filter);
      const all: Resource[] = (await list(context)).map((offer) => renderOffer(kind, offer, context.base));
      const found = wanted ? all.filter((resource) => matches(wanted, resource)) : all;
      const sorted =
        sortBy && findPlace(type, sortBy) ? sortResources(type, found, sortBy, descending ? 'descending' : 'ascending') : found;
      const page = sorted.slice(startIndex - 1, startIndex - 1 + count);
      return answer({
        schemas: [LIST],
        totalResults: found.length,
        itemsPerPage: page.length,
        startIndex,
        Resources: projection ? page.map((resource) => project(type, resource, projection)) : page,
      });
    },
  );
  app.get(`${path}/:id`, { summary: `Show: ${type.name}`, tag, access, described: SHOWN, reply: { 200: One } }, async (call) => {
    const context = contextOf(call);
    const { id } = call.params as { id: string };
    const offer = (await list(context, [id])).find((one) => kind.idOf(one) === id);
    if (!offer) fail(kind.attribute === 'roles' ? 'role.not_found' : 'project.not_found', { id });
    const projection = readProjectionOf(type, askedByQuery(call.query));
    const resource = renderOffer(kind, offer, context.base);
    return answer(projection ? project(type, resource, projection) : resource);
  });
}
