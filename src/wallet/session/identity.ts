// The user behind a session or a token.
import { type Caller, ownerOf } from '../access/index.ts';
import type { Session } from './session.ts';

export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly authTime: number | undefined;
  readonly expiresAt: number;
}

export interface RoleRules {
  /** The path of the roles in the claims: names joined by dots. */
  readonly rolesClaim: string;
  readonly adminRole: string;
}

/** A caller with the claims of their provider. */
export interface AuthenticatedCaller extends Caller {
  readonly identity: ProviderIdentity;
  readonly roles: readonly string[];
  readonly session: Session | undefined;
}

/** Roles are strings or objects with a name, depending on the provider. */
export function rolesOf(claims: Readonly<Record<string, unknown>>, path: string): string[] {
  // Some providers use URLs as claim names. Their dots do not separate path steps.
  const names = Object.hasOwn(claims, path) ? [path] : path.split('.');
  const found = names.reduce<unknown>((value, name) => {
    const hasName = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return hasName ? (value as Record<string, unknown>)[name] : undefined;
  }, claims);
  if (!Array.isArray(found)) return [];
  return found.flatMap((role: unknown) => {
    if (typeof role === 'string') return role;
    const name = (role as { name?: unknown } | null)?.name;
    return typeof name === 'string' ? name : [];
  });
}

export function callerOf(
  identity: ProviderIdentity,
  requestId: string,
  rules: RoleRules,
  session?: Session,
): AuthenticatedCaller {
  const owner = session?.owner ?? ownerOf(identity.issuer, identity.subject);
  const roles = rolesOf(identity.claims, rules.rolesClaim);
  return { userId: owner, owner, requestId, isAdministrator: roles.includes(rules.adminRole), identity, roles, session };
}
