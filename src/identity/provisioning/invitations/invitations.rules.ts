// Makes, lists, sends and withdraws invitations. Whoever sends one, for the first time or again, is its inviter.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import { findProject } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, type RankGuard, targetOf, visibleDomain } from '../../access/rules/index.ts';
import type { AppAssignments } from '../../applications/app-roles/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Grants } from '../../directory/grants/index.ts';
import type { Groups } from '../../directory/groups/index.ts';
import { findRoleByName } from '../../directory/roles/index.ts';
import { lockEmail, nameKey } from '../../directory/users/index.ts';
import type { InvitationRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Deps,
  type Filters,
  failOnBrokenReference,
  foundPage,
  pageOf,
  type SortColumns,
  searchOf,
  single,
  whereEquals,
} from '../../ground/resource/index.ts';
import { mailboxKey, readAddress } from '../people/index.ts';
import { checkDomain } from './domain.rules.ts';
import { type InvitationStatus, type NewInvitation, STATUSES } from './invitations.schema.ts';
import {
  countPendingTo,
  findInvitation,
  insertInvitation,
  listInvitations,
  lockInvitation,
  lockInvitationsTo,
  sweepInvitations,
  updateInvitation,
} from './invitations.store.ts';
import { scopeText } from './inviter.ts';
import { createItems } from './items.rules.ts';
import { createSending, type SendingDeps } from './send.rules.ts';

type NewInvitationBody = Static<typeof NewInvitation>['invitation'];

const DEFAULT_ROLE = 'member';
/** In one domain, to one address. */
const MAX_PENDING = 20;
/** Mails with invitations to one address, whoever sends them. */
export const MAILS_LIMIT = { attempts: 20, perSeconds: 3600 };
/** Ended ones stay for so long, then the address is deleted. */
const KEPT_SECONDS = 90 * 86_400;

const filters: Filters = {
  domain_id: { column: 'invitations.domain_id', kind: 'text' },
  email: { column: 'invitations.email', kind: 'text' },
  organization_id: { column: 'invitations.organization_id', kind: 'text' },
  inviter_id: { column: 'invitations.inviter_id', kind: 'text' },
  user_id: { column: 'invitations.user_id', kind: 'text' },
};

export const invitationSorts = {
  email: { by: 'email_key' },
  created_at: { by: 'created_at' },
} as const satisfies SortColumns<keyof InvitationRow>;

function statusIn(query: Query): InvitationStatus | undefined {
  const text = single(query, 'status');
  const status = STATUSES.find((known) => known === text);
  if (text !== undefined && !status)
    fail('request.bad_value', { field: 'status', why: `it must be one of ${STATUSES.join(', ')}` });
  return status;
}

/** The base role in the organization; null without an organization. */
async function roleIdOf(tx: Tx, { organization_id, role_id, application_roles }: NewInvitationBody): Promise<string | null> {
  const needsOrganization = (field: string) => fail('request.bad_value', { field, why: 'it needs an organization_id' });
  if (organization_id)
    return role_id ?? (await findRoleByName(tx, DEFAULT_ROLE))?.id ?? fail('role.not_found', { id: DEFAULT_ROLE });
  if (role_id) needsOrganization('role_id');
  if (application_roles?.length) needsOrganization('application_roles');
  return null;
}

export interface InvitationDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'>, SendingDeps {
  readonly domainSettings: Pick<DomainSettingsOf, 'of' | 'ofDomain'>;
  readonly grants: Grants;
  readonly groups: Groups;
  readonly appAssignments: AppAssignments;
  readonly refuseIfOutranked: RankGuard;
  /** Limits mails by address. */
  readonly mails: Throttle;
}

