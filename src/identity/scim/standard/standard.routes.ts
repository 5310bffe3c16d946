// /scim/v2: SCIM as RFC 7643, 7644 and 9865 have it.

import { Fault } from '../../../platform/faults/index.ts';
import { Answer, type Call, outageOf, t } from '../../../platform/http/index.ts';
import { type Caller, type IdentityApp, PROVISIONING } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import {
  entitlementType,
  groupType,
  organizationType,
  resourceTypeResource,
  roleType,
  schemaResource,
  userType,
} from '../core/definitions.ts';
import { type Context, type Handler, type Revision, textsOf, versionOf } from '../core/handler.ts';
import type { ListRequest } from '../core/list.ts';
import { entitlementOffers, OFFERED_ATTRIBUTES, type OfferKind, roleOffers } from '../core/offers.ts';
import { listSchema, Message, resourceSchema } from '../core/openapi.ts';
import { readOperations } from '../core/patch.ts';
import { type Asked, askedByQuery, expecting, isKnown, readListRequest, readProjectionOf } from '../core/requests.ts';
import { insistOnRequired, readResource } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, Table } from '../core/scim.store.ts';
import { type BulkOperation, readBulk, runBulk, unexpected } from './bulk.ts';
import {
  aliased,
  BULK_DESCRIBED,
  CHANGED,
  created,
  LISTED,
  REMOVED,
  replaced,
  SCIM,
  SEARCHED,
  SEARCHED_ALL,
  SHOWN,
  WHOLE,
} from './described.ts';
import { mountOffers } from './offers.routes.ts';
import { SCIM_JSON } from './scim.face.ts';
import { BULK, serviceProviderConfig } from './service-provider.ts';

const ROOT = '/scim/v2';
const tag = 'SCIM';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const access = PROVISIONING;

const JSON_HEADERS = { 'Content-Type': SCIM_JSON };

type ScimCall = Call<Caller>;
type Row = Rows[Table];

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  new Answer({ status, text: JSON.stringify(body), headers: { 'Content-Type': SCIM_JSON, ...headers } });

const pathId = ({ params }: ScimCall): string => (params as { id: string }).id;

/** Every caller of this face acts in one domain: that of the connection, or of the token's scope. */
function contextOf({ caller, base }: Pick<ScimCall, 'caller' | 'base'>): Context {
  const { domain, project: organization } = caller.view;
  return { caller, base: base + ROOT, domainId: domain?.id ?? organization?.domain.id ?? 'default' };
}

interface Shown {
  readonly texts: readonly string[];
  readonly total: number | undefined;
  readonly nextCursor?: string | undefined;
}

/** Written as text: the resources are text already. */
function listAnswer({ texts, total, nextCursor }: Shown, { cursor, startIndex }: ListRequest): Answer {
  const totalResults = total === undefined ? '' : `"totalResults":${total},`;
  const place = cursor === undefined ? `"startIndex":${startIndex},` : '';
  const next = nextCursor === undefined ? '' : `"nextCursor":${JSON.stringify(nextCursor)},`;
  const head = `{"schemas":["${LIST}"],${totalResults}"itemsPerPage":${texts.length},${place}${next}"Resources":[`;
  return new Answer({ text: `${head}${texts.join(',')}]}`, headers: JSON_HEADERS });
}

function inputOf(type: ResourceType, body: unknown): Resource {
  const input = readResource(type, body);
  insistOnRequired(type, input);
  return input;
}

/** Nothing is the same as an empty list to SCIM, but nobody loses what can be given because a client does not speak of it. */
function replacementOf(type: ResourceType, body: unknown): Resource {
  const input = inputOf(type, body);
  if (type !== userType) return input;
  const emptied = Object.entries(body as object)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name.toLowerCase());
  const lists = OFFERED_ATTRIBUTES.filter((attribute) => emptied.includes(attribute));
  return { ...input, ...Object.fromEntries(lists.map((attribute) => [attribute, []])) };
}

/** A kind of resource. Its handler is there when a request comes; the routes are listed without. */
interface Kind<T extends Table> {
  readonly type: ResourceType;
  readonly of: (scim: Scim) => Handler<T>;
}

