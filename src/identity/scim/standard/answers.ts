// What the routes of /scim/v2 have in common: where a request acts, and what answers look like.
import { Answer, type Call } from '../../../platform/http/index.ts';
import type { Caller } from '../../access/index.ts';
import { type Context, type Handler, shownOf, versionOf } from '../core/handler.ts';
import type { ListRequest } from '../core/list.ts';
import { askedByQuery, isKnown, readProjectionOf } from '../core/requests.ts';
import type { Rows, Table } from '../core/scim.store.ts';
import { SCIM_JSON } from './error-format.ts';

export const ROOT = '/scim/v2';
export const tag = 'SCIM';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type ScimCall = Call<Caller>;

export const pathId = ({ params }: { readonly params: unknown }): string => (params as { id: string }).id;

/** Every caller of this API acts in one domain: that of the connection, or of the token's scope. */
export function contextOf({ caller, base }: Pick<ScimCall, 'caller' | 'base'>): Context & { readonly domainId: string } {
  const { domain, project: organization } = caller.authContext;
  return { caller, base: base + ROOT, domainId: domain?.id ?? organization?.domain.id ?? 'default' };
}

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  new Answer({ status, text: JSON.stringify(body), headers: { 'Content-Type': SCIM_JSON, ...headers } });

interface Page {
  readonly resources: readonly unknown[];
  readonly total: number | undefined;
  readonly nextCursor?: string | undefined;
}

export const listAnswer = (
  { resources, total, nextCursor }: Page,
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

export const locationOf = <T extends Table>({ type }: Handler<T>, { base }: Context, id: string): string =>
  `${base}${type.endpoint}/${id}`;

export async function shown<T extends Table>(
  handler: Handler<T>,
  call: ScimCall,
  row: Rows[T],
  status: 200 | 201,
): Promise<Answer> {
  const context = contextOf(call);
  const projection = readProjectionOf(handler.type, askedByQuery(call.query));
  const [resource] = await shownOf(handler, context, [row], projection);
  const location = locationOf(handler, context, row.id);
  const place = status === 201 ? { Location: location } : { 'Content-Location': location };
  return answer(status, resource, { ETag: versionOf(row), ...place });
}

/** Nothing, when the client has this version. */
export async function read<T extends Table>(handler: Handler<T>, call: ScimCall, row: Rows[T]): Promise<Answer> {
  if (isKnown(call.headers, row)) return new Answer({ status: 304, headers: { ETag: versionOf(row) } });
  return shown(handler, call, row, 200);
}

/** What was changed is shown to those who ask for attributes of it. */
export async function patched<T extends Table>(handler: Handler<T>, call: ScimCall, row: Rows[T]): Promise<Answer> {
  const { attributes, excludedAttributes } = call.query;
  if (attributes !== undefined || excludedAttributes !== undefined) return shown(handler, call, row, 200);
  return new Answer({ status: 204, headers: { ETag: versionOf(row) } });
}
