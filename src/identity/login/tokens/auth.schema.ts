// Wire format of POST /v3/auth/tokens: the identity by one or more methods, and the requested scope.
import { type Static, t } from '../../../platform/http/index.ts';
import { fail } from '../../ground/faults.ts';

const Text = t.string({ minLength: 1, maxLength: 255 });
const DomainRef = t.open({}, { id: Text, name: Text });

const userRef = { id: Text, name: Text, domain: DomainRef };
const Code = t.string({ minLength: 1, maxLength: 64 });

/** A second factor can be sent with the password: a code, a remembered device, or a recovery code. */
const PasswordUserSchema = t.open(
  { password: t.string({ maxLength: 4096 }) },
  { ...userRef, verification_code: Code, device_data: t.open({ device_id: Text, device_token: Text }), recovery_code: Code },
);
const TotpUser = t.open({ passcode: Code }, userRef);

export const Auth = t.envelope(
  'auth',
  t.open(
    {
      identity: t.open(
        { methods: t.array(t.string({ maxLength: 64 }), { minItems: 1, maxItems: 8 }) },
        {
          password: t.open({ user: PasswordUserSchema }),
          totp: t.open({ user: TotpUser }),
          token: t.open({ id: t.string({ minLength: 1, maxLength: 1024 }) }),
          application_credential: t.open(
            { secret: t.string({ maxLength: 4096 }) },
            { id: Text, name: Text, user: t.open({}, userRef) },
          ),
          oauth2: t.open({ access_token_id: t.string({ minLength: 1, maxLength: 1024 }) }),
        },
      ),
    },
    { scope: t.unknown({ description: 'project, domain, system or OS-TRUST:trust; or the word unscoped' }) },
  ),
);

export type AuthIdentity = Static<typeof Auth>['auth']['identity'];
export type PasswordUser = Static<typeof PasswordUserSchema>;
export type UserRef = Pick<PasswordUser, 'id' | 'name' | 'domain'>;
export type ResourceRef = Static<typeof DomainRef>;

export type RequestedScope =
  | { readonly kind: 'default' | 'unscoped' | 'system' }
  | { readonly kind: 'project'; readonly ref: ResourceRef & { domain?: ResourceRef | undefined } }
  | { readonly kind: 'domain'; readonly ref: ResourceRef }
  | { readonly kind: 'trust'; readonly id: string };

const TRUST = 'OS-TRUST:trust';
const SCOPES = ['project', 'domain', 'system', TRUST, 'unscoped'] as const;

const refuse = (field: string, why: string): never => fail('request.invalid_field', { field, why });

function readRef(value: unknown, field: string): ResourceRef & { domain?: unknown } {
  if (typeof value !== 'object' || value === null) return refuse(field, 'must be object');
  const { id, name, domain } = value as Record<string, unknown>;
  for (const [key, text] of Object.entries({ id, name })) {
    if (text !== undefined && (typeof text !== 'string' || text === '' || text.length > 255))
      refuse(`${field}.${key}`, 'must be a string of 1 to 255 characters');
  }
  if (id === undefined && name === undefined) refuse(`${field}.id`, 'an id or a name is required');
  return { ...(id === undefined ? {} : { id: id as string }), ...(name === undefined ? {} : { name: name as string }), domain };
}

function readTrustId(value: unknown): string {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' && id !== '' && id.length <= 255
    ? id
    : refuse(`auth.scope.${TRUST}.id`, 'the id of a trust is required');
}

/** Clients send "unscoped" as a string or as an object. Only one scope may be named. */
export function readScope(scope: unknown): RequestedScope {
  if (scope === undefined) return { kind: 'default' };
  if (scope === 'unscoped') return { kind: 'unscoped' };
  if (typeof scope !== 'object' || scope === null) return refuse('auth.scope', 'must be object');
  const kinds = SCOPES.filter((kind) => kind in scope);
  const [kind] = kinds;
  if (kinds.length !== 1 || !kind) return refuse('auth.scope', `it must name exactly one of ${SCOPES.join(', ')}`);
  const value = (scope as Record<string, unknown>)[kind];
  if (kind === 'unscoped') return { kind };
  if (kind === 'system') {
    return (value as { all?: unknown } | null)?.all === true ? { kind } : refuse('auth.scope.system.all', 'it must be true');
  }
  if (kind === TRUST) return { kind: 'trust', id: readTrustId(value) };
  const { domain, ...ref } = readRef(value, `auth.scope.${kind}`);
  if (kind === 'domain') return { kind, ref };
  if (ref.id !== undefined) return { kind, ref };
  return { kind, ref: { ...ref, domain: readRef(domain, 'auth.scope.project.domain') } };
}

const Ref = t.open({ id: t.string(), name: t.string() });
/** Only checks responses in tests. The JSON of a token is built by hand (render.ts) for speed. */
export const TokenReply = t.envelope(
  'token',
  t.open(
    { methods: t.array(t.string()), user: Ref, audit_ids: t.array(t.string()), expires_at: t.string(), issued_at: t.string() },
    {
      project: Ref,
      domain: Ref,
      system: t.open({ all: t.boolean() }),
      roles: t.array(Ref),
      catalog: t.array(t.open({ id: t.string() })),
      is_domain: t.boolean(),
    },
  ),
);

/** When methods are missing: the missing ones, and a receipt for those that succeeded. */
export const ReceiptReply = t.object({
  error: t.open({
    code: t.integer(),
    title: t.string(),
    message: t.string(),
    identity: t.object({ methods: t.array(t.string()) }),
  }),
  receipt: t.object({
    methods: t.array(t.string()),
    user: t.object({ id: t.string(), name: t.string(), domain: t.object({ id: t.string(), name: t.string() }) }),
    expires_at: t.string(),
    issued_at: t.string(),
  }),
  required_auth_methods: t.array(t.array(t.string())),
});

t.name({
  DomainReference: DomainRef,
  PasswordUser: PasswordUserSchema,
  TotpUser,
  LogIn: Auth,
  TokenReference: Ref,
  TokenEnvelope: TokenReply,
  AuthReceipt: ReceiptReply,
});