export function createInvitations(deps: InvitationDeps) {
  const { db, clock, change, config, domainSettings, links, mails } = deps;
  const items = createItems(deps);
  const send = createSending(deps);

  const target = async (id: string): Promise<IdentityTarget<InvitationRow>> =>
    targetOf(
      await findInvitation(db.read, id),
      ({ domain_id }) => ({ domainId: domain_id }),
      () => fail('invitation.not_found', { id }),
    );

  async function list(caller: Caller, query: Query) {
    const listQuery = {
      ...searchOf<keyof InvitationRow>(query, invitationSorts),
      criteria: criteriaOf(query, filters),
      visible: whereEquals('invitations.domain_id', visibleDomain(caller)),
    };
    return foundPage(
      query,
      await listInvitations(db, pageOf(query), listQuery, { status: statusIn(query), now: seconds(clock) }),
    );
  }

  async function invite(caller: Caller, domainId: string, body: NewInvitationBody): Promise<InvitationRow> {
    const email = readAddress(body.email) ?? fail('request.bad_value', { field: 'email', why: 'it must be an e-mail address' });
    if (!(await findProject(db.read, domainId))?.is_domain) fail('domain.not_found', { id: domainId });
    await checkDomain(db.read, domainSettings, domainId, email);
    const key = nameKey(email);
    const now = seconds(clock);
    return change(caller, async (transaction) => {
      const { tx, audit } = transaction;
      // Of two at the same time, the second waits, and sees that of the first.
      await lockEmail(db, tx, domainId, email);
      const row: InvitationRow = {
        id: newId(),
        domain_id: domainId,
        email,
        email_key: key,
        name: body.name?.trim() ?? null,
        language: body.language ?? null,
        organization_id: body.organization_id ?? null,
        role_id: await roleIdOf(tx, body),
        group_ids: JSON.stringify(body.groups ?? []),
        application_roles: JSON.stringify(body.application_roles ?? []),
        inviter_id: caller.userId,
        inviter_scope: scopeText(caller.authContext.scope),
        status: 'pending',
        created_at: now,
        sent_at: now,
        expires_at: now + config.invitationSeconds,
        ended_at: null,
        user_id: null,
      };
      await items.check(tx, caller, row);
      await lockInvitationsTo(db, tx, domainId, key);
      const pending = await countPendingTo(tx, { domainId, key, now });
      if (body.unless_pending && pending > 0) fail('invitation.pending');
      mails.take(mailboxKey(email));
      if (pending >= MAX_PENDING) fail('invitation.too_many', { count: MAX_PENDING });
      await failOnBrokenReference(
        () => fail('domain.not_found', { id: domainId }),
        () => insertInvitation(tx, row),
      );
      await send(transaction, row);
      audit('invitation.created', { kind: 'invitation', id: row.id }, { domain_id: domainId });
      return row;
    });
  }

  async function lockPending(tx: Tx, id: string): Promise<InvitationRow> {
    const row = (await lockInvitation(db, tx, id)) ?? fail('invitation.not_found', { id });
    return row.status === 'pending' ? row : fail('invitation.over', { id });
  }

  /** The caller becomes the inviter, so they must be allowed to give everything it names. */
  async function resend(caller: Caller, { id, domain_id, email }: InvitationRow): Promise<InvitationRow> {
    await checkDomain(db.read, domainSettings, domain_id, email);
    return change(caller, async (transaction) => {
      const row = await lockPending(transaction.tx, id);
      await items.check(transaction.tx, caller, row);
      mails.take(mailboxKey(email));
      const now = seconds(clock);
      const values = {
        inviter_id: caller.userId,
        inviter_scope: scopeText(caller.authContext.scope),
        sent_at: now,
        expires_at: now + config.invitationSeconds,
      };
      await updateInvitation(transaction.tx, id, values);
      await send(transaction, { ...row, ...values });
      transaction.audit('invitation.sent_again', { kind: 'invitation', id });
      return { ...row, ...values };
    });
  }

  async function withdraw(caller: Caller, { id }: InvitationRow): Promise<void> {
    await change(caller, async (transaction) => {
      await lockPending(transaction.tx, id);
      await links.endAbout(transaction, 'invitation', id);
      await updateInvitation(transaction.tx, id, { status: 'withdrawn', ended_at: seconds(clock) });
      transaction.audit('invitation.withdrawn', { kind: 'invitation', id });
    });
  }

  return {
    target,
    list,
    invite,
    resend,
    withdraw,
    sweep: (): Promise<number> => sweepInvitations(db, seconds(clock) - KEPT_SECONDS),
  };
}

export type Invitations = ReturnType<typeof createInvitations>;
