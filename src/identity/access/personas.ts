// The callers that rules speak of: administrators, readers, managers, the person themselves. Rules combine them (policy.ts).
import type { Caller } from './caller.ts';
import { isPassedOn } from './delegation.ts';

/** What a rule knows about the target of a request. */
export interface Facts {
  /** Domain of the target. */
  readonly domainId?: string | null | undefined;
  /** The user concerned. */
  readonly userId?: string | undefined;
  /** Who gets something from that user. */
  readonly trusteeId?: string | undefined;
  readonly projectId?: string | undefined;
  /** For grants and memberships: the domains of everything involved. */
  readonly domains?: readonly (string | null)[];
  readonly roleName?: string;
  readonly roleDomainId?: string | null;
  readonly applicationId?: string | undefined;
  /** Permissions of the caller in that application. Not read for administrators, who do not need them. */
  readonly managesApplication?: boolean;
  readonly managesRoles?: boolean;
  /** The list is limited to what the caller manages. */
  readonly onlyManaged?: boolean;
  readonly seesAssignments?: boolean;
  /** The caller may assign this role there. */
  readonly mayAssign?: boolean;
  /** A credential with which the user proves who they are. */
  readonly isSecondFactor?: boolean;
}

export type Rule = (caller: Caller, target: Facts) => boolean;

export const scopeDomain = (caller: Caller): string | undefined => caller.authContext.domain?.id;

/** False for an application that acts on behalf of a person (method `oauth2`). */
export const isInPerson = ({ token }: Caller): boolean => !token.methods.includes('oauth2');
/**
 * Whether the caller may see the roles of its user in an application. An application that acts for the user sees those in itself.
 * Older tokens do not name their application; they see none.
 */
export const maySeeRolesIn = (caller: Caller, applicationId: string): boolean =>
  isInPerson(caller) || caller.token.applicationId === applicationId;
/**
 * Whether the caller may use a role. An application that acts for a person may use none: it may know who the person is, but not
 * manage others on their behalf. Its token still lists the roles of the person.
 */
export const hasRole = (caller: Caller, role: string): boolean => caller.authContext.roleNames.has(role) && isInPerson(caller);
/** A token of a trust, an application credential, an OAuth1 access token or an EC2 key: a program uses what a user passed on. */
export const isDelegated = ({ token: { delegation } }: Caller): boolean => isPassedOn(delegation);
/** An administrator has the role `admin` in any scope (project, domain or system). */
export const admin: Rule = (caller) => hasRole(caller, 'admin');
export const systemReader: Rule = (caller) => hasRole(caller, 'reader') && caller.authContext.scope.kind === 'system';
export const inOwnDomain =
  (role: string): Rule =>
  (caller, { domainId }) =>
    hasRole(caller, role) && domainId !== undefined && domainId !== null && scopeDomain(caller) === domainId;
export const domainReader = inOwnDomain('reader');
export const domainManager = inOwnDomain('manager');
export const self: Rule = (caller, { userId }) => caller.userId === userId;
export const inPerson: Rule = (caller, target) => self(caller, target) && isInPerson(caller) && !isDelegated(caller);
export const anyOf =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.some((rule) => rule(caller, target));

export const ownProject: Rule = (caller, { projectId }) =>
  projectId !== undefined && caller.authContext.project?.id === projectId;
export const ownDomain: Rule = (caller, { domainId }) =>
  domainId !== undefined &&
  domainId !== null &&
  (scopeDomain(caller) === domainId || caller.authContext.project?.domain.id === domainId);

/** The token is for this project, or for the domain around it. */
export const inScope = anyOf(
  ownProject,
  (caller, { domainId }) => domainId !== undefined && domainId !== null && scopeDomain(caller) === domainId,
);

/** Domain managers and readers may only use grants and memberships that lie entirely in their domain. */
export const allInOwnDomain =
  (role: string): Rule =>
  (caller, { domains }) =>
    hasRole(caller, role) &&
    scopeDomain(caller) !== undefined &&
    !!domains?.length &&
    domains.every((id) => id === scopeDomain(caller));
export const roleOfOwnDomain: Rule = (caller, { roleDomainId }) => roleDomainId === null || roleDomainId === scopeDomain(caller);
/** A manager must not grant roles above manager. */
export const manageableRole: Rule = (_caller, { roleName }) => ['manager', 'member', 'reader'].includes(roleName ?? '');
export const both =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.every((rule) => rule(caller, target));