/** In the order the documents of discovery name them. */
const kinds: readonly Kind<Table>[] = [
  { type: userType, of: (scim) => scim.users as Handler },
  { type: groupType, of: (scim) => scim.groups as Handler },
  { type: organizationType, of: (scim) => scim.organizations as Handler },
];

/** What the path of a bulk operation leads to: a kind of resource, or one of them. */
function targetOf({ path }: BulkOperation): { kind: Kind<Table> | undefined; id: string | undefined } {
  const [, endpoint, id] = /^\/(\w+)(?:\/([^/?]+))?$/.exec(path) ?? [];
  return { kind: kinds.find(({ type }) => type.endpoint === `/${endpoint}`), id };
}

export function mountScim(app: IdentityApp, parts: { readonly scim: Scim }): void {
  async function shown<T extends Table>(handler: Handler<T>, call: ScimCall, row: Rows[T], status: number): Promise<Answer> {
    const context = contextOf(call);
    const projection = readProjectionOf(handler.type, askedByQuery(call.query));
    const [text] = await textsOf(handler, context, [row], projection);
    const location = `${context.base}${handler.type.endpoint}/${row.id}`;
    const place = status === 201 ? { Location: location } : { 'Content-Location': location };
    return new Answer({ status, text: text!, headers: { ...JSON_HEADERS, ETag: versionOf(row), ...place } });
  }

  async function read<T extends Table>(handler: Handler<T>, call: ScimCall, row: Rows[T]): Promise<Answer> {
    if (isKnown(call.headers, row)) return new Answer({ status: 304, headers: { ETag: versionOf(row) } });
    return shown(handler, call, row, 200);
  }

  async function replace<T extends Table>(handler: Handler<T>, call: ScimCall, id: string): Promise<Answer> {
    const revision: Revision = { kind: 'replace', input: replacementOf(handler.type, call.body) };
    return shown(handler, call, await handler.revise(contextOf(call), id, revision, expecting(call.headers['if-match'])), 200);
  }

  async function patch<T extends Table>(handler: Handler<T>, call: ScimCall, id: string): Promise<Answer> {
    const revision: Revision = { kind: 'patch', operations: readOperations(call.body) };
    const row = await handler.revise(contextOf(call), id, revision, expecting(call.headers['if-match']));
    const { attributes, excludedAttributes } = call.query;
    if (attributes !== undefined || excludedAttributes !== undefined) return shown(handler, call, row, 200);
    return new Answer({ status: 204, headers: { ETag: versionOf(row) } });
  }

  async function search<T extends Table>(handler: Handler<T>, call: ScimCall, asked: Asked): Promise<Answer> {
    const request = readListRequest(asked);
    const projection = readProjectionOf(handler.type, asked);
    const context = contextOf(call);
    const { rows, total, nextCursor } = await parts.scim.list(handler, context, request);
    return listAnswer({ texts: await textsOf(handler, context, rows, projection), total, nextCursor }, request);
  }

  function mountKind<T extends Table>({ type, of }: Kind<T>): void {
    const { name, endpoint } = type;
    const handler = (): Handler<T> => of(parts.scim);
    const path = `${ROOT}${endpoint}`;
    const One = resourceSchema(type);
    // Any part of a resource can be asked for.
    const Some = listSchema({ ...One, required: ['schemas', 'id'] });
    app.get(path, { summary: `List: ${name}`, tag, access, described: LISTED, reply: { 200: Some } }, (call) =>
      search(handler(), call, askedByQuery(call.query)),
    );
    app.post(
      `${path}/.search`,
      { summary: `Search: ${name}`, tag, access, asks: true, body: Message, described: SEARCHED, reply: { 200: Some } },
      (call) => search(handler(), call, call.body),
    );
    app.post(
      path,
      { summary: `Create: ${name}`, tag, access, body: Message, described: created(type), reply: { 201: One } },
      async (call) => shown(handler(), call, await handler().create(contextOf(call), inputOf(type, call.body)), 201),
    );
    app.get(
      `${path}/:id`,
      { summary: `Show: ${name}`, tag, access, described: SHOWN, reply: { 200: One, 304: null } },
      async (call) => read(handler(), call, await handler().find(contextOf(call), pathId(call))),
    );
    app.put(
      `${path}/:id`,
      { summary: `Replace: ${name}`, tag, access, body: Message, described: replaced(type), reply: { 200: One } },
      (call) => replace(handler(), call, pathId(call)),
    );
    app.patch(
      `${path}/:id`,
      { summary: `Change: ${name}`, tag, access, body: Message, described: CHANGED, reply: { 204: null, 200: One } },
      (call) => patch(handler(), call, pathId(call)),
    );
    app.delete(
      `${path}/:id`,
      { summary: `Delete: ${name}`, tag, access, described: REMOVED, reply: { 204: null } },
      async (call) => handler().remove(contextOf(call), pathId(call), expecting(call.headers['if-match'])),
    );
  }
  for (const kind of kinds) mountKind(kind);

  const mountList = <T>(kind: OfferKind<T>): void =>
    mountOffers(app, kind, { root: ROOT, contextOf, list: (context, ids) => parts.scim.listOffers(kind, context, ids) });
  mountList(roleOffers);
  mountList(entitlementOffers);
  mountMe(app, () => parts.scim.users, { read, replace, patch });
  mountDiscovery(app);

  const Anything = listSchema(t.open({}));
  app.post(
    `${ROOT}/.search`,
    { summary: 'Search all kinds', tag, access, asks: true, body: Message, described: SEARCHED_ALL, reply: { 200: Anything } },
    async (call) => {
      const first = readListRequest(call.body);
      if (first.cursor !== undefined) fail('scim.invalid_cursor');
      const context = contextOf(call);
      const texts: string[] = [];
      let total = 0;
      for (const { type, of } of kinds) {
        const handler = of(parts.scim);
        const request = {
          ...first,
          startIndex: Math.max(1, first.startIndex - total),
          count: first.count - texts.length,
        };
        const page = await parts.scim.list(handler, context, request);
        texts.push(...(await textsOf(handler, context, page.rows, readProjectionOf(type, call.body))));
        total += page.total ?? 0;
      }
      return listAnswer({ texts, total }, first);
    },
  );

  async function perform(call: ScimCall, operation: BulkOperation) {
    const { method, data, version } = operation;
    const { kind, id } = targetOf(operation);
    if (!kind || (method === 'POST') !== (id === undefined))
      fail('scim.invalid_path', { path: operation.path.slice(0, 100), why: 'it leads to no resource' });
    const handler = kind.of(parts.scim);
    const context = contextOf(call);
    const done = (row: Row, status: number) => ({
      id: row.id,
      status,
      location: `${context.base}${handler.type.endpoint}/${row.id}`,
      version: versionOf(row),
    });
    if (method === 'POST') return done(await handler.create(context, inputOf(handler.type, data)), 201);
    if (method === 'DELETE') {
      await handler.remove(context, id!, expecting(version));
      return { status: 204, location: `${context.base}${handler.type.endpoint}/${id}` };
    }
    const revision: Revision =
      method === 'PUT'
        ? { kind: 'replace', input: replacementOf(handler.type, data) }
        : { kind: 'patch', operations: readOperations(data) };
    return done(await handler.revise(context, id!, revision, expecting(version)), 200);
  }

  const BulkReply = t.object({ schemas: t.array(t.string()), Operations: t.array(t.open({ status: t.string() })) });
  app.post(
    `${ROOT}/Bulk`,
    {
      summary: 'Many operations',
      tag,
      access,
      body: Message,
      bodyLimit: BULK.maxPayloadSize,
      described: BULK_DESCRIBED,
      reply: { 200: BulkReply },
    },
    async (call) => {
      const toFault = (err: unknown): Fault => {
        if (err instanceof Fault) return err;
        parts.scim.log.error({ request_id: call.requestId, err }, 'bulk operation failed');
        return outageOf(err) ?? unexpected();
      };
      const locate = (operation: BulkOperation): string | undefined => {
        const { kind, id } = targetOf(operation);
        return kind && id !== undefined && operation.method !== 'POST' ? `${contextOf(call).base}${operation.path}` : undefined;
      };
      const work = { perform: (operation: BulkOperation) => perform(call, operation), locate, toFault };
      return answer(200, await runBulk(readBulk(call.body), work));
    },
  );
}

