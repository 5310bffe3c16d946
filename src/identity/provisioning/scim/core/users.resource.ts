// Users as SCIM resources.
import { readGrantedEntries } from '../../../applications/app-roles/index.ts';
import { type NewPerson, type Person, type Profile, type Users, userFacts } from '../../../directory/users/index.ts';
import type { Change } from '../../../ground/audit/index.ts';
import type { Database } from '../../../ground/database/index.ts';
import { fail } from '../../../ground/faults.ts';
import { bit, parseJson } from '../../../ground/resource/index.ts';
import type { Resource } from './attribute.ts';
import { userType } from './definitions.ts';
import {
  type Extras,
  externalIdOf,
  metaOf,
  type Precondition,
  type ResourceHandler,
  type Revision,
  readName,
  targetWithin,
} from './handler.ts';
import {
  type AssignedOffers,
  assignOffers,
  changesOffers,
  entriesIn,
  NO_OFFERS,
  OFFERED_ATTRIBUTES,
  type OfferRequest,
  readAssignedOffers,
  readAssignedOffersOf,
  withAssignedOffers,
  withoutEntries,
} from './offers.ts';
import { applyPatch } from './patch.ts';
import { schemasOf } from './projection.ts';
import { flagsOf } from './resource.schema.ts';
import { type GroupOfUser, groupsOfUsers, type Rows } from './scim.store.ts';

/** Attributes that the profile does not store: they have a column or a table, or are not stored. */
const STORED_ELSEWHERE = ['schemas', 'id', 'externalId', 'userName', 'active', 'password', 'groups', 'meta'];
const MAX_PASSWORD = 4096;
const ENTERPRISE = userType.extensions[0]!.id;

const profileOf = (resource: Resource): Profile =>
  Object.fromEntries(Object.entries(resource).filter(([key]) => !STORED_ELSEWHERE.includes(key)));

const readPerson = ({ resource, isEntry }: OfferRequest, assigned: AssignedOffers): Person => ({
  externalId: externalIdOf(resource),
  profile: profileOf(withoutEntries(resource, assigned, isEntry)),
});

function passwordOf({ password }: Resource): string | undefined {
  if (password === undefined) return undefined;
  if (typeof password !== 'string' || password === '' || password.length > MAX_PASSWORD)
    fail('scim.invalid_value', { name: 'password', why: `it must have 1 to ${MAX_PASSWORD} characters` });
  return password;
}

/** The manager is a user of this service: sets the reference to it. */
function withManager(profile: Profile, base: string): Profile {
  const enterprise = profile[ENTERPRISE] as { manager?: { value?: unknown } } | undefined;
  const id = enterprise?.manager?.value;
  if (typeof id !== 'string') return profile;
  const manager = { ...enterprise!.manager, $ref: `${base}/Users/${encodeURIComponent(id)}` };
  return { ...profile, [ENTERPRISE]: { ...enterprise, manager } };
}

interface AssignedToUser {
  readonly groups?: readonly GroupOfUser[] | undefined;
  readonly offers?: Partial<AssignedOffers>;
}

function renderUser(row: Rows['users'], base: string, { groups = [], offers = {} }: AssignedToUser = {}): Resource {
  const profile = withAssignedOffers(parseJson<Profile>(row.profile), offers);
  return {
    schemas: schemasOf(userType, profile),
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName: row.name,
    active: row.enabled === 1,
    ...withManager(profile, base),
    ...(groups.length > 0
      ? {
          groups: groups.map(({ groupId, name }) => ({
            value: groupId,
            $ref: `${base}/Groups/${groupId}`,
            display: name,
            type: 'direct',
          })),
        }
      : {}),
    meta: metaOf(userType, base, row),
  };
}

/** The user after the revision. A PUT removes attributes it leaves out, except flags. */
function revisedUser(row: Rows['users'], revision: Revision, offers: AssignedOffers): Resource {
  const current = renderUser(row, '', { offers });
  if (revision.kind === 'patch') return applyPatch(userType, current, revision.operations);
  const kept = revision.kind === 'merge' ? current : flagsOf(userType, current);
  return { ...kept, ...revision.input };
}

/** Whether the client says that the user is not active, and does not just leave them so. */
const saysInactive = (row: Rows['users'], revision: Revision, offers: AssignedOffers): boolean =>
  revisedUser({ ...row, enabled: 1 }, revision, offers).active === false;

/** Whether a PATCH mentions an attribute. A false positive only costs a query. */
function mentions(revision: Revision, attribute: keyof AssignedOffers): boolean {
  if (revision.kind !== 'patch') return attribute in revision.input;
  return JSON.stringify(revision.operations).toLowerCase().includes(attribute);
}

export interface UserResources extends ResourceHandler<'users'> {
  /** Somebody who can be created together with others: without a password, whose hash takes long, and with nothing that is assigned. Fails as `create`. */
  newPerson(input: Resource): NewPerson | undefined;
  createMany: Users['createMany'];
}

