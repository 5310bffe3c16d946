// A resource type in the format of /v3/OS-SCIM, on the handler of the core.
import { Answer, type Call, type Query, type t } from '../../../../platform/http/index.ts';
import { type Caller, visibleDomain } from '../../../access/rules/index.ts';
import { readFlag, single } from '../../../ground/resource/index.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import { groupType, organizationType, userType } from '../core/definitions.ts';
import type { ScimSqlCondition } from '../core/filter-to-sql.ts';
import type { Extras, ResourceHandler, Revision, ScimContext } from '../core/handler.ts';
import { readOperations } from '../core/patch.ts';
import { project } from '../core/projection.ts';
import { MAX_COUNT, parametersOf, readListRequest, readProjectionOf } from '../core/requests.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, ScimTable } from '../core/scim.store.ts';
import {
  clearedAttributes,
  fromKeyrock,
  fromKeyrockOperations,
  KeyrockGroup,
  KeyrockOrganization,
  type KeyrockSchemaNames,
  KeyrockUser,
  type KeyrockVersion,
  keyrockTypeOf,
  schemasOf,
  toKeyrock,
} from './keyrock.schema.ts';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export type KeyrockCall = Call<Caller>;

/** The path prefix of an API version. */
export interface KeyrockMountPoint {
  readonly prefix: string;
  /** In ids of operations. */
  readonly name: string;
  readonly version: KeyrockVersion;
}

/** Keyrock's own query filters, in addition to `filter`. */
function keyrockCriteria(query: Query, table: ScimTable): ScimSqlCondition | undefined {
  const name = single(query, 'name');
  // Groups cannot be disabled.
  const enabled = table === 'groups' ? undefined : readFlag(query, 'enabled');
  const parts: ScimSqlCondition[] = [
    ...(name === undefined ? [] : [{ kind: 'column', column: 'name', comparison: '=', value: name } as const]),
    ...(enabled === undefined ? [] : [{ kind: 'column', column: 'enabled', comparison: '=', value: enabled ? 1 : 0 } as const]),
  ];
  return parts.length > 0 ? { kind: 'and', parts } : undefined;
}

/** An administrator of a domain sees that domain; others see all, or the one they request. */
function domainOf({ caller, query }: KeyrockCall): string | undefined {
  return visibleDomain(caller) ?? single(query, 'domain_id');
}

/** A resource type. `handlerOf` is called per request: the routes are also listed without a running service. */
export interface KeyrockKind<T extends ScimTable = ScimTable> {
  readonly type: ResourceType;
  readonly handlerOf: (scim: Scim) => ResourceHandler<T>;
  readonly replySchema: ReturnType<typeof t.open>;
  /** For summaries: `a user`, `users`. */
  readonly singular: string;
  readonly plural: string;
}

export const users: KeyrockKind = {
  type: userType,
  handlerOf: (scim) => scim.keyrockUsers as ResourceHandler,
  replySchema: KeyrockUser,
  singular: 'a user',
  plural: 'users',
};
export const groups: KeyrockKind = {
  type: groupType,
  handlerOf: (scim) => scim.groups as ResourceHandler,
  replySchema: KeyrockGroup,
  singular: 'a group',
  plural: 'groups',
};
export const organizations: KeyrockKind = {
  type: organizationType,
  handlerOf: (scim) => scim.organizations as ResourceHandler,
  replySchema: KeyrockOrganization,
  singular: 'an organization',
  plural: 'organizations',
};

export function createKeyrockResource<T extends ScimTable>(
  modules: { readonly scim: Scim },
  { prefix, version }: KeyrockMountPoint,
  { type, handlerOf }: KeyrockKind<T>,
) {
  const handler = (): ResourceHandler<T> => handlerOf(modules.scim);
  const names = (): KeyrockSchemaNames => ({ version, extension: modules.scim.config.scimExtension });
  const contextOf = (call: KeyrockCall): ScimContext => ({
    caller: call.caller,
    base: call.base + prefix,
    domainId: domainOf(call),
  });
  const keyrockType = (): ResourceType => keyrockTypeOf(type, names());

  /** The handler of the core, with the names of this API. */
  function keyrockHandler(): ResourceHandler<T> {
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

  async function renderRows(call: KeyrockCall, rows: readonly Rows[T][]): Promise<Resource[]> {
    const projection = readProjectionOf(keyrockType(), parametersOf(call.query));
    // This API does not return the groups of users.
    const wants = (key: string): boolean => key !== 'groups' && (projection?.wants(key) ?? true);
    const resources = await keyrockHandler().render(contextOf(call), rows, wants);
    return projection ? resources.map((resource) => project(keyrockType(), resource, projection)) : resources;
  }

  async function resourceAnswer(call: KeyrockCall, row: Rows[T]): Promise<Answer> {
    const [resource] = await renderRows(call, [row]);
    return new Answer({ text: JSON.stringify(resource) });
  }

  function readChange(body: Readonly<Record<string, unknown>>, mayBePatch: boolean): { revision: Revision; extras: Extras } {
    if (!mayBePatch || !Array.isArray(body.Operations)) {
      const { input, extras } = fromKeyrock(type, body, names());
      return { revision: { kind: 'merge', input: { ...clearedAttributes(type, body), ...input } }, extras };
    }
    const sent = readOperations({ schemas: [PATCH_OP], Operations: body.Operations });
    const { operations, extras } = fromKeyrockOperations(sent, names());
    return { revision: { kind: 'patch', operations }, extras };
  }

  async function list(call: KeyrockCall): Promise<Answer> {
    // Only the standard API supports cursors.
    const parameters = { ...parametersOf(call.query), cursor: undefined };
    const request = { ...readListRequest(parameters, MAX_COUNT), extraCondition: keyrockCriteria(call.query, handler().table) };
    const { rows, total = 0 } = await modules.scim.list(keyrockHandler(), contextOf(call), request);
    const resources = await renderRows(call, rows);
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

  return { handler, contextOf, names, list, resourceAnswer, readChange };
}
