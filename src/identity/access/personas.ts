// The callers that rules speak of: administrators, readers, managers, the person themselves. Rules combine them (policy.ts).
import type { Scope } from './auth-context.ts';
import type { Caller } from './caller.ts';
import { isPassedOn } from './delegation.ts';

/** What a rule knows about the target of a request. */
export interface Facts {
  /** There is no such thing, so nothing else is known of it. */
  readonly isMissing?: boolean;
  /** Domain of the target. */
  readonly domainId?: string | null | undefined;
  /** The user concerned. */
  readonly userId?: string | undefined;
  /** Whose it is, if the user concerned is only named beside it. */
  readonly ownerId?: string | undefined;
  /** Who gets something from that user. */
  readonly trusteeId?: string | undefined;
  readonly projectId?: string | undefined;
  /** For grants and memberships: the domains of everything involved. */
  readonly domains?: readonly (string | null)[];
  readonly roleName?: string;
  readonly roleDomainId?: string | null;
  /** The names of the global roles that the role gives: itself and those it implies. */
  readonly givesRoles?: readonly string[];
  readonly applicationId?: string | undefined;
  /** The audit id of a token. */
  readonly tokenId?: string | undefined;
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
/**
 * Keystone's `scope_types`: with the setting `enforce_scope`, a rule passes only for tokens of these scopes. As in Keystone, a token without
 * a scope counts as one for a project.
 */
const withScope =
  (...kinds: readonly Scope['kind'][]): Rule =>
  ({ authContext: { enforcesScope, scope } }) =>
    !enforcesScope || kinds.includes(scope.kind === 'unscoped' ? 'project' : scope.kind);
export const ofSystem = withScope('system');
export const ofProject = withScope('project');
export const notOfDomain = withScope('system', 'project');
/** An administrator has the role `admin`: on the system, or anywhere if the scope is not enforced. */
export const admin: Rule = (caller, target) => hasRole(caller, 'admin') && ofSystem(caller, target);
export const systemReader: Rule = (caller) => hasRole(caller, 'reader') && caller.authContext.scope.kind === 'system';
export const inOwnDomain =
  (role: string): Rule =>
  (caller, { domainId }) =>
    hasRole(caller, role) && domainId !== undefined && domainId !== null && scopeDomain(caller) === domainId;
export const domainReader = inOwnDomain('reader');
const domainManager = inOwnDomain('manager');
/** With `enforce_scope`. Otherwise each of them is an administrator of everything, and rules that name `admin` say nothing more by these. */
const domainAdmin = inOwnDomain('admin');
export const projectAdmin: Rule = (caller, target) => hasRole(caller, 'admin') && ownProject(caller, target);
export const isDomainAdministrator = (caller: Caller): boolean =>
  caller.authContext.enforcesScope && hasRole(caller, 'admin') && scopeDomain(caller) !== undefined;
export const self: Rule = (caller, { userId }) => caller.userId === userId;
/** The own tokens of a user. An application that acts for a person has those that were made for it. */
export const ownTokens: Rule = (caller, target) =>
  self(caller, target) &&
  (isInPerson(caller) ||
    caller.token.auditId === target.tokenId ||
    (target.applicationId !== undefined && caller.token.applicationId === target.applicationId));
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

/** Administrators, managers and readers of a domain may only use grants and memberships that lie entirely in it. */
export const allInOwnDomain =
  (...roles: readonly string[]): Rule =>
  (caller, { domains }) =>
    roles.some((role) => hasRole(caller, role)) &&
    scopeDomain(caller) !== undefined &&
    !!domains?.length &&
    domains.every((id) => id === scopeDomain(caller));
export const roleOfOwnDomain: Rule = (caller, { roleDomainId }) => roleDomainId === null || roleDomainId === scopeDomain(caller);
/** The role `service` has effect in every domain, so the administrator of one domain must not grant it. */
export const withinDomain: Rule = (_caller, { givesRoles }) => givesRoles !== undefined && !givesRoles.includes('service');
/** A manager must not grant roles above manager, nor one that only has such a name: a domain may have a `member` that is a `service`, too. */
export const manageableRole: Rule = (_caller, { roleName, givesRoles = [] }) =>
  ['manager', 'member', 'reader'].includes(roleName ?? '') && !['admin', 'service'].some((name) => givesRoles.includes(name));
export const both =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.every((rule) => rule(caller, target));

/**
 * Applications are managed in person: not by an application that acts for someone, nor by what was passed on, which is base roles only.
 */
export const withOwnRights: Rule = (caller) => isInPerson(caller) && !isDelegated(caller);
/**
 * The rule of what makes or shows a secret that lasts longer than the token of the caller. Such a secret would not end with what was passed
 * on, so the caller acts in person. A test asks this of every route whose answer has a secret.
 */
export const givesSecret = (rule: Rule): Rule & { readonly givesSecret: true } =>
  Object.assign(both(rule, withOwnRights), { givesSecret: true as const });
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
export const mayConsent = givesSecret(both(inPerson, ({ token }) => token.delegation === undefined));
export const adminOrInPerson = anyOf(admin, inPerson);

export const managesCredential = givesSecret(both(anyOf(admin, inPerson), notOfDomain));
/** Keystone's system reader also reads the keys of authenticator apps, which give all codes of a person. */
export const systemReaderOfCredentials: Rule = (caller, target) => systemReader(caller, target) && target.isSecondFactor !== true;
export const readsCredential = givesSecret(both(anyOf(admin, systemReaderOfCredentials, inPerson), notOfDomain));

/** Keystone 22 with its scopes enforced lets readers of the system see the keys of others. Debian's update of it does not. */
export const listsEc2Credentials = givesSecret((caller, target) =>
  (caller.authContext.enforcesScope ? readsCredential : managesCredential)(caller, target),
);

/** Keystone's check: only unrestricted application credentials manage others; trusts and OAuth1 tokens never do. */
const mayPassOn: Rule = ({ token, authContext: { delegation } }) =>
  !token.methods.includes('oauth2') &&
  (delegation === undefined ||
    delegation.kind === 'federation' ||
    (delegation.kind === 'application_credential' && delegation.isUnrestricted));
const mayReadPassedOn: Rule = (caller) =>
  isInPerson(caller) && !['trust', 'oauth1'].includes(caller.token.delegation?.kind ?? '');
export const createsApplicationCredential = both(self, mayPassOn, ofProject);
/** As Keystone with its scopes enforced: who names somebody else's as their own is refused, instead of told that they have none such. */
const ownOne: Rule = (caller, target) =>
  self(caller, target) && (!caller.authContext.enforcesScope || [undefined, caller.userId].includes(target.ownerId));
export const readsApplicationCredential = both(anyOf(admin, systemReader, ownOne), mayReadPassedOn, notOfDomain);
export const deletesApplicationCredential = both(anyOf(admin, ownOne), mayPassOn, notOfDomain);

/**
 * Keystone's check: a program uses no trusts, whoever it acts for. With a token of a trust, its user reads trusts and passes that one on. The
 * methods say it, too, of a trust that was used with something that was passed on.
 */
const usesTrusts: Rule = ({ token: { methods, delegation } }) =>
  [undefined, 'federation', 'trust'].includes(delegation?.kind) &&
  !methods.some((method) => ['oauth2', 'application_credential', 'oauth1', 'ec2credential'].includes(method));
const trustee: Rule = (caller, { trusteeId }) => caller.userId === trusteeId;
export const createsTrust = both(self, usesTrusts, ofProject);
export const listsTrusts = both(anyOf(admin, systemReader, self, trustee), usesTrusts, notOfDomain);
export const readsTrust = listsTrusts;
export const deletesTrust = both(anyOf(admin, self), usesTrusts, notOfDomain);

export const authorizesOAuth1 = givesSecret(both((caller) => hasRole(caller, 'admin'), ofProject));
/** Keystone lets the administrators of any project manage those of everybody. With `enforce_scope`, only those of the system do here. */
export const managesOAuth1Tokens = both(anyOf(admin, self), withOwnRights);

/** Anyone with a token. */
export const anyCaller: Rule = () => true;
export const readers = anyOf(admin, systemReader, domainReader);
export const adminOrSystemReader = anyOf(admin, systemReader);
export const adminOrManager = anyOf(admin, domainAdmin, domainManager);
export const adminOrService = anyOf(admin, (caller) => hasRole(caller, 'service'));
