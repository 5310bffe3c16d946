// What can be done with each kind of resource: the rule that decides, what it decides about, and how it is done. Routes and bulk
// operations use the same table, so that nobody may do within a bulk request what they may not do alone.
import { type Action, authorize, domainTarget, factsOnly, type IdentityTarget, listFacts } from '../../access/index.ts';
import type { Resource, ResourceType } from '../core/attribute.ts';
import { groupType, organizationType, userType } from '../core/definitions.ts';
import type { Context, Handler, Precondition } from '../core/handler.ts';
import type { Listed, ListRequest } from '../core/list.ts';
import { OFFERED_ATTRIBUTES } from '../core/offers.ts';
import { readOperations } from '../core/patch.ts';
import { insistOnRequired, readResource } from '../core/resource.schema.ts';
import type { Scim } from '../core/scim.rules.ts';
import type { Rows, Stored, Table } from '../core/scim.store.ts';

/** A kind of resource. Its handler is there when a request comes; the routes are listed without. */
export interface Kind<T extends Table = Table> {
  readonly type: ResourceType;
  readonly of: (scim: Scim) => Handler<T>;
  readonly rules: Readonly<Record<'list' | 'create' | 'show' | 'change' | 'remove', Action>>;
}

export const users: Kind<'users'> = {
  type: userType,
  of: (scim) => scim.users,
  rules: {
    list: 'identity:list_users',
    create: 'identity:create_user',
    show: 'identity:get_user',
    change: 'identity:update_user',
    remove: 'identity:delete_user',
  },
};
const groups: Kind<'groups'> = {
  type: groupType,
  of: (scim) => scim.groups,
  rules: {
    list: 'identity:list_groups',
    create: 'identity:create_group',
    show: 'identity:get_group',
    change: 'identity:update_group',
    remove: 'identity:delete_group',
  },
};
const organizations: Kind<'projects'> = {
  type: organizationType,
  of: (scim) => scim.organizations,
  rules: {
    list: 'identity:list_projects',
    create: 'identity:create_project',
    show: 'identity:get_project',
    change: 'identity:update_project',
    remove: 'identity:delete_project',
  },
};

/** In the order the documents of discovery name them. */
export const kinds = [users, groups, organizations] as unknown as readonly Kind[];

/** The caller acts in one domain. */
export type InDomain = Context & { readonly domainId: string };

/** What is asked of an operation, by a request or within one. */
export interface Asked<Thing, Data = unknown> {
  readonly context: Context;
  readonly target: Thing;
  /** What the client sends. */
  readonly data: Data;
  readonly expect?: Precondition | undefined;
}

export interface Operation<Thing, Result, Data = unknown> {
  readonly rule: Action;
  target(context: InDomain, id: string): IdentityTarget<Thing> | Promise<IdentityTarget<Thing>>;
  handler(asked: Asked<Thing, Data>): Promise<Result>;
}

export interface Operations<T extends Table = Table> {
  readonly list: Operation<undefined, Listed<T>, ListRequest>;
  /** The target is the domain it is made in. */
  readonly create: Operation<string, Rows[T]>;
  readonly show: Operation<Stored[T], Rows[T]>;
  readonly replace: Operation<Stored[T], Rows[T]>;
  readonly patch: Operation<Stored[T], Rows[T]>;
  readonly remove: Operation<Stored[T], void>;
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

export function operationsOf<T extends Table>({ type, of, rules }: Kind<T>, scim: () => Scim): Operations<T> {
  const one = (context: Context, id: string) => of(scim()).target(context, id);
  return {
    list: {
      rule: rules.list,
      target: ({ caller }) => factsOnly(listFacts(caller)),
      handler: ({ context, data }) => scim().list(of(scim()), context, data),
    },
    create: {
      rule: rules.create,
      target: ({ domainId }) => domainTarget(domainId),
      handler: async ({ context, target, data }) => of(scim()).create(context, target, inputOf(type, data)),
    },
    show: { rule: rules.show, target: one, handler: async ({ target }) => target },
    replace: {
      rule: rules.change,
      target: one,
      handler: async ({ context, target, data, expect }) =>
        of(scim()).revise(context, target, { kind: 'replace', input: replacementOf(type, data) }, expect),
    },
    patch: {
      rule: rules.change,
      target: one,
      handler: async ({ context, target, data, expect }) =>
        of(scim()).revise(context, target, { kind: 'patch', operations: readOperations(data) }, expect),
    },
    remove: {
      rule: rules.remove,
      target: one,
      handler: async ({ context, target, expect }) => of(scim()).remove(context, target, expect),
    },
  };
}

/** An operation within a request, as the server does one that is a request of its own: the rule first, then the thing. */
export async function perform<Thing, Result, Data>(
  operation: Operation<Thing, Result, Data>,
  {
    context,
    id = '',
    data,
    expect,
  }: { context: InDomain; id?: string | undefined; data: Data; expect?: Precondition | undefined },
): Promise<Result> {
  const { facts, get } = await operation.target(context, id);
  authorize(operation.rule, context.caller, facts);
  return operation.handler({ context, target: get(), data, expect });
}
