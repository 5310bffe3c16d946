// What Okta's governance finds in a list and gives people as an attribute: roles of applications, memberships of organizations.

import {
  assignedRoleEntries,
  deleteGrantedEntries,
  memberOrganizationIds,
  type OfferedOrganization,
  type OfferedRole,
  offeredOrganizations,
  offeredOrganizationsOf,
  offeredRoles,
  offeredRolesOf,
  organizationsAmong,
  provision,
  readGrantedEntries,
  recordGrantedEntries,
} from '../../app-roles/index.ts';
import type { Change } from '../../audit/index.ts';
import type { Database, Reader } from '../../database.ts';
import { fail } from '../../faults.ts';
import type { Resource, ResourceType } from './attribute.ts';
import { entitlementType, roleType } from './definitions.ts';
import type { Context } from './handler.ts';

/** One list, and the attribute of users that its entries are given by. */
export interface OfferKind<T> {
  readonly attribute: keyof HeldOffers;
  readonly type: ResourceType;
  /** The `type` of an entry. */
  readonly label: string;
  /** How entries look. Other values of the attribute are the client's own words, and are only kept. */
  readonly pattern: RegExp;
  idOf(offer: T): string;
  displayOf(offer: T): string;
  descriptionOf(offer: T): string;
  /** What is on the list; with `ids`, those among it. */
  all(db: Reader, domainId: string, ids?: readonly string[]): Promise<readonly T[]>;
  /** What a user was given, whether it is on the list now or not. */
  given(db: Reader, domainId: string, userId: string): Promise<readonly string[]>;
  of(db: Reader, domainId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly T[]>>;
}

/** What a user holds of each list. */
export interface HeldOffers {
  readonly roles: readonly OfferedRole[];
  readonly entitlements: readonly OfferedOrganization[];
}

/** A value is organization, application and role. */
export const roleOffers: OfferKind<OfferedRole> = {
  attribute: 'roles',
  type: roleType,
  label: roleType.name,
  pattern: /^[\w.-]{1,64}:[\w.-]{1,64}:[\w.-]{1,64}$/,
  idOf: ({ id }) => id,
  displayOf: ({ applicationName, roleName }) => `${applicationName}: ${roleName}`,
  descriptionOf: ({ organizationName }) => `In the organization ${organizationName}`,
  all: offeredRoles,
  given: assignedRoleEntries,
  of: offeredRolesOf,
};

const ORGANIZATION = 'organization';
const entryOf = (organizationId: string): string => `${ORGANIZATION}:${organizationId}`;

/** The word before the id sets an entry of the list apart from what clients kept here before. */
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
  given: async (db, domainId, userId) => (await memberOrganizationIds(db, domainId, userId)).map(entryOf),
  of: offeredOrganizationsOf,
};

export const OFFERED_ATTRIBUTES = ['roles', 'entitlements'] as const satisfies readonly (keyof HeldOffers)[];

interface Given {
  readonly value?: unknown;
}

type AnyKind = Pick<OfferKind<unknown>, 'attribute' | 'pattern'>;

const valuesIn = ({ attribute }: AnyKind, resource: Resource): readonly Given[] => {
  const values = resource[attribute];
  return Array.isArray(values) ? (values as Given[]) : [];
};
const textsIn = (kind: AnyKind, resource: Resource): Set<string> =>
  new Set(valuesIn(kind, resource).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));

/** Tells entries of the lists from words that only look like one. */
export type IsEntry = (kind: AnyKind, value: string) => boolean;

/** In JSON: strings, also those inside a path, that look like a role; the first part names the organization. */
const LIKE_ROLES = /"([\w.-]{1,64}):[\w.-]{1,64}:[\w.-]{1,64}\\?"/g;

/**
 * Of what a client sends to a domain, a role is an entry when it begins with an organization of that domain: others name roles
 * as `aws:prod:admin` too. What was kept as a word before stays one until the client takes it away.
 */
export async function entriesIn(db: Reader, domainId: string, sent: unknown): Promise<(stored: Resource) => IsEntry> {
  const named = new Set([...JSON.stringify(sent).matchAll(LIKE_ROLES)].map(([, organization]) => organization!));
  const known = await organizationsAmong(db, domainId, [...named]);
  return (stored) => (kind, value) =>
    kind.pattern.test(value) &&
    (kind.attribute !== 'roles' || known.has(value.split(':', 1)[0]!)) &&
    !textsIn(kind, stored).has(value);
}