/** `/Me` is the user who asks (RFC 7644, 3.11); what they may change of themselves is for the policy to say. */
function mountMe(
  app: IdentityApp,
  me: () => Handler<'users'>,
  as: {
    read(handler: Handler<'users'>, call: ScimCall, row: Rows['users']): Promise<Answer>;
    replace(handler: Handler<'users'>, call: ScimCall, id: string): Promise<Answer>;
    patch(handler: Handler<'users'>, call: ScimCall, id: string): Promise<Answer>;
  },
): void {
  const Me = resourceSchema(userType);
  /** In every answer of an alias, Location is where the resource itself is. */
  const located = async (call: ScimCall, answer: Promise<Answer>): Promise<Answer> => {
    const { status = 200, headers, text } = await answer;
    const Location = `${contextOf(call).base}${userType.endpoint}/${call.caller.userId}`;
    return new Answer({ status, headers: { ...headers, Location }, ...(text === undefined ? {} : { text }) });
  };
  app.get(
    `${ROOT}/Me`,
    { summary: 'Show the caller', tag, access, described: aliased(SHOWN), reply: { 200: Me, 304: null } },
    async (call) => {
      const row = await me().find({ ...contextOf(call), domainId: undefined }, call.caller.userId);
      return located(call, as.read(me(), call, row));
    },
  );
  app.put(
    `${ROOT}/Me`,
    { summary: 'Replace the caller', tag, access, body: Message, described: aliased(replaced(userType)), reply: { 200: Me } },
    (call) => located(call, as.replace(me(), call, call.caller.userId)),
  );
  app.patch(
    `${ROOT}/Me`,
    { summary: 'Change the caller', tag, access, body: Message, described: aliased(CHANGED), reply: { 204: null, 200: Me } },
    (call) => located(call, as.patch(me(), call, call.caller.userId)),
  );
}

