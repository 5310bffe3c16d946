// /scim/v2/Roles: what a client can give people as `roles`.
import { Answer, type App, type Call } from '../../platform/http/index.ts';
import type { OfferedRole } from '../app-roles/index.ts';
import { type Caller, PROVISIONING } from '../caller.ts';
import { fail } from '../faults.ts';
import type { Resource } from './attribute.ts';
import { roleType } from './definitions.ts';
import { matches, parseFilter } from './filter.ts';
import type { Context } from './handler.ts';
import { findPlace } from './lookup.ts';
import { listSchema, resourceSchema } from './openapi.ts';
import { project } from './projection.ts';
import { askedByQuery, readListRequest, readProjectionOf } from './requests.ts';
import { renderRole } from './roles.resource.ts';
import { SCIM_JSON } from './scim.face.ts';
import { sortResources } from './sort.ts';
import { LISTED, SHOWN } from './standard.described.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const tag = 'SCIM';
const access = PROVISIONING;

export function mountRoleList(
  app: App<Caller>,
  {
    path,
    contextOf,
    list,
  }: {
    readonly path: string;
    contextOf(call: Call<Caller>): Context;
    list(context: Context): Promise<OfferedRole[]>;
  },
): void {
  const One = resourceSchema(roleType);
  const answer = (body: unknown): Answer => new Answer({ text: JSON.stringify(body), headers: { 'Content-Type': SCIM_JSON } });

  app.get(
    path,
    {
      summary: 'List: Role',
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
      const projection = readProjectionOf(roleType, asked);
      const wanted = filter === undefined ? undefined : parseFilter(roleType, filter);
      const all: Resource[] = (await list(context)).map((role) => renderRole(role, context.base));
      const found = wanted ? all.filter((role) => matches(wanted, role)) : all;
      const sorted =
        sortBy && findPlace(roleType, sortBy)
          ? sortResources(roleType, found, sortBy, descending ? 'descending' : 'ascending')
          : found;
      const page = sorted.slice(startIndex - 1, startIndex - 1 + count);
      return answer({
        schemas: [LIST],
        totalResults: found.length,
        itemsPerPage: page.length,
        startIndex,
        Resources: projection ? page.map((role) => project(roleType, role, projection)) : page,
      });
    },
  );
  app.get(`${path}/:id`, { summary: 'Show: Role', tag, access, described: SHOWN, reply: { 200: One } }, async (call) => {
    const context = contextOf(call);
    const { id } = call.params as { id: string };
    const role = (await list(context)).find((one) => one.id === id) ?? fail('role.not_found', { id });
    const projection = readProjectionOf(roleType, askedByQuery(call.query));
    const resource = renderRole(role, context.base);
    return answer(projection ? project(roleType, resource, projection) : resource);
  });
}
