// Offers: roles of applications and memberships of organizations that a SCIM client can assign to users. Clients (Okta's governance)
// find them in a list and assign them through an attribute of the user.

import {
  assignedRoleEntries,
  memberOrganizationIds,
  type OfferedOrganization,
  type OfferedRole,
  offeredOrganizations,
  offeredOrganizationsOf,
  offeredRoles,
  offeredRolesOf,
  provision,
  readGrantedEntries,
} from '../../../applications/app-roles/index.ts';
import type { Change } from '../../../ground/audit/index.ts';
import type { Database, Reader } from '../../../ground/database/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Resource, ResourceType } from './attribute.ts';
import { entitlementType, roleType } from './definitions.ts';
import type { ScimContext } from './handler.ts';
import { organizationsAmong } from './scim.store.ts';

/** A list of offers, and the attribute of users that assigns its entries. */
export interface OfferKind<T> {
  readonly attribute: keyof AssignedOffers;
  readonly type: ResourceType;
  /** The `type` of an entry. */
  readonly label: string;
  /** The format of entries. Other values of the attribute are free text of the client: they are stored and assign nothing. */
  readonly pattern: RegExp;
  idOf(offer: T): string;
  displayOf(offer: T): string;
  descriptionOf(offer: T): string;
  /** The offers of the domain; with `ids`, only those. */
  all(db: Reader, domainId: string, ids?: readonly string[]): Promise<readonly T[]>;
  /** What the user has, including entries that are no longer offered. */
  previousEntries(db: Reader, domainId: string, userId: string): Promise<readonly string[]>;
  assignedTo(db: Reader, domainId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly T[]>>;
}

/** The offers a user has. */
export interface AssignedOffers {
  readonly roles: readonly OfferedRole[];
  readonly entitlements: readonly OfferedOrganization[];
}

/** A value is `organization:application:role`. */
export const roleOffers: OfferKind<OfferedRole> = {
  attribute: 'roles',
  type: roleType,
  label: roleType.name,
  pattern: /^[\w.-]{1,64}:[\w.-]{1,64}:[\w.-]{1,64}$/,
  idOf: ({ id }) => id,
  displayOf: ({ applicationName, roleName }) => `${applicationName}: ${roleName}`,
  descriptionOf: ({ organizationName }) => `In the organization ${organizationName}`,
  all: offeredRoles,
  previousEntries: assignedRoleEntries,
  assignedTo: offeredRolesOf,
};

const ORGANIZATION = 'organization';
const entryOf = (organizationId: string): string => `${ORGANIZATION}:${organizationId}`;

/** The prefix distinguishes an entry from free text that clients stored here earlier. */
export const entitlementOffers: OfferKind<OfferedOrganization> = {
  attribute: 'entitlements',
  type: entitlementType,
  label: ORGANIZATION,
  pattern: new RegExp(`^${ORGANIZATION}:[\\w.-]{1,64}$`),
  idOf: ({ id }) => entryOf(id),
  displayOf: ({ name }) => name,
  descriptionOf: ({ name }) => `Member of the organization ${name}`,
  all: (db, domainId, ids) =>
    offeredOrganizations(
      db,
      domainId,
      ids?.map((id) => id.slice(ORGANIZATION.length + 1)),
    ),
  previousEntries: async (db, domainId, userId) => (await memberOrganizationIds(db, domainId, userId)).map(entryOf),
  assignedTo: offeredOrganizationsOf,
};

export const OFFERED_ATTRIBUTES = ['roles', 'entitlements'] as const satisfies readonly (keyof AssignedOffers)[];

interface AttributeElement {
  readonly value?: unknown;
}

type OfferEntryKind = Pick<OfferKind<unknown>, 'attribute' | 'pattern'>;

const valuesIn = ({ attribute }: OfferEntryKind, resource: Resource): readonly AttributeElement[] => {
  const values = resource[attribute];
  return Array.isArray(values) ? (values as AttributeElement[]) : [];
};
const stringsIn = (kind: OfferEntryKind, resource: Resource): Set<string> =>
  new Set(valuesIn(kind, resource).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));

/** Whether a value is an entry, not free text that looks like one. */
export type IsEntry = (kind: OfferEntryKind, value: string) => boolean;

/** Strings in JSON that look like a role, also inside a path. The first part is the organization. */
const LIKE_ROLES = /"([\w.-]{1,64}):[\w.-]{1,64}:[\w.-]{1,64}\\?"/g;

/**
 * A role is an entry only if it starts with an organization of the domain: clients also send values like `aws:prod:admin`. A value
 * that was stored as free text stays free text until the client removes it.
 */