function wordsOf<T>(kind: OfferKind<T>, resource: Resource, held: readonly T[], isEntry: IsEntry): Resource {
  if (!(kind.attribute in resource)) return resource;
  const { [kind.attribute]: _, ...rest } = resource;
  const has = new Set(held.map(kind.idOf));
  const own = valuesIn(kind, resource).filter(
    ({ value }) => typeof value !== 'string' || !(has.has(value) || isEntry(kind, value)),
  );
  return own.length > 0 ? { ...rest, [kind.attribute]: own } : rest;
}

/** What stays with the profile. */
export const withoutEntries = (resource: Resource, { roles, entitlements }: HeldOffers, isEntry: IsEntry): Resource =>
  wordsOf(entitlementOffers, wordsOf(roleOffers, resource, roles, isEntry), entitlements, isEntry);

function withHeldOf<T>(kind: OfferKind<T>, resource: Resource, held: readonly T[]): Resource {
  if (held.length === 0) return resource;
  const entries = held.map((offer) => ({ value: kind.idOf(offer), display: kind.displayOf(offer), type: kind.label }));
  const has = new Set<unknown>(entries.map(({ value }) => value));
  const words = valuesIn(kind, resource).filter(({ value }) => !has.has(value));
  return { ...resource, [kind.attribute]: [...words, ...entries] };
}

/** A resource with what is held beside what is only kept. */
export const withHeld = (resource: Resource, { roles = [], entitlements = [] }: Partial<HeldOffers>): Resource =>
  withHeldOf(entitlementOffers, withHeldOf(roleOffers, resource, roles), entitlements);

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

interface Owner {
  readonly id: string;
  readonly domain_id: string;
  /** Whether they hold anything that could be on the lists, where that is known. */
  readonly holds_offers?: boolean | number;
}

async function heldByMany<T>(kind: OfferKind<T>, db: Reader, users: readonly Owner[]): Promise<Map<string, readonly T[]>> {
  const found = new Map<string, readonly T[]>();
  const holders = users.filter(({ holds_offers: holds = true }) => holds);
  for (const [domainId, rows] of Map.groupBy(holders, (user) => user.domain_id)) {
    const ids = rows.map(({ id }) => id);
    for (const [id, offers] of await kind.of(db, domainId, ids)) found.set(id, offers);
  }
  return found;
}

/** What many users hold of the lists that are asked for. */
export async function heldOffersOf(
  db: Reader,
  users: readonly Owner[],
  wants: (attribute: string) => boolean,
): Promise<(user: Owner) => Partial<HeldOffers>> {
  const roles = wants('roles') ? await heldByMany(roleOffers, db, users) : undefined;
  const entitlements = wants('entitlements') ? await heldByMany(entitlementOffers, db, users) : undefined;
  return ({ id }) => ({ roles: roles?.get(id) ?? [], entitlements: entitlements?.get(id) ?? [] });
}

export async function heldOffers(db: Reader, user: Owner): Promise<HeldOffers> {
  const { roles = [], entitlements = [] } = (await heldOffersOf(db, [user], () => true))(user);
  return { roles, entitlements };
}

export const NOTHING_HELD: HeldOffers = { roles: [], entitlements: [] };

/** What a user is to be, and of which attributes the client speaks: nobody loses what it does not speak of. */
export interface Wanted {
  readonly resource: Resource;
  readonly speaksOf: (attribute: keyof HeldOffers) => boolean;
  readonly isEntry: IsEntry;
  /** Whether what the client does not name of an attribute is what it does not want. */
  readonly namesAll: boolean;
}

interface Plan<T> {
  /** Values that are wanted and not held. */
  readonly missing: readonly string[];
  readonly taken: readonly T[];
}

function planOf<T>(kind: OfferKind<T>, held: readonly T[], { resource, speaksOf, isEntry }: Wanted): Plan<T> {
  if (!speaksOf(kind.attribute)) return { missing: [], taken: [] };
  const wanted = textsIn(kind, resource);
  const has = new Set(held.map(kind.idOf));
  return {
    missing: [...wanted].filter((value) => !has.has(value) && isEntry(kind, value)),
    taken: held.filter((offer) => !wanted.has(kind.idOf(offer))),
  };
}

