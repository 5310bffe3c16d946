// /v3/OS-SCIM: SCIM as Keyrock serves it, over the same core. Only administrators, and 200 where the standard has 201.

import { Answer, type Call, type Query, type t } from '../../../platform/http/index.ts';
import { type Caller, type IdentityApp, PROVISIONING, visibleDomain } from '../../access/index.ts';
import { readFlag, single } from '../../resource/index.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import { groupType, organizationType, userType } from '../core/definitions.ts';
import type { Condition } from '../core/filter-to-sql.ts';
import type { Context, Extras, Handler, Revision } from '../core/handler.ts';
import { Message } from '../core/openapi.ts';
import { readOperations } from '../core/patch.ts';
import { project } from '../core/projection.ts';
import { askedByQuery, MAX_COUNT, onlyAdministrators, readListRequest, readProjectionOf } from '../core/requests.ts';
import { insistOnRequired } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, Table } from '../core/scim.store.ts';
import { changed, created, listed, REMOVED, SHOWN, updated } from './described.ts';
import {
  checkId,
  emptiedIn,
  fromKeyrock,
  fromKeyrockOperations,
  KeyrockConfig,
  KeyrockGroup,
  KeyrockOrganization,
  KeyrockUser,
  keyrockList,
  keyrockTypeOf,
  type Names,
  schemasOf,
  toKeyrock,
  type Version,
} from './keyrock.schema.ts';
import { mountKeyrockRoles } from './roles.routes.ts';
import { keyrockServiceProviderConfig } from './service-provider.ts';

const tag = 'OS-SCIM';
const access = PROVISIONING;
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

type KeyrockCall = Call<Caller>;

const pathId = ({ params }: KeyrockCall): string => (params as { id: string }).id;

/** Keyrock's equality filters beside `filter`. */
function keyrockCriteria(query: Query, table: Table): Condition | undefined {
  const name = single(query, 'name');
  // A group is neither open nor closed.
  const enabled = table === 'groups' ? undefined : readFlag(query, 'enabled');
  const parts: Condition[] = [
    ...(name === undefined ? [] : [{ kind: 'column', column: 'name', comparison: '=', value: name } as const]),
    ...(enabled === undefined ? [] : [{ kind: 'column', column: 'enabled', comparison: '=', value: enabled ? 1 : 0 } as const]),
  ];
  return parts.length > 0 ? { kind: 'and', parts } : undefined;
}

/** A domain's administrator sees that domain, others all or the one they ask for. */
function domainOf({ caller, query }: KeyrockCall): string | undefined {
  return visibleDomain(caller) ?? single(query, 'domain_id');
}

/** A kind of resource. Its handler is there when a request comes; the routes are listed without. */
interface Kind<T extends Table> {
  readonly type: ResourceType;
  readonly of: (scim: Scim) => Handler<T>;
  readonly One: ReturnType<typeof t.open>;
  readonly noun: string;
}

const users: Kind<Table> = {
  type: userType,
  of: (scim) => scim.registeredUsers as Handler,
  One: KeyrockUser,
  noun: 'the users',
};
const groups: Kind<Table> = { type: groupType, of: (scim) => scim.groups as Handler, One: KeyrockGroup, noun: 'the groups' };
const organizations: Kind<Table> = {
  type: organizationType,
  of: (scim) => scim.organizations as Handler,
  One: KeyrockOrganization,
  noun: 'the organizations',
};

