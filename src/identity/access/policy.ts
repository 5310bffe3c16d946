// Who may do what: Keystone's default policy, by its names, for the personas admin, manager, member and reader.
// Each route names its rule, and the server asks it before it calls the handler, with what is known of the thing the request is
// about. Of a thing that does not exist nothing is known, so that only those who may see everything learn that it is missing.
import type { App, Target } from '../../platform/http/index.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';

/** What a rule decides by: what is known of the thing a request is about. */
export interface Facts {
  /** Domain of the thing itself. */
  readonly domainId?: string | null | undefined;
  /** The user it is about. */
  readonly userId?: string | undefined;
  readonly projectId?: string | undefined;
  /** For grants and memberships: the domains of everything involved. */
  readonly domains?: readonly (string | null)[];
  readonly roleName?: string;
  readonly roleDomainId?: string | null;
  readonly applicationId?: string | undefined;
  /** What the caller holds in that application; of an administrator, who needs none of it, it is not read. */
  readonly managesApplication?: boolean;
  readonly managesRoles?: boolean;
  /** A list that shows only what the caller manages. */
  readonly onlyManaged?: boolean;
  readonly seesAssignments?: boolean;
  /** The role is among those the caller may hand out there. */
  readonly mayAssign?: boolean;
}

type Rule = (caller: Caller, target: Facts) => boolean;

const scopeDomain = (caller: Caller): string | undefined => caller.authContext.domain?.id;

/** An application that acts for a person (method `oauth2`) is not that person. */
export const isInPerson = ({ token }: Caller): boolean => !token.methods.includes('oauth2');
/**
 * Whether what a person holds in an application is the caller's to know: an application that acts for them knows what they hold in
 * itself. A token that does not say whose it is, as older ones do, knows of none.
 */
export const knowsOf = (caller: Caller, applicationId: string): boolean =>
  isInPerson(caller) || caller.token.applicationId === applicationId;
/**
 * Whether a role counts for the caller. For an application that acts for a person none does: the person let it know who they are,
 * not manage others in their name. What such a token says its roles are stays true.
 */
export const has = (caller: Caller, role: string): boolean => caller.authContext.roleNames.has(role) && isInPerson(caller);
/** The administrator: the role in any scope (project, domain or system). */
const admin: Rule = (caller) => has(caller, 'admin');
const systemReader: Rule = (caller) => has(caller, 'reader') && caller.authContext.scope.kind === 'system';
const inOwnDomain =
  (role: string): Rule =>
  (caller, { domainId }) =>
    has(caller, role) && domainId !== undefined && domainId !== null && scopeDomain(caller) === domainId;
const domainReader = inOwnDomain('reader');
const domainManager = inOwnDomain('manager');
const self: Rule = (caller, { userId }) => caller.userId === userId;
const inPerson: Rule = (caller, target) => self(caller, target) && isInPerson(caller);
const anyOf =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.some((rule) => rule(caller, target));

const ownProject: Rule = (caller, { projectId }) => projectId !== undefined && caller.authContext.project?.id === projectId;
const ownDomain: Rule = (caller, { domainId }) =>
  domainId !== undefined &&
  domainId !== null &&
  (scopeDomain(caller) === domainId || caller.authContext.project?.domain.id === domainId);

/** A domain's own people may only touch grants whose every part lies in that domain. */
const allInOwnDomain =
  (role: string): Rule =>
  (caller, { domains }) =>
    has(caller, role) &&
    scopeDomain(caller) !== undefined &&
    !!domains?.length &&
    domains.every((id) => id === scopeDomain(caller));
const roleOfOwnDomain: Rule = (caller, { roleDomainId }) => roleDomainId === null || roleDomainId === scopeDomain(caller);
/** A manager must not hand out what is above a manager. */
const manageableRole: Rule = (_caller, { roleName }) => ['manager', 'member', 'reader'].includes(roleName ?? '');
const both =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.every((rule) => rule(caller, target));

/** Whoever manages an application does so in person. */
const managesApplication: Rule = (caller, facts) => facts.managesApplication === true && isInPerson(caller);
const managesRoles: Rule = (caller, facts) => facts.managesRoles === true && isInPerson(caller);
const adminOrManagesApplication = anyOf(admin, managesApplication);
const adminOrManagesRoles = anyOf(admin, managesRoles);
const seesAssignments: Rule = (caller, facts) => facts.seesAssignments === true && isInPerson(caller);
const adminOrAssigns = anyOf(admin, (_caller, { mayAssign }) => mayAssign === true);
/** One's own, and an application that acts for a person knows what they hold in it. */
const ownAssignments: Rule = (caller, target) =>
  self(caller, target) && (isInPerson(caller) || caller.token.applicationId !== undefined);
const ownHoldings: Rule = (caller, target) =>
  self(caller, target) && target.applicationId !== undefined && knowsOf(caller, target.applicationId);
/** Of a user inside an organization, or of the organization. */
const adminOrThemselves = anyOf(admin, (caller, target) => (target.userId === undefined ? ownProject : self)(caller, target));
/** Lists that name no application show those the caller manages, which may be none. */
const listedByApplication = anyOf(adminOrManagesRoles, (_caller, { onlyManaged }) => onlyManaged === true);

