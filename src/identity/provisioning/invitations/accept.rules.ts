// Accepting an invitation, with a new account or an existing one. Everything happens in one transaction, with the rights that the inviter
// has in that moment.
import { seconds } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type AttemptOrigin, addressKey, type Throttle } from '../../../platform/limits/index.ts';
import { type Access, findProject } from '../../access/context/index.ts';
import { type Caller, permit } from '../../access/rules/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import {
  findUser,
  isEmailConfirmed,
  isMainEmail,
  isOwnName,
  lockEmail,
  recipientOf,
  type Users,
  usersByMainEmail,
  usersWithConfirmedEmail,
} from '../../directory/users/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { InvitationRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { acceptTerms } from '../people/index.ts';
import { checkedFields, type FieldUses, type FieldValues, profileOf } from '../registration/index.ts';
import { checkDomain, fieldUsesIn, termsIn } from './domain.rules.ts';
import type { InvitationDeps } from './invitations.rules.ts';
import { findInvitation, lockInvitation, updateInvitation } from './invitations.store.ts';
import { inviterOf } from './inviter.ts';
import { createItems } from './items.rules.ts';
import { placeOf } from './place.ts';

/** Attempts to accept one invitation: names of other users could be guessed. */
export const ATTEMPTS_LIMIT = { attempts: 20, perSeconds: 3600 };

/** As for users that are created directly. */
const MAX_NAME = 255;
const MAX_PASSWORD = 4096;

function checkLength(field: string, value: string, most: number): void {
  if (value === '' || [...value].length > most) fail('request.bad_value', { field, why: `it must have 1 to ${most} characters` });
}

/** An address has to be the one that the link proves, or the name that the inviter proposed, who may create users with any name. */
function checkName(name: string, { email, name: proposed }: InvitationRow): void {
  checkLength('name', name, MAX_NAME);
  if (!isOwnName(name, [email, proposed])) fail('user.name_is_address');
}

interface NewAccount {
  readonly name: string;
  readonly password: string;
  readonly fields: FieldValues;
  /** The version of the terms that the page named, if the person accepts it. */
  readonly acceptedTerms: string | undefined;
}

/** For the page. Only the holder of the link sees it, who reads the mails to the address. */
export interface OpenInvitation {
  readonly id: string;
  readonly domainId: string;
  readonly email: string;
  /** The proposed user name. */
  readonly name: string;
  /** Undefined if they were deleted. */
  readonly inviter: string | undefined;
  /** The organization, or the domain if there is none. */
  readonly organization: string;
  /**
   * Accounts of the domain with this address. If one has confirmed it, it is the person's, and they sign in. If not, it may be somebody
   * else's, and they can also make a new one.
   */
  readonly accounts: 'confirmed' | 'unconfirmed' | 'none';
  /** What a new account is asked for. */
  readonly fields: FieldUses;
  readonly language: string | undefined;
}

interface AcceptDeps extends InvitationDeps {
  readonly access: Pick<Access, 'readIn'>;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly attempts: Throttle;
}

/** A person who has not signed in. */
export interface Visitor extends AttemptOrigin {
  readonly requestId: string;
}

/** A person who has signed in, as they were checked. */
export interface SignedInActor extends Actor {
  readonly userId: string;
  readonly requestId: string;
  readonly epoch: number;
}

