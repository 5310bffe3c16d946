// An explanation of the API, in sentences.
import { words } from '../words/index.ts';

interface NamedReference {
  readonly id: string;
  readonly name?: string;
}

export interface ExplanationScope {
  readonly system?: { readonly all: boolean };
  readonly domain?: NamedReference;
  readonly project?: NamedReference;
  readonly application?: NamedReference;
}

export interface Step {
  readonly kind: 'group' | 'grant' | 'implied' | 'organization' | 'assignment' | 'permission';
  readonly group?: NamedReference;
  readonly role?: NamedReference;
  readonly by?: NamedReference;
  readonly scope?: ExplanationScope;
  readonly inherited?: boolean;
  readonly organization?: NamedReference;
  readonly default?: boolean;
  readonly permission?: NamedReference & { readonly action: string | null; readonly resource: string | null };
}

export interface Missing {
  readonly kind: string;
  readonly role?: NamedReference;
  readonly scope?: ExplanationScope;
  readonly inherited?: boolean;
  readonly organization?: NamedReference;
  readonly roles?: readonly NamedReference[];
}

export interface Explanation {
  readonly allowed: boolean;
  /** Without a name for those who may not know it. */
  readonly user: NamedReference;
  readonly scope: ExplanationScope;
  readonly roles: readonly NamedReference[];
  readonly paths: readonly { readonly role: NamedReference; readonly steps: readonly Step[] }[];
  readonly more_paths: boolean;
  readonly missing: readonly Missing[];
  readonly sign_in_needs?: readonly ('second_factor' | 'passkey')[];
}

export const nameOf = (thing: NamedReference | undefined): string => thing?.name ?? thing?.id ?? '?';

export function scopeText({ system, domain, project, application }: ExplanationScope): string {
  const { why } = words;
  if (system) return why.inSystem;
  if (domain) return why.inDomain(nameOf(domain));
  return project ? why.inOrganization(nameOf(project)) : why.inApplication(nameOf(application));
}

export function stepText({
  kind,
  group,
  role,
  by,
  scope = {},
  inherited,
  organization,
  default: isDefault,
  permission,
}: Step): string {
  const { steps } = words.why;
  if (kind === 'group') return steps.group(nameOf(group));
  if (kind === 'grant') return (inherited ? steps.inherited : steps.grant)(nameOf(role), scopeText(scope));
  if (kind === 'implied') return steps.implied(nameOf(role), nameOf(by));
  if (kind === 'organization') return (isDefault ? steps.ownOrganization : steps.organization)(nameOf(organization));
  if (kind === 'assignment') return steps.assignment(nameOf(role), nameOf(organization));
  return steps.permission(nameOf(role), nameOf(permission));
}

export function missingText({ kind, role, scope, organization, roles = [] }: Missing): string {
  const { missing } = words.why;
  const text = missing[kind as keyof typeof missing] ?? ((): string => kind);
  return text({
    role: nameOf(role),
    scope: scope ? scopeText(scope) : '',
    organization: nameOf(organization),
    roles: roles.map(nameOf).join(', '),
  });
}