/** Only the person lets an application in, and only to act for themselves. */
const mayConsent = inPerson;
const adminOrInPerson = anyOf(admin, inPerson);

/** Whoever has a token. */
const anyCaller: Rule = () => true;
const readers = anyOf(admin, systemReader, domainReader);
const adminOrSystemReader = anyOf(admin, systemReader);
const adminOrManager = anyOf(admin, domainManager);

const rules = {
  'identity:check_token': anyOf(admin, systemReader, self),
  'identity:validate_token': anyOf(admin, systemReader, (caller) => has(caller, 'service'), self),
  'identity:revoke_token': anyOf(admin, self),
  'identity:get_auth_catalog': anyCaller,
  'identity:get_auth_projects': anyCaller,
  'identity:get_auth_domains': anyCaller,
  'identity:get_auth_system': anyCaller,

  'identity:get_domain': anyOf(admin, systemReader, ownDomain),
  'identity:list_domains': readers,
  'identity:create_domain': admin,
  'identity:update_domain': admin,
  'identity:delete_domain': admin,

  'identity:get_project': anyOf(readers, ownProject),
  'identity:list_projects': readers,
  'identity:list_user_projects': anyOf(readers, self),
  'identity:create_project': adminOrManager,
  'identity:update_project': adminOrManager,
  'identity:delete_project': adminOrManager,
  'identity:list_project_tags': anyOf(readers, ownProject),
  'identity:get_project_tag': anyOf(readers, ownProject),
  'identity:update_project_tags': adminOrManager,
  'identity:create_project_tag': adminOrManager,
  'identity:delete_project_tag': adminOrManager,
  'identity:delete_project_tags': adminOrManager,

  'identity:get_user': anyOf(readers, self),
  'identity:list_users': readers,
  'identity:create_user': adminOrManager,
  'identity:update_user': adminOrManager,
  'identity:delete_user': adminOrManager,

  'identity:get_group': readers,
  'identity:list_groups': readers,
  'identity:list_groups_for_user': anyOf(readers, self),
  'identity:create_group': adminOrManager,
  'identity:update_group': adminOrManager,
  'identity:delete_group': adminOrManager,
  'identity:list_users_in_group': readers,
  'identity:check_user_in_group': anyOf(admin, systemReader, allInOwnDomain('reader')),
  'identity:add_user_to_group': anyOf(admin, allInOwnDomain('manager')),
  'identity:remove_user_from_group': anyOf(admin, allInOwnDomain('manager')),

  // Of roles and domain roles alike: Keystone has a name for each, with the same rule but for what managers may read.
  'identity:get_role': anyOf(
    adminOrSystemReader,
    both((caller, { roleDomainId }) => has(caller, 'manager') && roleDomainId === null, manageableRole),
  ),
  'identity:list_roles': anyOf(
    adminOrSystemReader,
    (caller, { roleDomainId }) => has(caller, 'manager') && roleDomainId === null && scopeDomain(caller) !== undefined,
  ),
  'identity:create_role': admin,
  'identity:update_role': admin,
  'identity:delete_role': admin,
  'identity:get_implied_role': adminOrSystemReader,
  'identity:list_implied_roles': adminOrSystemReader,
  'identity:create_implied_role': admin,
  'identity:delete_implied_role': admin,
  'identity:check_implied_role': adminOrSystemReader,
  'identity:list_role_inference_rules': adminOrSystemReader,

  'identity:check_grant': anyOf(adminOrSystemReader, both(allInOwnDomain('reader'), roleOfOwnDomain)),
  'identity:list_grants': anyOf(adminOrSystemReader, allInOwnDomain('reader')),
  'identity:create_grant': anyOf(admin, both(allInOwnDomain('manager'), manageableRole)),
  'identity:revoke_grant': anyOf(admin, both(allInOwnDomain('manager'), manageableRole)),
  'identity:check_system_grant': adminOrSystemReader,
  'identity:list_system_grants': adminOrSystemReader,
  'identity:create_system_grant': admin,
  'identity:revoke_system_grant': admin,
  'identity:list_role_assignments': readers,
  'identity:list_role_assignments_for_tree': readers,

  // Stricter than Keystone, where a system reader reads everyone's secrets here.
  'identity:get_credential': anyOf(admin, inPerson),
  // Whoever may not see everyone's sees their own.
  'identity:list_credentials': anyOf(admin, inPerson),
  'identity:create_credential': anyOf(admin, inPerson),
  'identity:update_credential': anyOf(admin, inPerson),
  'identity:delete_credential': anyOf(admin, inPerson),

  'identity:manage_scim_connections': admin,
  'OS-SCIM:administer': admin,
  'OS-SCIM:discover': anyCaller,
  'SCIM:discover': anyCaller,
  // Each operation is asked about by the rule of its own route.
  'SCIM:bulk': anyCaller,

  'identity:get_region': anyCaller,
  'identity:list_regions': anyCaller,
  'identity:create_region': admin,
  'identity:update_region': admin,
  'identity:delete_region': admin,
  'identity:get_service': adminOrSystemReader,
  'identity:list_services': adminOrSystemReader,
  'identity:create_service': admin,
  'identity:update_service': admin,
  'identity:delete_service': admin,
  'identity:get_endpoint': adminOrSystemReader,
  'identity:list_endpoints': adminOrSystemReader,
  'identity:create_endpoint': admin,
  'identity:update_endpoint': admin,
  'identity:delete_endpoint': admin,

  // Applications, by the names the extension APIs have in their refusals.
  list_consumers: anyCaller,
  create_consumer: anyCaller,
  get_consumer: adminOrManagesApplication,
  update_consumer: adminOrManagesApplication,
  delete_consumer: adminOrManagesApplication,
  rotate_consumer_secret: adminOrManagesApplication,

  list_roles: listedByApplication,
  create_role: adminOrManagesRoles,
  get_role: adminOrManagesRoles,
  update_role: adminOrManagesRoles,
  delete_role: adminOrManagesRoles,
  list_permissions: listedByApplication,
  create_permission: adminOrManagesRoles,
  get_permission: adminOrManagesRoles,
  update_permission: adminOrManagesRoles,
  delete_permission: adminOrManagesRoles,
  list_role_permissions: adminOrManagesRoles,
  add_permission_to_role: adminOrManagesRoles,
  remove_permission_from_role: adminOrManagesRoles,
  list_user_assignments: anyOf(admin, ownAssignments, seesAssignments),
  list_organization_assignments: anyOf(admin, seesAssignments),
  add_role_to_user: adminOrAssigns,
  remove_role_from_user: adminOrAssigns,
  add_role_to_organization: adminOrAssigns,
  remove_role_from_organization: adminOrAssigns,
  get_user_permissions: anyOf(admin, (caller) => has(caller, 'service'), ownHoldings, seesAssignments),
  list_allowed_roles: adminOrThemselves,
  list_allowed_applications: adminOrThemselves,
  // What is internal works in every application.
  manage_internal: admin,

  is_two_factor_auth_enabled: adminOrInPerson,
  enable_two_factor_auth: adminOrInPerson,
  disable_two_factor_auth: adminOrInPerson,
  get_two_factor_data: adminOrInPerson,
  check_security_question: adminOrInPerson,
  make_recovery_codes: adminOrInPerson,
  remember_device: adminOrInPerson,
  check_for_device: adminOrInPerson,
  list_devices: adminOrInPerson,
  forget_device: adminOrInPerson,
  forget_devices: adminOrInPerson,

  // An administrator who could say yes for others would sign in as them.
  authorize: mayConsent,
  access_tokens: adminOrInPerson,
  verify_access_token: anyCaller,
} as const satisfies Record<string, Rule>;

