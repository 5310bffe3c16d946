// The callers that rules speak of: administrators, readers, managers, the person themselves. Rules combine them (policy.ts).
import { delegatesRights, kindOf, type Scope } from '../context/index.ts';
import { type Caller, isInPerson } from './caller.ts';

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

/** What a rule asks of the caller and the target. */
export type Condition = (caller: Caller, target: Facts) => boolean;

/** Who may do something: the check, and for the API document the words. */
export interface Rule extends Condition {
  readonly who: readonly string[];
}

/** A rule, or the same rule in other words. Without words, it adds nobody to those who were named beside it. */
export const rule = (check: Condition, ...who: readonly string[]): Rule =>
  Object.assign((caller: Caller, target: Facts): boolean => check(caller, target), { who });

/** Whoever passes one of the rules. */
export const anyOf = (...rules: readonly Rule[]): Rule =>
  rule((caller, target) => rules.some((one) => one(caller, target)), ...new Set(rules.flatMap(({ who }) => who)));

/** Whoever passes the rule, if the conditions hold, too. */
export const both = (first: Rule, ...conditions: readonly Condition[]): Rule =>
  rule((caller, target) => first(caller, target) && conditions.every((one) => one(caller, target)), ...first.who);

export const scopeDomain = (caller: Caller): string | undefined => caller.authContext.domain?.id;

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
export const isDelegated = ({ token: { delegation } }: Caller): boolean => delegatesRights(delegation);
/**
 * Keystone's `scope_types`: with the setting `enforce_scope`, a rule passes only for tokens of these scopes. As in Keystone, a token without
 * a scope counts as one for a project.
 */
const withScope =
  (...kinds: readonly Scope['kind'][]): Condition =>
  ({ authContext: { enforcesScope, scope } }) =>
    !enforcesScope || kinds.includes(scope.kind === 'unscoped' ? 'project' : scope.kind);
export const ofSystem = withScope('system');
export const ofProject = withScope('project');
export const notOfDomain = withScope('system', 'project');
/** An administrator has the role `admin`: on the system, or anywhere if the scope is not enforced. */
export const admin = rule((caller, target) => hasRole(caller, 'admin') && ofSystem(caller, target), 'administrators');
export const systemReader = rule(
  (caller) => hasRole(caller, 'reader') && caller.authContext.scope.kind === 'system',
  'readers of the system',
);
export const service = rule((caller) => hasRole(caller, 'service'), 'services (role `service`)');
const inOwnDomain =
  (role: string): Condition =>
  (caller, { domainId }) =>
    hasRole(caller, role) && domainId !== undefined && domainId !== null && scopeDomain(caller) === domainId;
const domainReader = rule(inOwnDomain('reader'), 'readers of the domain');
const domainManager = rule(inOwnDomain('manager'), 'managers of the domain');
/** With `enforce_scope`. Otherwise each of them is an administrator of everything, and rules that name `admin` say nothing more by these. */
const domainAdmin = rule(inOwnDomain('admin'));
export const projectAdmin = rule((caller, target) => hasRole(caller, 'admin') && ownProject(caller, target));
export const isDomainAdministrator = (caller: Caller): boolean =>
  caller.authContext.enforcesScope && hasRole(caller, 'admin') && scopeDomain(caller) !== undefined;
export const self = rule((caller, { userId }) => caller.userId === userId, 'the user concerned');
export const userOfToken = rule(self, 'the user of the token');
/** The own tokens of a user. An application that acts for a person has those that were made for it. */
export const ownTokens = both(
  userOfToken,
  (caller, target) =>
    isInPerson(caller) ||
    caller.token.auditId === target.tokenId ||
    (target.applicationId !== undefined && caller.token.applicationId === target.applicationId),
);
const IN_PERSON = 'the user concerned, and no application that acts for them';
export const notByApplication = rule((caller, target) => self(caller, target) && isInPerson(caller), IN_PERSON);
export const inPerson = both(notByApplication, (caller) => !isDelegated(caller));

export const ownProject = rule(
  (caller, { projectId }) => projectId !== undefined && caller.authContext.project?.id === projectId,
  'everybody whose token is for the project',
);
export const ownDomain = rule(
  (caller, { domainId }) =>
    domainId !== undefined &&
    domainId !== null &&
    (scopeDomain(caller) === domainId || caller.authContext.project?.domain.id === domainId),
  'everybody whose token is for the domain or a project in it',
);