export async function entriesIn(db: Reader, domainId: string, sent: unknown): Promise<(stored: Resource) => IsEntry> {
  const named = new Set([...JSON.stringify(sent).matchAll(LIKE_ROLES)].map(([, organization]) => organization!));
  const organizations = await organizationsAmong(db, domainId, [...named]);
  return (stored) => (kind, value) =>
    kind.pattern.test(value) &&
    (kind.attribute !== 'roles' || organizations.has(value.split(':', 1)[0]!)) &&
    !stringsIn(kind, stored).has(value);
}

function withoutEntriesOf<T>(kind: OfferKind<T>, resource: Resource, assigned: readonly T[], isEntry: IsEntry): Resource {
  if (!(kind.attribute in resource)) return resource;
  const { [kind.attribute]: _, ...rest } = resource;
  const has = new Set(assigned.map(kind.idOf));
  const own = valuesIn(kind, resource).filter(
    ({ value }) => typeof value !== 'string' || !(has.has(value) || isEntry(kind, value)),
  );
  return own.length > 0 ? { ...rest, [kind.attribute]: own } : rest;
}

/** The resource without its entries: what the profile stores. */
export const withoutEntries = (resource: Resource, { roles, entitlements }: AssignedOffers, isEntry: IsEntry): Resource =>
  withoutEntriesOf(entitlementOffers, withoutEntriesOf(roleOffers, resource, roles, isEntry), entitlements, isEntry);

function withAssignedOf<T>(kind: OfferKind<T>, resource: Resource, assigned: readonly T[]): Resource {
  if (assigned.length === 0) return resource;
  const entries = assigned.map((offer) => ({ value: kind.idOf(offer), display: kind.displayOf(offer), type: kind.label }));
  const has = new Set<unknown>(entries.map(({ value }) => value));
  const words = valuesIn(kind, resource).filter(({ value }) => !has.has(value));
  return { ...resource, [kind.attribute]: [...words, ...entries] };
}

/** The resource with the assigned offers added to the free text. */
export const withAssignedOffers = (resource: Resource, { roles = [], entitlements = [] }: Partial<AssignedOffers>): Resource =>
  withAssignedOf(entitlementOffers, withAssignedOf(roleOffers, resource, roles), entitlements);

export const renderOffer = <T>(kind: OfferKind<T>, offer: T, base: string): Resource => ({
  schemas: [kind.type.core.id],
  id: kind.idOf(offer),
  displayName: kind.displayOf(offer),
  type: kind.label,
  description: kind.descriptionOf(offer),
  meta: {
    resourceType: kind.type.name,
    location: `${base}${kind.type.endpoint}/${encodeURIComponent(kind.idOf(offer))}`,
  },
});

interface OfferUser {
  readonly id: string;
  readonly domain_id: string;
  /** Whether the user has anything that could be an offer, if known. */
  readonly holds_offers?: boolean | number;
}

async function readAssignedByUser<T>(
  kind: OfferKind<T>,
  db: Reader,
  users: readonly OfferUser[],
): Promise<Map<string, readonly T[]>> {
  const found = new Map<string, readonly T[]>();
  const candidates = users.filter(({ holds_offers: mayHaveOffers = true }) => mayHaveOffers);
  for (const [domainId, rows] of Map.groupBy(candidates, (user) => user.domain_id)) {
    const ids = rows.map(({ id }) => id);
    for (const [id, offers] of await kind.assignedTo(db, domainId, ids)) found.set(id, offers);
  }
  return found;
}

/** The offers of many users, for the attributes that are requested. */
export async function readAssignedOffersOf(
  db: Reader,
  users: readonly OfferUser[],
  wants: (attribute: string) => boolean,
): Promise<(user: OfferUser) => Partial<AssignedOffers>> {
  const roles = wants('roles') ? await readAssignedByUser(roleOffers, db, users) : undefined;
  const entitlements = wants('entitlements') ? await readAssignedByUser(entitlementOffers, db, users) : undefined;
  return ({ id }) => ({ roles: roles?.get(id) ?? [], entitlements: entitlements?.get(id) ?? [] });
}

export async function readAssignedOffers(db: Reader, user: OfferUser): Promise<AssignedOffers> {
  const { roles = [], entitlements = [] } = (await readAssignedOffersOf(db, [user], () => true))(user);
  return { roles, entitlements };
}

export const NO_OFFERS: AssignedOffers = { roles: [], entitlements: [] };

/** The new state of a user. Attributes the client does not mention stay as they are. */
export interface OfferRequest {
  readonly resource: Resource;
  readonly mentions: (attribute: keyof AssignedOffers) => boolean;
  readonly isEntry: IsEntry;
  /** Whether the client sends attributes as a whole: values it leaves out are removed. */
  readonly isComplete: boolean;
}

interface OfferPlan<T> {
  /** Requested values the user does not have yet. */
  readonly missing: readonly string[];
  readonly removed: readonly T[];
}

