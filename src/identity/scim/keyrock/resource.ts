// One kind of resource by the names of /v3/OS-SCIM: what requests say and answers show, over the handler of the core.
import { Answer, type Call, type Query, type t } from '../../../platform/http/index.ts';
import { type Caller, visibleDomain } from '../../access/index.ts';
import { readFlag, single } from '../../resource/index.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import { groupType, organizationType, userType } from '../core/definitions.ts';
import type { Condition } from '../core/filter-to-sql.ts';
import type { Context, Extras, Handler, Revision } from '../core/handler.ts';
import { readOperations } from '../core/patch.ts';
import { project } from '../core/projection.ts';
import { askedByQuery, MAX_COUNT, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, Table } from '../core/scim.store.ts';
import {
  emptiedIn,
  fromKeyrock,
  fromKeyrockOperations,
  KeyrockGroup,
  KeyrockOrganization,
  KeyrockUser,
  keyrockTypeOf,
  type Names,
  schemasOf,
  toKeyrock,
  type Version,
} from './keyrock.schema.ts';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export type KeyrockCall = Call<Caller>;

/** Where a version of the API is. */
export interface Place {
  readonly prefix: string;
  readonly version: Version;
}

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
export interface Kind<T extends Table = Table> {
  readonly type: ResourceType;
  readonly of: (scim: Scim) => Handler<T>;
  readonly One: ReturnType<typeof t.open>;
  readonly noun: string;
}

export const users: Kind = {
  type: userType,
  of: (scim) => scim.registeredUsers as Handler,
  One: KeyrockUser,
  noun: 'the users',
};
export const groups: Kind = { type: groupType, of: (scim) => scim.groups as Handler, One: KeyrockGroup, noun: 'the groups' };
export const organizations: Kind = {
  type: organizationType,
  of: (scim) => scim.organizations as Handler,
  One: KeyrockOrganization,
  noun: 'the organizations',
};

export function createKeyrockResource<T extends Table>(
  parts: { readonly scim: Scim },
  { prefix, version }: Place,
  { type, of }: Kind<T>,
) {
  const handler = (): Handler<T> => of(parts.scim);
  const names = (): Names => ({ version, extension: parts.scim.config.scimExtension });
  const contextOf = (call: KeyrockCall): Context => ({ caller: call.caller, base: call.base + prefix, domainId: domainOf(call) });
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
    // Users of this API do not show their groups.
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

  async function list(call: KeyrockCall): Promise<Answer> {
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
  }

  return { handler, contextOf, names, list, shown, readChange };
}