/** What is mounted, in SCIM's own words (RFC 7644, 4). */
function mountDiscovery(app: IdentityApp): void {
  const types = [...kinds.map(({ type }) => type), roleType, entitlementType];
  const schemas = types.flatMap(({ core, extensions }) => [core, ...extensions]);
  const Described = t.open({ schemas: t.array(t.string()) });
  const all = (items: unknown[]) =>
    answer(200, { schemas: [LIST], totalResults: items.length, itemsPerPage: items.length, startIndex: 1, Resources: items });

  app.get(
    `${ROOT}/ServiceProviderConfig`,
    { summary: 'What this service can do', tag, access, described: SCIM, reply: { 200: Described } },
    ({ base }) => answer(200, serviceProviderConfig(base + ROOT)),
  );
  const describe = <T>(
    path: 'ResourceTypes' | 'Schemas',
    things: readonly T[],
    idOf: (thing: T) => string,
    show: (thing: T, location: string) => Resource,
  ): void => {
    const one = (base: string, thing: T) => show(thing, `${base}${ROOT}/${path}/${idOf(thing)}`);
    app.get(
      `${ROOT}/${path}`,
      { summary: path, tag, access, described: WHOLE, reply: { 200: listSchema(Described) } },
      ({ base, query }) => {
        // RFC 7644, 4: a filter here is refused, so that nobody takes a part for the whole.
        if (query.filter !== undefined) fail('auth.forbidden', { action: 'filter' });
        return all(things.map((thing) => one(base, thing)));
      },
    );
    app.get(
      `${ROOT}/${path}/:id`,
      { summary: `One of ${path}`, tag, access, described: SCIM, reply: { 200: Described } },
      (call) => {
        const wanted = pathId(call).toLowerCase();
        const thing = things.find((candidate) => idOf(candidate).toLowerCase() === wanted);
        return thing ? answer(200, one(call.base, thing)) : fail('route.not_found');
      },
    );
  };
  describe('ResourceTypes', types, ({ name }) => name, resourceTypeResource);
  describe('Schemas', schemas, ({ id }) => id, schemaResource);
}
