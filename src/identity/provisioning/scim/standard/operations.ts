// The operations on each resource type: rule, target and handler. Routes and bulk requests use the same table, so a bulk request
// allows nothing that a single request would not.
import { type Action, authorize, domainTarget, factsOnly, type IdentityTarget, listFacts } from '../../../access/rules/index.ts';
import type { NewPerson } from '../../../directory/users/index.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import { groupType, organizationType, userType } from '../core/definitions.ts';
import type { Precondition, ResourceHandler, ScimContext } from '../core/handler.ts';
import type { ListRequest, ScimListPage } from '../core/list.ts';
import { OFFERED_ATTRIBUTES } from '../core/offers.ts';
import { readOperations } from '../core/patch.ts';
import { checkRequired, readResource } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, ScimTable, StoredRows } from '../core/scim.store.ts';

/** A resource type. `handlerOf` is called per request: the routes are also listed without a running service. */
export interface ResourceKind<T extends ScimTable = ScimTable> {
  readonly type: ResourceType;
  readonly handlerOf: (scim: Scim) => ResourceHandler<T>;
  readonly rules: Readonly<Record<'list' | 'create' | 'show' | 'change' | 'remove', Action>>;
}

export const users: ResourceKind<'users'> = {
  type: userType,
  handlerOf: (scim) => scim.users,
  rules: {
    list: 'identity:list_users',
    create: 'identity:create_user',
    show: 'SCIM:get_user',
    change: 'identity:update_user',
    remove: 'identity:delete_user',
  },
};
const groups: ResourceKind<'groups'> = {
  type: groupType,
  handlerOf: (scim) => scim.groups,
  rules: {
    list: 'identity:list_groups',
    create: 'identity:create_group',
    show: 'identity:get_group',
    change: 'identity:update_group',
    remove: 'identity:delete_group',
  },
};
const organizations: ResourceKind<'projects'> = {
  type: organizationType,
  handlerOf: (scim) => scim.organizations,
  rules: {
    list: 'identity:list_projects',
    create: 'identity:create_project',
    show: 'identity:get_project',
    change: 'identity:update_project',
    remove: 'identity:delete_project',
  },
};

/** In the order of the discovery documents. */
export const kinds = [users, groups, organizations] as unknown as readonly ResourceKind[];

/** The caller acts in one domain. */
export type DomainContext = ScimContext & { readonly domainId: string };

/** The input of an operation, from a request or a bulk request. */
export interface OperationRequest<Thing, Data = unknown> {
  readonly context: ScimContext;
  readonly target: Thing;
  /** What the client sends. */
  readonly data: Data;
  readonly expect?: Precondition | undefined;
}

export interface ResourceOperation<Thing, Result, Data = unknown> {
  readonly rule: Action;
  target(context: DomainContext, id: string): IdentityTarget<Thing> | Promise<IdentityTarget<Thing>>;
  handler(request: OperationRequest<Thing, Data>): Promise<Result>;
}

export interface ResourceOperations<T extends ScimTable = ScimTable> {
  readonly list: ResourceOperation<undefined, ScimListPage<T>, ListRequest>;
  /** The target is the domain of the new resource. */
  readonly create: ResourceOperation<string, Rows[T]>;
  readonly show: ResourceOperation<StoredRows[T], Rows[T]>;
  readonly replace: ResourceOperation<StoredRows[T], Rows[T]>;
  readonly patch: ResourceOperation<StoredRows[T], Rows[T]>;
  readonly remove: ResourceOperation<StoredRows[T], void>;
}

function inputOf(type: ResourceType, body: unknown): Resource {
  const input = readResource(type, body);
  checkRequired(type, input);
  return input;
}

/** SCIM treats a missing attribute like an empty list. But users keep their offers unless the client sends an empty list or null. */
function replacementOf(type: ResourceType, body: unknown): Resource {
  const input = inputOf(type, body);
  if (type !== userType) return input;
  const emptied = Object.entries(body as object)
    .filter(([, value]) => value === null || (Array.isArray(value) && value.length === 0))
    .map(([name]) => name.toLowerCase());
  const lists = OFFERED_ATTRIBUTES.filter((attribute) => emptied.includes(attribute));
  return { ...input, ...Object.fromEntries(lists.map((attribute) => [attribute, []])) };
}

export function operationsOf<T extends ScimTable>(
  { type, handlerOf, rules }: ResourceKind<T>,
  scim: () => Scim,
): ResourceOperations<T> {
  const one = (context: ScimContext, id: string) => handlerOf(scim()).target(context, id);
  return {
    list: {
      rule: rules.list,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      handler: ({ context, data }) => scim().list(handlerOf(scim()), context, data),
    },
    create: {
      rule: rules.create,
      target: ({ domainId }) => domainTarget(domainId),
      handler: async ({ context, target, data }) => handlerOf(scim()).create(context, target, inputOf(type, data)),
    },
    show: { rule: rules.show, target: one, handler: async ({ target }) => target },
    replace: {
      rule: rules.change,
      target: one,
      handler: async ({ context, target, data, expect }) =>
        handlerOf(scim()).revise(context, target, { kind: 'replace', input: replacementOf(type, data) }, expect),
    },
    patch: {
      rule: rules.change,
      target: one,
      handler: async ({ context, target, data, expect }) =>
        handlerOf(scim()).revise(context, target, { kind: 'patch', operations: readOperations(data) }, expect),
    },
    remove: {
      rule: rules.remove,
      target: one,
      handler: async ({ context, target, expect }) => handlerOf(scim()).remove(context, target, expect),
    },
  };
}

/** What somebody is created from together with others, after the checks of a single request. Undefined for those who are created alone. */
export async function prepareUser(scim: Scim, context: DomainContext, data: unknown): Promise<NewPerson | undefined> {
  const { rule, target } = operationsOf(users, () => scim).create;
  const { facts, get } = await target(context, '');
  authorize(rule, context.caller, facts);
  get();
  return scim.users.newPerson(inputOf(userType, data));
}

/** Runs an operation of a bulk request like the server runs a single request: checks the rule first, then reads the target. */
export async function perform<Thing, Result, Data>(
  operation: ResourceOperation<Thing, Result, Data>,
  {
    context,
    id = '',
    data,
    expect,
  }: { context: DomainContext; id?: string | undefined; data: Data; expect?: Precondition | undefined },
): Promise<Result> {
  const { facts, get } = await operation.target(context, id);
  authorize(operation.rule, context.caller, facts);
  return operation.handler({ context, target: get(), data, expect });
}
