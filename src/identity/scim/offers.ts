// What Okta's governance finds in a list and gives people as an attribute: roles of applications, memberships of organizations.
import {
  type OfferedOrganization,
  type OfferedRole,
  offeredOrganizations,
  offeredOrganizationsOf,
  offeredRoles,
  offeredRolesOf,
  provision,
} from '../app-roles/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, Reader } from '../database.ts';
import { fail } from '../faults.ts';
import { listTarget, permit } from '../policy.ts';
import type { Resource, ResourceType } from './attribute.ts';
import { entitlementType, roleType } from './definitions.ts';
import type { Context } from './handler.ts';

/** One list, and the attribute of users that its entries are given by. */
export interface OfferKind<T> {
  readonly attribute: keyof HeldOffers;
  readonly type: ResourceType;
  /** The `type` of an entry. */
  readonly label: string;
  /** Other values of the attribute are the client's own words, and are only kept. */
  readonly pattern: RegExp;
  idOf(offer: T): string;
  displayOf(offer: T): string;
  descriptionOf(offer: T): string;
  all(db: Reader, domainId: string): Promise<readonly T[]>;
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
  of: offeredRolesOf,
};

const ORGANIZATION = 'organization';

/** The word before the id sets an entry of the list apart from what clients kept here before. */
export const entitlementOffers: OfferKind<OfferedOrganization> = {
  attribute: 'entitlements',
  type: entitlementType,
  label: ORGANIZATION,
  pattern: new RegExp(`^${ORGANIZATION}:[\\w.-]{1,64}$`),
  idOf: ({ id }) => `${ORGANIZATION}:${id}`,
  displayOf: ({ name }) => name,
  descriptionOf: ({ name }) => `Member of the organization ${name}`,
  all: offeredOrganizations,
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
const isListed = ({ pattern }: AnyKind, { value }: Given): boolean => typeof value === 'string' && pattern.test(value);

const listedIn = (kind: AnyKind, resource: Resource): string[] => [
  ...new Set(
    valuesIn(kind, resource)
      .filter((given) => isListed(kind, given))
      .map(({ value }) => value as string),
  ),
];

function withoutListedOf(kind: AnyKind, resource: Resource): Resource {
  if (!(kind.attribute in resource)) return resource;
  const { [kind.attribute]: _, ...rest } = resource;
  const own = valuesIn(kind, resource).filter((given) => !isListed(kind, given));
  return own.length > 0 ? { ...rest, [kind.attribute]: own } : rest;
}

/** What stays with the profile. */
export const withoutListed = (resource: Resource): Resource =>
  withoutListedOf(entitlementOffers, withoutListedOf(roleOffers, resource));

function withHeldOf<T>(kind: OfferKind<T>, resource: Resource, held: readonly T[]): Resource {
  if (held.length === 0) return resource;
  const entries = held.map((offer) => ({ value: kind.idOf(offer), display: kind.displayOf(offer), type: kind.label }));
  return { ...resource, [kind.attribute]: [...valuesIn(kind, resource), ...entries] };
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
}

async function heldByMany<T>(kind: OfferKind<T>, db: Reader, users: readonly Owner[]): Promise<Map<string, readonly T[]>> {
  const found = new Map<string, readonly T[]>();
  for (const [domainId, rows] of Map.groupBy(users, (user) => user.domain_id)) {
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

/** What a user is to be, and of which attributes the client speaks: nobody loses what it does not speak of. */
export interface Wanted {
  readonly resource: Resource;
  readonly speaksOf: (attribute: keyof HeldOffers) => boolean;
}

interface Plan<T> {
  /** Values that are wanted and not held. */
  readonly missing: readonly string[];
  readonly taken: readonly T[];
}

function planOf<T>(kind: OfferKind<T>, held: readonly T[], { resource, speaksOf }: Wanted): Plan<T> {
  if (!speaksOf(kind.attribute)) return { missing: [], taken: [] };
  const wanted = listedIn(kind, resource);
  const has = new Set(held.map(kind.idOf));
  return {
    missing: wanted.filter((value) => !has.has(value)),
    taken: held.filter((offer) => !wanted.includes(kind.idOf(offer))),
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

export function changesOffers(held: HeldOffers, wanted: Wanted): boolean {
  const { roles, entitlements } = plansOf(held, wanted);
  return [roles, entitlements].some(({ missing, taken }) => missing.length + taken.length > 0);
}

async function given<T>(kind: OfferKind<T>, db: Reader, domainId: string, missing: readonly string[]): Promise<T[]> {
  if (missing.length === 0) return [];
  const offered = new Map((await kind.all(db, domainId)).map((offer) => [kind.idOf(offer), offer]));
  return missing.map(
    (value) =>
      offered.get(value) ??
      fail('scim.invalid_value', {
        name: kind.attribute,
        why: `there is no ${kind.type.name.toLowerCase()} ${value} to give`,
      }),
  );
}

/** Gives and takes until the user holds just what is wanted of the lists. What is on them is decided inside the change. */
export async function holdOffers(inside: Change, user: Owner, wantedOf: (held: HeldOffers) => Wanted): Promise<void> {
  const held = await heldOffers(inside.tx, user);
  const plans = plansOf(held, wantedOf(held));
  const roles = await given(roleOffers, inside.tx, user.domain_id, plans.roles.missing);
  const organizations = await given(entitlementOffers, inside.tx, user.domain_id, plans.entitlements.missing);
  if (roles.length + organizations.length + plans.roles.taken.length + plans.entitlements.taken.length === 0) return;
  await provision(inside, user, {
    roles: { given: roles, taken: plans.roles.taken },
    organizations: { given: organizations, taken: plans.entitlements.taken },
  });
}

export const hasListed = (resource: Resource): boolean =>
  listedIn(roleOffers, resource).length + listedIn(entitlementOffers, resource).length > 0;

/** Whoever may list the people of the domain sees what they can be given. */
export const createOfferList =
  ({ db }: { readonly db: Database }) =>
  async <T>(kind: OfferKind<T>, { caller, domainId }: Context): Promise<readonly T[]> => {
    permit(caller, 'identity:list_users', listTarget(caller));
    return domainId === undefined ? [] : kind.all(db.read, domainId);
  };

export type OfferList = ReturnType<typeof createOfferList>;