export function mountKeyrockScim(app: IdentityApp, parts: { scim: Scim } & Parameters<typeof mountKeyrockRoles>[2]): void {
  function mountKind<T extends Table>(prefix: string, version: Version, { type, of, One, noun }: Kind<T>): void {
    const handler = (): Handler<T> => of(parts.scim);
    const names = (): Names => ({ version, extension: parts.scim.config.scimExtension });
    const path = `${prefix}${type.endpoint}`;
    const contextOf = (call: KeyrockCall): Context => ({
      caller: call.caller,
      base: call.base + prefix,
      domainId: domainOf(call),
    });

    const keyrockType = (): ResourceType => keyrockTypeOf(type, names());

    /** The handler, by the names of this face. */
    function dressed(): Handler<T> {
      const inner = handler();
      return {
        ...inner,
        type: keyrockType(),
        async render(context, rows, wants) {
          const resources = await inner.render(context, rows, (key) => wants(key === 'isDefault' ? 'is_default' : key));
          return resources.map((resource, at) => toKeyrock(resource, rows[at]!, names()));
        },
      };
    }

    async function shownRows(call: KeyrockCall, rows: readonly Rows[T][]): Promise<Resource[]> {
      const projection = readProjectionOf(keyrockType(), askedByQuery(call.query));
      // Users of this face do not show their groups.
      const wants = (key: string): boolean => key !== 'groups' && (projection?.wants(key) ?? true);
      const resources = await dressed().render(contextOf(call), rows, wants);
      return projection ? resources.map((resource) => project(keyrockType(), resource, projection)) : resources;
    }

    async function shown(call: KeyrockCall, row: Rows[T]): Promise<Answer> {
      const [resource] = await shownRows(call, [row]);
      return new Answer({ text: JSON.stringify(resource) });
    }

    function readChange(body: Readonly<Record<string, unknown>>, mayBePatch: boolean): { revision: Revision; extras: Extras } {
      if (!mayBePatch || !Array.isArray(body.Operations)) {
        const { input, extras } = fromKeyrock(type, body, names());
        return { revision: { kind: 'merge', input: { ...emptiedIn(type, body), ...input } }, extras };
      }
      const sent = readOperations({ schemas: [PATCH_OP], Operations: body.Operations });
      const { operations, extras } = fromKeyrockOperations(sent, names());
      return { revision: { kind: 'patch', operations }, extras };
    }

    app.get(
      path,
      { summary: `List ${noun}`, tag, access, described: listed(type), reply: { 200: keyrockList(One) } },
      async (call) => {
        onlyAdministrators(call);
        // Pages by cursor came with the standard face.
        const asked = { ...askedByQuery(call.query), cursor: undefined };
        const request = { ...readListRequest(asked, MAX_COUNT), also: keyrockCriteria(call.query, handler().table) };
        const { rows, total = 0 } = await parts.scim.list(dressed(), contextOf(call), request);
        const resources = await shownRows(call, rows);
        return new Answer({
          text: JSON.stringify({
            schemas: schemasOf(names()),
            totalResults: total,
            itemsPerPage: resources.length,
            startIndex: request.startIndex,
            Resources: resources,
          }),
        });
      },
    );

    app.post(
      path,
      { summary: `Create one of ${noun}`, tag, access, body: Message, described: created(type, One), reply: { 200: One } },
      async (call) => {
        onlyAdministrators(call);
        const { input, extras } = fromKeyrock(type, call.body, names());
        insistOnRequired(type, input);
        if (type !== groupType) checkId(extras.id);
        await parts.scim.checkDomain(extras.domainId);
        return shown(
          call,
          await handler().create(contextOf(call), input, { ...extras, domainId: extras.domainId ?? visibleDomain(call.caller) }),
        );
      },
    );

    app.get(
      `${path}/:id`,
      { summary: `Show one of ${noun}`, tag, access, described: SHOWN, reply: { 200: One } },
      async (call) => {
        onlyAdministrators(call);
        return shown(call, await handler().find(contextOf(call), pathId(call)));
      },
    );

    for (const method of ['put', 'patch'] as const) {
      const described = method === 'put' ? updated(type, One) : changed(type, One);
      const summary = `${method === 'put' ? 'Update' : 'Change'} one of ${noun}`;
      app[method](`${path}/:id`, { summary, tag, access, body: Message, described, reply: { 200: One } }, async (call) => {
        onlyAdministrators(call);
        const { revision, extras } = readChange(call.body, method === 'patch');
        return shown(call, await handler().revise(contextOf(call), pathId(call), revision, undefined, extras));
      });
    }

    app.delete(
      `${path}/:id`,
      { summary: `Delete one of ${noun}`, tag, access, described: REMOVED, reply: { 204: null } },
      async (call) => {
        onlyAdministrators(call);
        await handler().remove(contextOf(call), pathId(call));
      },
    );
  }

  for (const [prefix, version] of [
    ['/v3/OS-SCIM/v2', '2.0'],
    ['/v3/OS-SCIM/v1', '1.0'],
    ['/v3/OS-SCIM', '1.0'],
  ] as const) {
    for (const kind of version === '2.0' ? [users, groups, organizations] : [users, groups]) mountKind(prefix, version, kind);
    mountKeyrockRoles(app, { prefix, version }, parts);
    app.get(
      `${prefix}/ServiceProviderConfigs`,
      { summary: 'What this service can do, and how much it holds', tag, access, reply: { 200: KeyrockConfig } },
      async () => {
        const { config, census } = parts.scim;
        return new Answer({ text: keyrockServiceProviderConfig(version, config.scimTokenType, await census()) });
      },
    );
  }
}
