// Users as SCIM resources.
import { readGrantedEntries } from '../../app-roles/index.ts';
import type { Change } from '../../audit/index.ts';
import type { Database } from '../../database.ts';
import { fail } from '../../faults.ts';
import { bit, parseJson } from '../../resource/index.ts';
import { type Person, type Profile, type Users, userFacts } from '../../users/index.ts';
import type { Resource } from './attribute.ts';
import { userType } from './definitions.ts';
import {
  type Extras,
  externalIdOf,
  type Handler,
  metaOf,
  type Precondition,
  type Revision,
  readName,
  targetWithin,
} from './handler.ts';
import {
  changesOffers,
  entriesIn,
  type HeldOffers,
  heldOffers,
  heldOffersOf,
  holdOffers,
  NOTHING_HELD,
  OFFERED_ATTRIBUTES,
  type Wanted,
  withHeld,
  withoutEntries,
} from './offers.ts';
import { applyPatch } from './patch.ts';
import { schemasOf } from './projection.ts';
import { type GroupOfUser, groupsOfUsers, type Rows } from './scim.store.ts';

/** Attributes that have a column or a table of their own, or none at all. */
const ELSEWHERE = ['schemas', 'id', 'externalId', 'userName', 'active', 'password', 'groups', 'meta'];
const MAX_PASSWORD = 4096;
const ENTERPRISE = userType.extensions[0]!.id;

const profileOf = (resource: Resource): Profile =>
  Object.fromEntries(Object.entries(resource).filter(([key]) => !ELSEWHERE.includes(key)));

const personOf = ({ resource, isEntry }: Wanted, held: HeldOffers): Person => ({
  externalId: externalIdOf(resource),
  profile: profileOf(withoutEntries(resource, held, isEntry)),
});

function passwordOf({ password }: Resource): string | undefined {
  if (password === undefined) return undefined;
  if (typeof password !== 'string' || password === '' || password.length > MAX_PASSWORD)
    fail('scim.invalid_value', { name: 'password', why: `it must have 1 to ${MAX_PASSWORD} characters` });
  return password;
}

/** The manager is a user here: where, is for us to say. */
function withManager(profile: Profile, base: string): Profile {
  const enterprise = profile[ENTERPRISE] as { manager?: { value?: unknown } } | undefined;
  const id = enterprise?.manager?.value;
  if (typeof id !== 'string') return profile;
  const manager = { ...enterprise!.manager, $ref: `${base}/Users/${encodeURIComponent(id)}` };
  return { ...profile, [ENTERPRISE]: { ...enterprise, manager } };
}

interface Held {
  readonly groups?: readonly GroupOfUser[] | undefined;
  readonly offers?: Partial<HeldOffers>;
}

function renderUser(row: Rows['users'], base: string, { groups = [], offers = {} }: Held = {}): Resource {
  const profile = withHeld(parseJson<Profile>(row.profile), offers);
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

/** What the user is to be. What a PUT leaves out goes, but nobody is let in or shut out by leaving `active` out. */
function next(row: Rows['users'], revision: Revision, offers: HeldOffers): Resource {
  const current = renderUser(row, '', { offers });
  if (revision.kind === 'patch') return applyPatch(userType, current, revision.operations);
  return revision.kind === 'merge' ? { ...current, ...revision.input } : { active: current.active, ...revision.input };
}

/** A PATCH that speaks of an attribute names it; one that names it otherwise only costs a look. */
function speaksOf(revision: Revision, attribute: keyof HeldOffers): boolean {
  if (revision.kind !== 'patch') return attribute in revision.input;
  return JSON.stringify(revision.operations).toLowerCase().includes(attribute);
}

export function createUserResources(deps: {
  db: Database;
  users: Users;
  /** What else a new user of this API gets, in the same transaction. */
  welcome?(transaction: Change, user: { id: string; name: string; domainId: string; hasDefault: boolean }): Promise<void>;
}): Handler<'users'> {
  const { db, users, welcome } = deps;

  return {
    type: userType,
    table: 'users',

    target: async (context, id) =>
      targetWithin(context, await users.find(id), userFacts, () => fail('user.not_found', { id }), { userId: id }),

    async render({ base }, rows, wants) {
      const unread = wants('groups') ? rows.filter((row) => !row.groups).map((row) => row.id) : [];
      const groups = unread.length > 0 ? await groupsOfUsers(db.read, unread) : [];
      const byUser = Map.groupBy(groups, ({ userId }) => userId);
      const offersOf = await heldOffersOf(db.read, rows, wants);
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
      const wanted: Wanted = { resource: input, speaksOf: (attribute) => attribute in input, isEntry, namesAll: true };
      const inTransaction = async (transaction: Change, id: string): Promise<void> => {
        await welcome?.(transaction, { id, name, domainId, hasDefault: !!extras.defaultProjectId });
        if (changesOffers(NOTHING_HELD, wanted, [])) await holdOffers(transaction, { id, domain_id: domainId }, () => wanted);
      };
      return users.create(caller, domainId, body, { id: extras.id, person: personOf(wanted, NOTHING_HELD), inTransaction });
    },

    async revise({ caller }, user, revision, expect?: Precondition, extras: Extras = {}) {
      // What nobody speaks of is not looked up.
      const spoken = OFFERED_ATTRIBUTES.filter((attribute) => speaksOf(revision, attribute));
      const held = spoken.length > 0 ? await heldOffers(db.read, user) : NOTHING_HELD;
      const before = spoken.length > 0 ? await readGrantedEntries(db.read, user.id) : [];
      const sent = revision.kind === 'patch' ? revision.operations : spoken.map((attribute) => revision.input[attribute]);
      const entries = await entriesIn(db.read, user.domain_id, spoken.length > 0 ? sent : []);
      return users.revise(caller, user, (row) => {
        expect?.(row);
        const wantedOf = (now: HeldOffers): Wanted => ({
          resource: next(row, revision, now),
          speaksOf: (attribute) => spoken.includes(attribute),
          isEntry: entries(parseJson<Profile>(row.profile)),
          namesAll: revision.kind !== 'patch',
        });
        const wanted = wantedOf(held);
        const { resource } = wanted;
        const name = readName(resource, 'userName');
        const password = passwordOf(resource);
        const enabled = resource.active !== false;
        return {
          body: {
            ...(extras.id === undefined ? {} : { id: extras.id }),
            ...(extras.domainId === undefined ? {} : { domain_id: extras.domainId }),
            ...(extras.defaultProjectId === undefined ? {} : { default_project_id: extras.defaultProjectId }),
            ...(name === row.name ? {} : { name }),
            ...(bit(enabled) === row.enabled ? {} : { enabled }),
            ...(password === undefined ? {} : { password }),
          },
          person: personOf(wanted, held),
          inTransaction: changesOffers(held, wanted, before)
            ? (transaction) => holdOffers(transaction, row, wantedOf)
            : undefined,
        };
      });
    },

    async remove({ caller }, user, expect) {
      expect?.(user);
      await users.remove(caller, user);
    },
  };
}
