// Shared by the routes of /scim/v2: the context of a request, and the format of replies.
import { Answer, type Call } from '../../../../platform/http/index.ts';
import { DEFAULT_DOMAIN } from '../../../access/context/index.ts';
import type { Caller } from '../../../access/rules/index.ts';
import { type ResourceHandler, renderResources, type ScimContext, versionOf } from '../core/handler.ts';
import type { ListRequest } from '../core/list.ts';
import { isNotModified, parametersOf, readProjectionOf } from '../core/requests.ts';
import type { Rows, ScimTable } from '../core/scim.store.ts';
import { SCIM_JSON } from './error-format.ts';

export const ROOT = '/scim/v2';
export const tag = 'SCIM';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type ScimCall = Call<Caller>;

export const pathId = ({ params }: { readonly params: unknown }): string => (params as { id: string }).id;

/** A caller acts in one domain: that of the connection, or of the token's scope. */
export function contextOf({ caller, base }: Pick<ScimCall, 'caller' | 'base'>): ScimContext & { readonly domainId: string } {
  const { domain, project: organization } = caller.authContext;
  return { caller, base: base + ROOT, domainId: domain?.id ?? organization?.domain.id ?? DEFAULT_DOMAIN };
}

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  new Answer({ status, text: JSON.stringify(body), headers: { 'Content-Type': SCIM_JSON, ...headers } });

interface ResourcePage {
  readonly resources: readonly unknown[];
  readonly total: number | undefined;
  readonly nextCursor?: string | undefined;
}

export const listAnswer = (
  { resources, total, nextCursor }: ResourcePage,
  { cursor, startIndex }: Pick<ListRequest, 'cursor' | 'startIndex'>,
): Answer =>
  answer(200, {
    schemas: [LIST],
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex: cursor === undefined ? startIndex : undefined,
    nextCursor,
    Resources: resources,
  });

export const locationOf = <T extends ScimTable>({ type }: ResourceHandler<T>, { base }: ScimContext, id: string): string =>
  `${base}${type.endpoint}/${id}`;

export async function resourceAnswer<T extends ScimTable>(
  handler: ResourceHandler<T>,
  call: ScimCall,
  row: Rows[T],
  status: 200 | 201,
): Promise<Answer> {
  const context = contextOf(call);
  const projection = readProjectionOf(handler.type, parametersOf(call.query));
  const [resource] = await renderResources(handler, context, [row], projection);
  const location = locationOf(handler, context, row.id);
  const locationHeader = status === 201 ? { Location: location } : { 'Content-Location': location };
  return answer(status, resource, { ETag: versionOf(row), ...locationHeader });
}

/** 304 when the client already has this version. */
export async function readAnswer<T extends ScimTable>(
  handler: ResourceHandler<T>,
  call: ScimCall,
  row: Rows[T],
): Promise<Answer> {
  if (isNotModified(call.headers, row)) return new Answer({ status: 304, headers: { ETag: versionOf(row) } });
  return resourceAnswer(handler, call, row, 200);
}

/** The changed resource if the request has a projection, otherwise 204. */
export async function patchAnswer<T extends ScimTable>(
  handler: ResourceHandler<T>,
  call: ScimCall,
  row: Rows[T],
): Promise<Answer> {
  const { attributes, excludedAttributes } = call.query;
  if (attributes !== undefined || excludedAttributes !== undefined) return resourceAnswer(handler, call, row, 200);
  return new Answer({ status: 204, headers: { ETag: versionOf(row) } });
}
