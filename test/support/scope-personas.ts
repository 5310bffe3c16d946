// Administrators, members and readers of the system, a domain and a project, as the rules of the identity service see them, and things in
// and outside of their domain.

import type { Scope } from '../../src/identity/access/context/index.ts';
import type { Caller, Facts } from '../../src/identity/access/rules/index.ts';

export const ROLES = { admin: ['admin', 'member', 'reader'], member: ['member', 'reader'], reader: ['reader'] };
type Role = keyof typeof ROLES;
export type Persona = `${Role}@${'system' | 'domain' | 'project'}`;

export const OWN = { id: 'own', name: 'Own' };
export const SCOPES: Readonly<Record<string, Scope>> = {
  system: { kind: 'system' },
  domain: { kind: 'domain', id: OWN.id },
  project: { kind: 'project', id: 'shop' },
};
export const PERSONAS = Object.keys(SCOPES).flatMap((scope) => Object.keys(ROLES).map((role) => `${role}@${scope}` as Persona));

export function callerOf(roles: readonly string[], scope: Scope, enforcesScope = true): Caller {
  return {
    userId: 'me',
    requestId: 'r',
    tokenText: '',
    token: {
      userId: 'me',
      methods: ['password'],
      scope,
      issuedAt: 0,
      expiresAt: 0,
      generation: 0,
      auditId: '',
      parentAuditId: undefined,
    },
    authContext: {
      user: { id: 'me', name: 'me', domain: OWN, passwordExpiresAt: null },
      scope,
      project: scope.kind === 'project' ? { id: scope.id, name: 'shop', domain: OWN, isDomain: false } : undefined,
      domain: scope.kind === 'domain' ? OWN : undefined,
      roles: [],
      roleNames: new Set(roles),
      enforcesScope,
      generation: 0,
      endedAt: 0,
      userEpoch: 0,
      userGeneration: 0,
      validUntil: null,
      tags: [],
    },
  };
}
export const personaOf = (persona: Persona): Caller => {
  const [role, scope] = persona.split('@') as [Role, string];
  return callerOf(ROLES[role], SCOPES[scope]!);
};

const of = (userId: string, domainId: string, projectId: string): Facts => ({
  userId,
  trusteeId: userId,
  domainId,
  projectId,
  domains: [domainId, domainId],
  roleName: 'plain',
  roleDomainId: null,
  givesRoles: ['plain'],
});
/** Things in the domain of the persona, in its project, in another domain, and the persona itself, who is at home in that. */
export const TARGETS = {
  inDomain: of('other', OWN.id, 'bank'),
  inProject: of('other', OWN.id, 'shop'),
  elsewhere: of('other', 'foreign', 'abroad'),
  self: of('me', 'foreign', 'abroad'),
};
export type Place = keyof typeof TARGETS;