/** The token is for this project, or for the domain around it. */
export const inScope = rule(
  (caller, target) =>
    ownProject(caller, target) ||
    (target.domainId !== undefined && target.domainId !== null && scopeDomain(caller) === target.domainId),
  'everybody whose token is for the project, or for the domain',
);

/** Administrators, managers and readers of a domain may only use grants and memberships that lie entirely in it. */
const allInOwnDomain =
  (...roles: readonly string[]): Condition =>
  (caller, { domains }) =>
    roles.some((role) => hasRole(caller, role)) &&
    scopeDomain(caller) !== undefined &&
    !!domains?.length &&
    domains.every((id) => id === scopeDomain(caller));
export const readerOfAll = rule(allInOwnDomain('reader'), 'readers of a domain, if everything that is named is in it');
export const managerOfAll = rule(
  allInOwnDomain('admin', 'manager'),
  'managers of a domain, if everything that is named is in it',
);
export const roleOfOwnDomain: Condition = (caller, { roleDomainId }) =>
  roleDomainId === null || roleDomainId === scopeDomain(caller);
/** The role `service` has effect in every domain, so the administrator of one domain must not grant it. */
export const withinDomain: Condition = (_caller, { givesRoles }) => givesRoles !== undefined && !givesRoles.includes('service');
/** A manager must not grant roles above manager, nor one that only has such a name: a domain may have a `member` that is a `service`, too. */
const manageableRole: Condition = (_caller, { roleName, givesRoles = [] }) =>
  ['manager', 'member', 'reader'].includes(roleName ?? '') && !['admin', 'service'].some((name) => givesRoles.includes(name));
export const adminOfAll = rule(allInOwnDomain('admin'));
export const grantsRole = both(
  rule(
    allInOwnDomain('manager'),
    'managers of a domain, if everything that is named is in it, for the roles `manager`, `member` and `reader`',
  ),
  manageableRole,
);
const managerForGlobalRole: Condition = (caller, { roleDomainId }) => hasRole(caller, 'manager') && roleDomainId === null;
const MANAGER_OF_ROLES = 'managers of a domain, for roles that they may grant';
export const readsGrantableRole = both(rule(managerForGlobalRole, MANAGER_OF_ROLES), manageableRole);
export const listsGrantableRoles = both(
  rule(managerForGlobalRole, MANAGER_OF_ROLES),
  (caller) => scopeDomain(caller) !== undefined,
);

/**
 * Applications are managed in person: not by an application that acts for someone, nor by what was passed on, which is base roles only.
 */
export const withOwnRights: Condition = (caller) => isInPerson(caller) && !isDelegated(caller);
/**
 * The rule of what makes or shows a secret that lasts longer than the token of the caller. Such a secret would not end with what was passed
 * on, so the caller acts in person. A test asks this of every route whose answer has a secret.
 */
export const givesSecret = (forWhom: Rule): Rule & { readonly givesSecret: true } =>
  Object.assign(both(forWhom, withOwnRights), { givesSecret: true as const });
const managesApplication = rule(
  (caller, facts) => facts.managesApplication === true && withOwnRights(caller, facts),
  'whoever manages the application',
);
const managesRoles = rule(
  (caller, facts) => facts.managesRoles === true && withOwnRights(caller, facts),
  'whoever manages the roles of the application',
);
export const adminOrApplicationManager = anyOf(admin, managesApplication);
export const adminOrManagesRoles = anyOf(admin, managesRoles);
export const seesAssignments = rule(
  (caller, facts) => facts.seesAssignments === true && withOwnRights(caller, facts),
  'whoever may see assignments in the application',
);
export const adminOrAssigns = anyOf(
  admin,
  rule((caller, { mayAssign }) => mayAssign === true && !isDelegated(caller), 'whoever may assign this role there'),
);
/** One's own; an application that acts for a person sees those in itself. */
export const ownAssignments = both(self, (caller) => isInPerson(caller) || caller.token.applicationId !== undefined);
export const ownPermissions = both(
  self,
  (caller, { applicationId }) => applicationId !== undefined && maySeeRolesIn(caller, applicationId),
);
/** The user, or for an organization: a token scoped to it. */
export const adminOrThemselves = anyOf(
  admin,
  rule(
    (caller, target) => (target.userId === undefined ? ownProject : self)(caller, target),
    'the user concerned, or a token for the organization concerned',
  ),
);
/** A list without an application is limited to those the caller manages. */
const isOnlyManaged: Condition = (_caller, { onlyManaged }) => onlyManaged === true;
export const listedByApplication = anyOf(
  admin,
  rule(
    (caller, target) => managesRoles(caller, target) || isOnlyManaged(caller, target),
    'everybody else for the applications whose roles they manage',
  ),
);
export const listedByManaged = anyOf(
  admin,
  rule(
    (caller, target) => managesApplication(caller, target) || isOnlyManaged(caller, target),
    'whoever manages the application, or everybody for those that they manage',
  ),
);

