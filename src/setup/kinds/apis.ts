// APIs with their scopes, which applications may ask for.
import { t } from '../../platform/http/index.ts';
import type { Body } from '../client.ts';
import type { Json } from '../model.ts';
import type { State } from '../state.ts';
import { textOf } from '../state.ts';
import { type Field, type KindDefinition, ruleOf } from './kind.ts';
import { AnyName, nullableText, quote } from './shared.ts';

const APIS = '/v3/OS-OAUTH2/apis';

interface RoleOfApplication {
  readonly application: string;
  readonly name: string;
}
interface Scope<Role> {
  readonly name: string;
  readonly description: string;
  readonly roles?: readonly Role[] | null;
}

const RoleReference = t.object(
  { application: AnyName, name: AnyName },
  {},
  { description: 'A role of the application of the API.' },
);
const ScopeEntry = t.object(
  {
    name: t.string({ minLength: 1, maxLength: 100 }),
    description: t.string({ minLength: 1, maxLength: 200, description: 'What people are told when an application asks for it.' }),
  },
  { roles: t.array(RoleReference, { minItems: 1, maxItems: 50, description: 'Only people with one of these roles get it.' }) },
);

const applicationOf = (state: State, id: string): string | undefined => {
  const name = state.keyOf('application', id)?.[0];
  return name === undefined ? undefined : String(name);
};

/** Roles that were deleted meanwhile give the scope to nobody: they are not written. */
function rolesOf(state: State, ids: readonly string[]): Json[] {
  const keys = ids.map((id) => state.keyOf('application_role', id)).filter((key) => key !== undefined);
  return keys.map(([application, name]) => ({ application: String(application), name: String(name) }));
}

const scopes: Field = {
  schema: t.array(ScopeEntry, { maxItems: 50 }),
  initial: [],
  read: (body, state) =>
    (body.scopes as readonly Scope<string>[]).map(({ name, description, roles }) => ({
      name,
      description,
      ...(roles ? { roles: rolesOf(state, roles) } : {}),
    })),
  send: (said, { ids }) =>
    (said as unknown as readonly Scope<RoleOfApplication>[]).map(({ roles, ...scope }) => ({
      ...scope,
      ...(roles ? { roles: roles.map(({ application, name }) => ids('application_role', [application, name])) } : {}),
    })),
};

const application: Field = {
  schema: t.nullable(AnyName),
  api: 'application_id',
  initial: null,
  read: ({ application_id: id }: Body, state) => (id === null ? null : applicationOf(state, String(id))),
  send: (name, { ids }) => (name === null ? null : ids('application', [String(name)])),
};

const applications: Field = {
  schema: t.nullable(t.array(AnyName, { maxItems: 200, description: 'Who may ask for tokens; null: all applications.' })),
  initial: [],
  isSet: true,
  read: (body, state) => (body.applications as readonly string[] | null)?.flatMap((id) => applicationOf(state, id) ?? []) ?? null,
  send: (names, { ids }) => (names as readonly string[] | null)?.map((name) => ids('application', [name])) ?? null,
};

interface ExchangeRule {
  readonly application: string;
  readonly subject_scope: string;
  readonly scope: string;
}
const ScopeName = t.string({ minLength: 1, maxLength: 100 });

const exchanges: Field = {
  schema: t.array(t.object({ application: AnyName, subject_scope: ScopeName, scope: ScopeName }), {
    maxItems: 200,
    description: 'Which applications may exchange the token of a person that has subject_scope for one of this API with scope.',
  }),
  initial: [],
  read: (body, state) =>
    (body.exchanges as readonly Body[]).flatMap(({ application_id: id, subject_scope, scope }) => {
      const name = applicationOf(state, String(id));
      return name === undefined ? [] : [{ application: name, subject_scope: String(subject_scope), scope: String(scope) }];
    }),
  send: (said, { ids }) =>
    (said as unknown as readonly ExchangeRule[]).map(({ application: name, ...rule }) => ({
      application_id: ids('application', [name]),
      ...rule,
    })),
};

interface ApiEntry {
  readonly identifier: string;
  readonly application?: string | null;
  readonly applications?: readonly string[] | null;
  readonly scopes?: readonly Scope<RoleOfApplication>[];
  readonly exchanges?: readonly ExchangeRule[];
}

export const api: KindDefinition = {
  label: ([identifier]) => `API ${quote(identifier)}`,
  required: {
    identifier: t.string({
      minLength: 1,
      maxLength: 255,
      description: 'The audience of its tokens. Another one is another API.',
    }),
  },
  fields: {
    name: { schema: AnyName, isRequired: true },
    description: nullableText,
    application,
    applications,
    token_format: { schema: t.oneOf('jwt', 'opaque'), initial: 'jwt' },
    token_lifetime: { schema: t.nullable(t.integer({ minimum: 60, maximum: 86_400 })), initial: null },
    scopes,
    exchanges,
  },
  keyOf({ identifier, application: own, applications: listed, scopes: all, exchanges: rules }: ApiEntry, _above, { refer }) {
    if (typeof own === 'string') refer('application', [own], 'application');
    for (const [at, name] of (listed ?? []).entries()) refer('application', [name], 'applications', at);
    for (const [at, { roles }] of (all ?? []).entries())
      for (const [index, role] of (roles ?? []).entries())
        refer('application_role', [role.application, role.name], 'scopes', at, 'roles', index);
    for (const [at, { application: name }] of (rules ?? []).entries())
      refer('application', [name], 'exchanges', at, 'application');
    return [identifier];
  },
  entryOf: ([identifier]) => ({ identifier }),
  collection: APIS,
  needs: ['application', 'application_role'],
  async read(state) {
    for (const body of await state.list(APIS)) state.add('api', [textOf(body, 'identifier')], body);
  },
  body: ([identifier]) => ({ identifier }),
  rule: ruleOf('identity:*_api'),
};