function offerPlanOf<T>(kind: OfferKind<T>, assigned: readonly T[], { resource, mentions, isEntry }: OfferRequest): OfferPlan<T> {
  if (!mentions(kind.attribute)) return { missing: [], removed: [] };
  const requested = stringsIn(kind, resource);
  const has = new Set(assigned.map(kind.idOf));
  return {
    missing: [...requested].filter((value) => !has.has(value) && isEntry(kind, value)),
    removed: assigned.filter((offer) => !requested.has(kind.idOf(offer))),
  };
}

/** A user who keeps a role in an organization stays a member of it: the role would not count otherwise. */
function offerPlansOf(
  assigned: AssignedOffers,
  request: OfferRequest,
): { roles: OfferPlan<OfferedRole>; entitlements: OfferPlan<OfferedOrganization> } {
  const roles = offerPlanOf(roleOffers, assigned.roles, request);
  const entitlements = offerPlanOf(entitlementOffers, assigned.entitlements, request);
  const kept = assigned.roles.filter((role) => !roles.removed.includes(role)).map(({ organizationId }) => organizationId);
  const removed = entitlements.removed.filter(({ id }) => !kept.includes(id));
  return { roles, entitlements: { ...entitlements, removed } };
}

/** Entries assigned earlier that the client no longer sends. If it sends one again, that is a new request. */
function droppedEntries(before: readonly string[], { resource, mentions, isComplete }: OfferRequest): string[] {
  const dropped = (kind: OfferEntryKind): string[] => {
    const requested = stringsIn(kind, resource);
    return before.filter((entry) => kind.pattern.test(entry) && !requested.has(entry));
  };
  return isComplete ? [roleOffers, entitlementOffers].filter(({ attribute }) => mentions(attribute)).flatMap(dropped) : [];
}

export function changesOffers(assigned: AssignedOffers, request: OfferRequest, before: readonly string[]): boolean {
  const { roles, entitlements } = offerPlansOf(assigned, request);
  const changes = [roles, entitlements].some(({ missing, removed }) => missing.length + removed.length > 0);
  return changes || droppedEntries(before, request).length > 0;
}

/**
 * A new request for something that is no longer offered is refused. Clients also repeat what they assigned before: that, and
 * disabling an account, must not fail.
 */
async function findOffered<T>(
  kind: OfferKind<T>,
  db: Reader,
  user: OfferUser,
  { missing, before, closing }: { missing: readonly string[]; before: readonly string[]; closing: boolean },
): Promise<T[]> {
  if (missing.length === 0) return [];
  const offered = new Map((await kind.all(db, user.domain_id, missing)).map((offer) => [kind.idOf(offer), offer]));
  const gone = missing.filter((value) => !offered.has(value));
  const previous =
    gone.length > 0 && !closing ? new Set([...before, ...(await kind.previousEntries(db, user.domain_id, user.id))]) : undefined;
  const refused = previous && gone.find((value) => !previous.has(value));
  if (refused !== undefined)
    fail('scim.invalid_value', {
      name: kind.attribute,
      why: `there is no ${kind.type.name.toLowerCase()} ${refused} to give`,
    });
  return [...offered.values()];
}

/** Assigns and removes offers until the user has exactly the requested ones. Reads what is offered in the same transaction. */
export async function assignOffers(
  transaction: Change,
  user: OfferUser,
  requestOf: (assigned: AssignedOffers) => OfferRequest,
): Promise<void> {
  const assigned = await readAssignedOffers(transaction.tx, user);
  const request = requestOf(assigned);
  const plans = offerPlansOf(assigned, request);
  const closing = request.resource.active === false;
  const before = await readGrantedEntries(transaction.tx, user.id);
  const roles = await findOffered(roleOffers, transaction.tx, user, { missing: plans.roles.missing, before, closing });
  const { missing } = plans.entitlements;
  const organizations = await findOffered(entitlementOffers, transaction.tx, user, { missing, before, closing });
  // A user with a role in an organization is shown as a member of it. Roles are recorded where they are assigned.
  const entered = [...organizations.map(({ id }) => id), ...roles.map(({ organizationId }) => organizationId)];
  await provision(transaction, user, {
    roles: { added: roles, removed: plans.roles.removed },
    organizations: { added: organizations, removed: plans.entitlements.removed },
    entries: { added: [...new Set(entered.map(entryOf))], removed: droppedEntries(before, request) },
  });
}

/** The offers of the domain. */
export const createOfferList =
  ({ db }: { readonly db: Database }) =>
  async <T>(kind: OfferKind<T>, { domainId }: ScimContext, ids?: readonly string[]): Promise<readonly T[]> =>
    domainId === undefined ? [] : kind.all(db.read, domainId, ids);

export type OfferList = ReturnType<typeof createOfferList>;