/** Only the person can authorize an application to act for them; not by a token of another provider, with which the consent would not end. */
export const mayConsent = givesSecret(both(inPerson, ({ token }) => token.delegation === undefined));
export const adminOrInPerson = anyOf(admin, inPerson);

export const changesCredential = givesSecret(both(anyOf(admin, inPerson), notOfDomain));
/** Keystone's system reader also reads the keys of authenticator apps, which give all codes of a person. */
export const systemReaderOfCredentials = both(systemReader, (_caller, { isSecondFactor }) => isSecondFactor !== true);
export const readsCredential = givesSecret(both(anyOf(admin, systemReaderOfCredentials, inPerson), notOfDomain));

/** Keystone 22 with its scopes enforced lets readers of the system see the keys of others. Debian's update of it does not. */
export const listsEc2Credentials = givesSecret(
  rule(
    (caller, target) => (caller.authContext.enforcesScope ? readsCredential : changesCredential)(caller, target),
    ...changesCredential.who,
  ),
);

/** Keystone's check: only unrestricted application credentials manage others; trusts and OAuth1 tokens never do. */
const mayDelegate: Condition = ({ token, authContext: { delegation } }) =>
  !token.methods.includes('oauth2') &&
  (delegation === undefined ||
    delegation.kind === 'federation' ||
    (delegation.kind === 'application_credential' && delegation.isUnrestricted));
const mayReadDelegations: Condition = (caller) =>
  isInPerson(caller) && !['trust', 'oauth1'].includes(caller.token.delegation?.kind ?? '');
export const createsApplicationCredential = rule(
  both(self, mayDelegate, ofProject),
  'the user concerned; with an application credential only if it is unrestricted',
);
/** As Keystone with its scopes enforced: who names somebody else's as their own is refused, instead of told that they have none such. */
const ownerOfCredential = both(
  self,
  (caller, { ownerId }) => !caller.authContext.enforcesScope || [undefined, caller.userId].includes(ownerId),
);
export const readsApplicationCredential = both(anyOf(admin, systemReader, ownerOfCredential), mayReadDelegations, notOfDomain);
export const deletesApplicationCredential = both(anyOf(admin, ownerOfCredential), mayDelegate, notOfDomain);

/**
 * Keystone's check: a program uses no trusts, whoever it acts for. With a token of a trust, its user reads trusts and passes that one on. The
 * methods say it, too, of a trust that was used with something that was passed on.
 */
const usesTrusts: Condition = ({ token: { methods, delegation } }) =>
  [undefined, 'federation', 'trust'].includes(delegation?.kind) &&
  !methods.some((method) => method === 'oauth2' || kindOf(method) === 'passed on');
const trustor = rule(self, 'the trustor');
const trustee = rule((caller, { trusteeId }) => caller.userId === trusteeId, 'the trustee');
export const createsTrust = both(trustor, usesTrusts, ofProject);
export const listsTrusts = both(anyOf(admin, systemReader, trustor, trustee), usesTrusts, notOfDomain);
export const readsTrust = listsTrusts;
export const deletesTrust = both(anyOf(admin, trustor), usesTrusts, notOfDomain);

export const authorizesOAuth1 = givesSecret(
  both(
    rule((caller) => hasRole(caller, 'admin'), 'administrators in person'),
    ofProject,
  ),
);
/** Keystone lets the administrators of any project manage those of everybody. With `enforce_scope`, only those of the system do here. */
export const managesOAuth1Tokens = both(adminOrInPerson, withOwnRights);

/** Anyone with a token. */
export const EVERYBODY = 'everybody with a token';
export const anyCaller = rule(() => true, EVERYBODY);
export const readers = anyOf(admin, systemReader, domainReader);
export const adminOrSystemReader = anyOf(admin, systemReader);
export const adminOrManager = anyOf(admin, domainAdmin, domainManager);
export const adminOrService = anyOf(admin, service);
