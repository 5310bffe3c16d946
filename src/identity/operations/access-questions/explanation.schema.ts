// The JSON of explanations.
import { t } from '../../../platform/http/index.ts';
import { Links } from '../../ground/resource/index.ts';

/** Without a name where the caller may not see it. */
export interface NamedReference {
  readonly id: string;
  readonly name?: string;
}

export type ScopeName =
  | { readonly system: { readonly all: true } }
  | { readonly domain: NamedReference }
  | { readonly project: NamedReference };

export type Step =
  /** The user is a member of the group. */
  | { readonly kind: 'group'; readonly group: NamedReference }
  /** A role was granted on a scope; `inherited`: for the projects below it. */
  | { readonly kind: 'grant'; readonly role: NamedReference; readonly scope: ScopeName; readonly inherited: boolean }
  | { readonly kind: 'implied'; readonly role: NamedReference; readonly by: NamedReference }
  /** The user is a member of the organization, or it is the default one of the user. */
  | { readonly kind: 'organization'; readonly organization: NamedReference; readonly default: boolean }
  /** A role of the application was assigned to the user in the organization. */
  | { readonly kind: 'assignment'; readonly role: NamedReference; readonly organization: NamedReference }
  | { readonly kind: 'permission'; readonly role: NamedReference; readonly permission: PermissionName };

export interface PermissionName extends NamedReference {
  readonly action: string | null;
  readonly resource: string | null;
}

export interface Path {
  readonly role: NamedReference;
  readonly steps: readonly Step[];
}

export interface Missing {
  readonly kind: string;
  readonly role?: NamedReference;
  readonly scope?: ScopeName;
  readonly inherited?: boolean;
  readonly organization?: NamedReference;
  readonly roles?: readonly NamedReference[];
}

const NamedSchema = t.object({ id: t.string() }, { name: t.string() });
const ScopeSchema = t.object(
  {},
  { system: t.object({ all: t.boolean() }), domain: NamedSchema, project: NamedSchema, application: NamedSchema },
);
const StepSchema = t.object(
  { kind: t.oneOf('group', 'grant', 'implied', 'organization', 'assignment', 'permission') },
  {
    group: NamedSchema,
    role: NamedSchema,
    by: NamedSchema,
    scope: ScopeSchema,
    inherited: t.boolean(),
    organization: NamedSchema,
    default: t.boolean(),
    permission: t.object(
      { id: t.string(), action: t.nullable(t.string()), resource: t.nullable(t.string()) },
      { name: t.string() },
    ),
  },
);
const MissingSchema = t.object(
  {
    kind: t.oneOf(
      'user_missing',
      'user_disabled',
      'domain_of_user_disabled',
      'user_inactive',
      'user_not_usable',
      'scope_missing',
      'scope_disabled',
      'domain_of_scope_disabled',
      'no_role',
      'role_not_held',
      'domain_role',
      'held_elsewhere',
      'provider_may_not_give',
      'not_a_member',
      'organization_disabled',
      'permission_not_in_roles',
      'roles_with_permission',
    ),
  },
  { role: NamedSchema, scope: ScopeSchema, inherited: t.boolean(), organization: NamedSchema, roles: t.array(NamedSchema) },
);

const reader = { id: 'd4a1', name: 'reader' };
const example = {
  allowed: true,
  user: { id: '1f42', name: 'ann', domain: { id: 'default', name: 'Default' } },
  scope: { project: { id: '77b0', name: 'Library' } },
  roles: [reader],
  paths: [
    {
      role: reader,
      steps: [
        { kind: 'group', group: { id: '52c0', name: 'staff' } },
        {
          kind: 'grant',
          role: { id: '9b13', name: 'member' },
          scope: { domain: { id: 'default', name: 'Default' } },
          inherited: true,
        },
        { kind: 'implied', role: reader, by: { id: '9b13', name: 'member' } },
      ],
    },
  ],
  more_paths: false,
  missing: [],
  sign_in_needs: ['second_factor'],
};

const Explanation = t.object(
  {
    allowed: t.boolean(),
    /** Of a user whom the caller may not see: the id alone. */
    user: t.object({ id: t.string() }, { name: t.string(), domain: NamedSchema }),
    scope: ScopeSchema,
    roles: t.array(NamedSchema),
    paths: t.array(t.object({ role: NamedSchema, steps: t.array(StepSchema) })),
    more_paths: t.boolean(),
    missing: t.array(MissingSchema),
    links: Links,
  },
  { sign_in_needs: t.array(t.oneOf('second_factor', 'passkey')) },
  { examples: [{ ...example, links: { self: 'http://localhost:5000/v3/users/1f42/OS-ACCESS/explanation' } }] },
);
export const ExplanationEnvelope = t.envelope('explanation', Explanation);

t.name({
  ExplainedName: NamedSchema,
  ExplainedScope: ScopeSchema,
  ExplanationStep: StepSchema,
  MissingStep: MissingSchema,
  Explanation,
  ExplanationEnvelope,
});