export function createUserResources(deps: {
  db: Database;
  users: Users;
  /** Runs in the transaction that creates the user. */
  afterCreate?(transaction: Change, user: { id: string; name: string; domainId: string; hasDefault: boolean }): Promise<void>;
}): UserResources {
  const { db, users, afterCreate } = deps;

  return {
    type: userType,
    table: 'users',

    target: async (context, id) =>
      targetWithin(context, await users.find(id), userFacts, () => fail('user.not_found', { id }), { userId: id }),

    async render({ base }, rows, wants) {
      // One may have been changed just now: a standby would keep the answer waiting.
      const reader = rows.length > 1 ? db.lists : db.read;
      const unread = wants('groups') ? rows.filter((row) => !row.groups).map((row) => row.id) : [];
      const groups = unread.length > 0 ? await groupsOfUsers(reader, unread) : [];
      const byUser = Map.groupBy(groups, ({ userId }) => userId);
      const offersOf = await readAssignedOffersOf(reader, rows, wants);
      const groupsOf = (row: Rows['users']) => (wants('groups') ? (row.groups ?? byUser.get(row.id)) : undefined);
      return rows.map((row) => renderUser(row, base, { groups: groupsOf(row), offers: offersOf(row) }));
    },

    async create({ caller }, domainId, input, extras: Extras = {}) {
      const name = readName(input, 'userName');
      const body = {
        name,
        enabled: input.active !== false,
        password: passwordOf(input),
        ...(extras.defaultProjectId ? { default_project_id: extras.defaultProjectId } : {}),
      };
      const isEntry = (
        await entriesIn(
          db.read,
          domainId,
          OFFERED_ATTRIBUTES.map((key) => input[key] ?? null),
        )
      )({});
      const request: OfferRequest = { resource: input, mentions: (attribute) => attribute in input, isEntry, isComplete: true };
      const assigns = changesOffers(NO_OFFERS, request, []);
      const inTransaction = async (transaction: Change, id: string): Promise<void> => {
        await afterCreate?.(transaction, { id, name, domainId, hasDefault: !!extras.defaultProjectId });
        if (assigns) await assignOffers(transaction, { id, domain_id: domainId }, () => request);
      };
      const details = { id: extras.id, person: readPerson(request, NO_OFFERS) };
      return users.create(caller, domainId, body, afterCreate || assigns ? { ...details, inTransaction } : details);
    },

    newPerson(input) {
      const name = readName(input, 'userName');
      if (passwordOf(input) !== undefined || OFFERED_ATTRIBUTES.some((attribute) => attribute in input)) return undefined;
      return { name, enabled: input.active !== false, person: { externalId: externalIdOf(input), profile: profileOf(input) } };
    },

    createMany: users.createMany,

    async revise({ caller }, user, revision, expect?: Precondition, extras: Extras = {}) {
      // Attributes that are not mentioned are not read.
      const mentioned = OFFERED_ATTRIBUTES.filter((attribute) => mentions(revision, attribute));
      const assigned = mentioned.length > 0 ? await readAssignedOffers(db.read, user) : NO_OFFERS;
      const before = mentioned.length > 0 ? await readGrantedEntries(db.read, user.id) : [];
      const sent = revision.kind === 'patch' ? revision.operations : mentioned.map((attribute) => revision.input[attribute]);
      const entries = await entriesIn(db.read, user.domain_id, mentioned.length > 0 ? sent : []);
      return users.revise(caller, user, (row) => {
        expect?.(row);
        const requestOf = (now: AssignedOffers): OfferRequest => ({
          resource: revisedUser(row, revision, now),
          mentions: (attribute) => mentioned.includes(attribute),
          isEntry: entries(parseJson<Profile>(row.profile)),
          isComplete: revision.kind !== 'patch',
        });
        const request = requestOf(assigned);
        const { resource } = request;
        const name = readName(resource, 'userName');
        const password = passwordOf(resource);
        const enabled = resource.active !== false;
        return {
          body: {
            ...(extras.id === undefined ? {} : { id: extras.id }),
            ...(extras.domainId === undefined ? {} : { domain_id: extras.domainId }),
            ...(extras.defaultProjectId === undefined ? {} : { default_project_id: extras.defaultProjectId }),
            ...(name === row.name ? {} : { name }),
            // Said of somebody who is disabled already, it ends their ways back: they may have closed the account themselves.
            ...(bit(enabled) !== row.enabled || saysInactive(row, revision, assigned) ? { enabled } : {}),
            ...(password === undefined ? {} : { password }),
          },
          person: readPerson(request, assigned),
          inTransaction: changesOffers(assigned, request, before)
            ? (transaction) => assignOffers(transaction, row, requestOf)
            : undefined,
        };
      });
    },

    remove: ({ caller }, user, expect) => users.remove(caller, user, expect),
  };
}