/**
 * Applications are managed in person: not by an application that acts for someone, nor by what was passed on, which is base roles only.
 */
export const withOwnRights: Rule = (caller) => isInPerson(caller) && !isDelegated(caller);
export const managesApplication: Rule = (caller, facts) => facts.managesApplication === true && withOwnRights(caller, facts);
export const managesRoles: Rule = (caller, facts) => facts.managesRoles === true && withOwnRights(caller, facts);
export const adminOrManagesApplication = anyOf(admin, managesApplication);
export const adminOrManagesRoles = anyOf(admin, managesRoles);
export const seesAssignments: Rule = (caller, facts) => facts.seesAssignments === true && withOwnRights(caller, facts);
export const adminOrAssigns = anyOf(admin, (caller, { mayAssign }) => mayAssign === true && !isDelegated(caller));
/** One's own; an application that acts for a person sees those in itself. */
export const ownAssignments: Rule = (caller, target) =>
  self(caller, target) && (isInPerson(caller) || caller.token.applicationId !== undefined);
export const ownPermissions: Rule = (caller, target) =>
  self(caller, target) && target.applicationId !== undefined && maySeeRolesIn(caller, target.applicationId);
/** The user, or for an organization: a token scoped to it. */
export const adminOrThemselves = anyOf(admin, (caller, target) =>
  (target.userId === undefined ? ownProject : self)(caller, target),
);
/** A list without an application is limited to those the caller manages. */
export const listedByApplication = anyOf(adminOrManagesRoles, (_caller, { onlyManaged }) => onlyManaged === true);

/** Only the person can authorize an application to act for them; not by a token of another provider, with which the consent would not end. */
export const mayConsent = both(inPerson, ({ token }) => token.delegation === undefined);
export const adminOrInPerson = anyOf(admin, inPerson);

/** As Keystone, not with what was passed on: another secret of the user would last longer than that. */
export const managesCredential = both(anyOf(admin, inPerson), withOwnRights);
/** Keystone's system reader also reads the keys of authenticator apps, which give all codes of a person. */
export const systemReaderOfCredentials: Rule = (caller, target) => systemReader(caller, target) && target.isSecondFactor !== true;
export const readsCredential = both(anyOf(admin, systemReaderOfCredentials, inPerson), withOwnRights);

/** Keystone's check: only unrestricted application credentials manage others; trusts and OAuth1 tokens never do. */
const mayPassOn: Rule = ({ token, authContext: { delegation } }) =>
  !token.methods.includes('oauth2') &&
  (delegation === undefined ||
    delegation.kind === 'federation' ||
    (delegation.kind === 'application_credential' && delegation.isUnrestricted));
const mayReadPassedOn: Rule = (caller) => !['trust', 'oauth1'].includes(caller.token.delegation?.kind ?? '');
export const createsApplicationCredential = both(self, mayPassOn);
export const readsApplicationCredential = both(anyOf(admin, systemReader, self), mayReadPassedOn);
export const deletesApplicationCredential = both(anyOf(admin, self), mayPassOn);

/**
 * Keystone's check: a program uses no trusts, whoever it acts for. With a token of a trust, its user reads trusts and passes that one on. The
 * methods say it, too, of a trust that was used with something that was passed on.
 */
const usesTrusts: Rule = ({ token: { methods, delegation } }) =>
  [undefined, 'federation', 'trust'].includes(delegation?.kind) &&
  !methods.some((method) => ['oauth2', 'application_credential', 'oauth1', 'ec2credential'].includes(method));
const trustee: Rule = (caller, { trusteeId }) => caller.userId === trusteeId;
export const createsTrust = both(self, usesTrusts);
export const listsTrusts = both(anyOf(admin, systemReader, self, trustee), usesTrusts);
export const readsTrust = listsTrusts;
export const deletesTrust = both(anyOf(admin, self), usesTrusts);

/** What was passed on does not lead to what lasts longer, nor does an application that acts for somebody. */
export const authorizesOAuth1 = both(admin, withOwnRights);
export const managesOAuth1Tokens = both(anyOf(admin, self), withOwnRights);

/** Anyone with a token. */
export const anyCaller: Rule = () => true;
export const readers = anyOf(admin, systemReader, domainReader);
export const adminOrSystemReader = anyOf(admin, systemReader);
export const adminOrManager = anyOf(admin, domainManager);
export const adminOrService = anyOf(admin, (caller) => hasRole(caller, 'service'));