/** Holds the base role `admin` in whatever scope the token has. */
export const isAdministrator = (caller: Caller): boolean => admin(caller, {});

export type Action = keyof typeof rules;

export type IdentityApp = App<Caller, Action, Facts>;
/** What a route of this service is about. */
export type IdentityTarget<Thing> = Target<Facts, Thing>;

/** Asked by the server before it calls a handler. */
export function authorize(rule: string, caller: Caller, facts: unknown): void {
  const isAllowed = allowed(caller, rule as Action, (facts ?? {}) as Facts);
  // The contract's own answer to those who may not: 401, not 403.
  if (!isAllowed && rule === 'OS-SCIM:administer') fail('auth.required', undefined, { reason: 'not an administrator' });
  if (!isAllowed) fail('auth.forbidden', { action: rule });
}

/** A thing by its row, if there is one. */
export const targetOf = <Row>(row: Row | undefined, factsOf: (row: Row) => Facts, missing: () => never): IdentityTarget<Row> => ({
  facts: row === undefined ? {} : factsOf(row),
  get: () => row ?? missing(),
});

/** A request that is about no single thing, but of which something is known: a list, or what is to be made. */
export const about = (facts: Facts): IdentityTarget<undefined> => ({ facts, get: () => undefined });

export const allowed = (caller: Caller, action: Action, target: Facts = {}): boolean => rules[action](caller, target);

/** Goes on, or 403. */
export function permit(caller: Caller, action: Action, target: Facts = {}): void {
  if (!allowed(caller, action, target)) fail('auth.forbidden', { action });
}

/** The one domain whose things a list may show; undefined for all of them. A domain-scoped token sees its own domain, even an administrator's. */
export function visibleDomain(caller: Caller): string | undefined {
  return scopeDomain(caller);
}

/** The domain that something new belongs to. */
export const domainOfNew = (caller: Caller, asked: string | undefined): string => asked ?? visibleDomain(caller) ?? 'default';

/** Something new, by the domain it is to be in. */
export const domainTarget = (domainId: string): IdentityTarget<string> => ({ facts: { domainId }, get: () => domainId });

/** The domain a list is about, for its permission: what the token is scoped to, else none. */
export const listTarget = (caller: Caller): Facts => ({ domainId: scopeDomain(caller) ?? null });