/** Who keeps a role inside an organization stays a member of it: without, the role would not count. */
function plansOf(held: HeldOffers, wanted: Wanted): { roles: Plan<OfferedRole>; entitlements: Plan<OfferedOrganization> } {
  const roles = planOf(roleOffers, held.roles, wanted);
  const entitlements = planOf(entitlementOffers, held.entitlements, wanted);
  const kept = held.roles.filter((role) => !roles.taken.includes(role)).map(({ organizationId }) => organizationId);
  const taken = entitlements.taken.filter(({ id }) => !kept.includes(id));
  return { roles, entitlements: { ...entitlements, taken } };
}

/** Of what was given once, that the client names no more. From then on it would ask for it anew. */
function forgotten(before: readonly string[], { resource, speaksOf, namesAll }: Wanted): string[] {
  const dropped = (kind: AnyKind): string[] => {
    const wanted = textsIn(kind, resource);
    return before.filter((entry) => kind.pattern.test(entry) && !wanted.has(entry));
  };
  return namesAll ? [roleOffers, entitlementOffers].filter(({ attribute }) => speaksOf(attribute)).flatMap(dropped) : [];
}

export function changesOffers(held: HeldOffers, wanted: Wanted, before: readonly string[]): boolean {
  const { roles, entitlements } = plansOf(held, wanted);
  const changes = [roles, entitlements].some(({ missing, taken }) => missing.length + taken.length > 0);
  return changes || forgotten(before, wanted).length > 0;
}

/**
 * What is no longer on the list is refused to those who ask for it anew. Clients also repeat what they gave before: that, and
 * closing an account, must not fail because of it.
 */
async function given<T>(
  kind: OfferKind<T>,
  db: Reader,
  user: Owner,
  { missing, before, closing }: { missing: readonly string[]; before: readonly string[]; closing: boolean },
): Promise<T[]> {
  if (missing.length === 0) return [];
  const offered = new Map((await kind.all(db, user.domain_id, missing)).map((offer) => [kind.idOf(offer), offer]));
  const gone = missing.filter((value) => !offered.has(value));
  const known =
    gone.length > 0 && !closing ? new Set([...before, ...(await kind.given(db, user.domain_id, user.id))]) : undefined;
  const refused = known && gone.find((value) => !known.has(value));
  if (refused !== undefined)
    fail('scim.invalid_value', {
      name: kind.attribute,
      why: `there is no ${kind.type.name.toLowerCase()} ${refused} to give`,
    });
  return [...offered.values()];
}

/** Gives and takes until the user holds just what is wanted of the lists. What is on them is decided inside the change. */
export async function holdOffers(transaction: Change, user: Owner, wantedOf: (held: HeldOffers) => Wanted): Promise<void> {
  const held = await heldOffers(transaction.tx, user);
  const wanted = wantedOf(held);
  const plans = plansOf(held, wanted);
  const closing = wanted.resource.active === false;
  const before = await readGrantedEntries(transaction.tx, user.id);
  const roles = await given(roleOffers, transaction.tx, user, { missing: plans.roles.missing, before, closing });
  const { missing } = plans.entitlements;
  const organizations = await given(entitlementOffers, transaction.tx, user, { missing, before, closing });
  await deleteGrantedEntries(transaction.tx, user.id, forgotten(before, wanted));
  // Whoever gets a role inside an organization is shown as a member of it. Roles are noted where they are assigned.
  const entered = [...organizations.map(({ id }) => id), ...roles.map(({ organizationId }) => organizationId)];
  await recordGrantedEntries(transaction.tx, user.id, [...new Set(entered.map(entryOf))]);
  if (roles.length + organizations.length + plans.roles.taken.length + plans.entitlements.taken.length === 0) return;
  await provision(transaction, user, {
    roles: { added: roles, removed: plans.roles.taken },
    organizations: { added: organizations, removed: plans.entitlements.taken },
  });
}

/** What people of the domain can be given. */
export const createOfferList =
  ({ db }: { readonly db: Database }) =>
  async <T>(kind: OfferKind<T>, { domainId }: Context, ids?: readonly string[]): Promise<readonly T[]> =>
    domainId === undefined ? [] : kind.all(db.read, domainId, ids);

export type OfferList = ReturnType<typeof createOfferList>;