export function createAcceptance(deps: AcceptDeps) {
  const { db, clock, change, config, domainSettings, links, access, users, passwords, attempts } = deps;
  const items = createItems(deps);

  /** The pending invitation of a link. Only a look: `acceptIn` decides. */
  async function findRow(token: string): Promise<InvitationRow | undefined> {
    const link = await links.find(token, 'invitation');
    const row = link?.about === undefined ? undefined : await findInvitation(db.read, link.about);
    return row?.status === 'pending' && row.email === link?.address ? row : undefined;
  }

  async function find(token: string): Promise<OpenInvitation | undefined> {
    const row = await findRow(token);
    if (!row) return undefined;
    const { id, email, name, domain_id, inviter_id, language } = row;
    const inviter = await findUser(db.read, inviter_id);
    const known = await usersByMainEmail(db.read, domain_id, email);
    return {
      id,
      domainId: domain_id,
      email,
      name: name ?? email,
      inviter: inviter && recipientOf(inviter).name,
      organization: await placeOf(db.read, config, row),
      accounts: known.some(isEmailConfirmed) ? 'confirmed' : known.length > 0 ? 'unconfirmed' : 'none',
      fields: await fieldUsesIn(db.read, domainSettings, domain_id),
      language: language ?? undefined,
    };
  }

  /** The inviter, if they may still invite to the domain. */
  async function checkInviter(tx: Tx, row: InvitationRow, requestId: string): Promise<Caller> {
    const inviter = (await inviterOf(access, tx, row, requestId)) ?? fail('auth.forbidden', { action: 'invite' });
    permit(inviter, 'identity:create_invitation', { domainId: row.domain_id });
    return inviter;
  }

  /** Uses up the link. `account` returns the id of the account, which exists then. */
  async function acceptIn(
    transaction: Change,
    { id, domain_id, email }: InvitationRow,
    { token, requestId }: { readonly token: string; readonly requestId: string },
    account: (row: InvitationRow, organizationId: string | null) => Promise<string>,
  ): Promise<void> {
    const { tx, audit } = transaction;
    const ended = () => fail('invitation.link_ended');
    await lockEmail(db, tx, domain_id, email);
    const row = (await lockInvitation(db, tx, id)) ?? ended();
    const link = (await links.use(transaction, token, 'invitation')) ?? ended();
    if (row.status !== 'pending' || link.about !== id || link.address !== row.email) ended();
    if (!(await findProject(tx, domain_id))?.enabled) fail('invitation.void');
    // The settings may have changed while the password was hashed.
    await checkDomain(tx, domainSettings, domain_id, email);
    const inviter = await checkInviter(tx, row, requestId);
    const { gives, joinsOrganization } = await items.prepare(transaction, inviter, id, row);
    const userId = await account(row, joinsOrganization ? row.organization_id : null);
    for (const give of gives) await give(transaction, userId);
    await updateInvitation(tx, id, { status: 'accepted', ended_at: seconds(clock), user_id: userId });
    audit('invitation.accepted', { kind: 'invitation', id }, { user_id: userId, inviter_id: row.inviter_id });
  }

  /** A refusal for the inviter's sake is recorded: the transaction that would have recorded it was undone. */
  async function accepting<T>({ id, inviter_id }: InvitationRow, actor: Actor, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || !['auth.forbidden', 'invitation.void'].includes(error.code)) throw error;
      await change({ userId: null, requestId: actor.requestId }, async ({ audit }) =>
        audit('invitation.refused', { kind: 'invitation', id }, { inviter_id, reason: error.message }, 'failure'),
      );
      return fail('invitation.void');
    }
  }

  /** Before anything expensive. */
  async function begin(token: string): Promise<InvitationRow> {
    const row = (await findRow(token)) ?? fail('invitation.link_ended');
    attempts.take(row.id);
    await checkDomain(db.read, domainSettings, row.domain_id, row.email);
    return row;
  }

  /** The address is confirmed by the link. Returns the id of the new account. */
  async function acceptAsNew(
    { requestId, address, signal }: Visitor,
    token: string,
    { name, password, fields, acceptedTerms }: NewAccount,
  ): Promise<string> {
    const found = await begin(token);
    checkName(name, found);
    checkLength('password', password, MAX_PASSWORD);
    checkedFields(await fieldUsesIn(db.read, domainSettings, found.domain_id), fields);
    const client = { key: addressKey(address), signal };
    const prepared = await passwords.prepare(password, 'self', { id: undefined, domainId: found.domain_id, options: {} }, client);
    const id = newId();
    // They act for themselves, with an account that begins to exist.
    const actor = { userId: id, requestId };
    await accepting(found, actor, () =>
      change(actor, (transaction) =>
        acceptIn(transaction, found, { token, requestId }, async ({ email, domain_id, language }, organizationId) => {
          if ((await usersWithConfirmedEmail(transaction.tx, domain_id, email)).length > 0) fail('invitation.account_exists');
          const said = checkedFields(await fieldUsesIn(transaction.tx, domainSettings, domain_id), fields);
          const chosen = { ...(language ? { language } : {}), ...said };
          const profile = { ...profileOf(chosen, ''), emails: [{ value: email, primary: true }] };
          const body = { name, ...(organizationId ? { default_project_id: organizationId } : {}) };
          const person = { externalId: null, profile };
          await users.insert(transaction, body, domain_id, { id, person, emailConfirmed: true });
          await acceptTerms(transaction, await termsIn(transaction.tx, deps, domain_id), id, acceptedTerms, seconds(clock));
          await passwords.store(transaction, id, prepared);
          return id;
        }),
      ),
    );
    return id;
  }

  /** The link proves that the person reads the mails to the address, and their session that the account is theirs. */
  async function acceptAsSelf(actor: SignedInActor, token: string): Promise<void> {
    const found = await begin(token);
    const { userId, requestId } = actor;
    await accepting(found, actor, () =>
      change(actor, (transaction) =>
        acceptIn(transaction, found, { token, requestId }, async ({ email, domain_id }) => {
          const user = await findUser(transaction.tx, userId);
          if (user?.domain_id !== domain_id || !isMainEmail(user, email)) fail('invitation.other_account');
          await users.confirmEmail(transaction, userId, email);
          return userId;
        }),
      ),
    );
  }

  /** Whether this account can accept it. */
  async function isFor(user: { readonly id: string }, { id }: OpenInvitation): Promise<boolean> {
    const [row, current] = [await findInvitation(db.read, id), await findUser(db.read, user.id)];
    return row !== undefined && current?.domain_id === row.domain_id && isMainEmail(current, row.email);
  }

  return { find, isFor, terms: (one: OpenInvitation) => termsIn(db.read, deps, one.domainId), acceptAsNew, acceptAsSelf };
}

export type AcceptInvitation = ReturnType<typeof createAcceptance>;
