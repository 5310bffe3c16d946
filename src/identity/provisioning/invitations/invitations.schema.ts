// Wire format of invitations.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { InvitationRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
/** Each is checked when the invitation is made and when it is accepted. */
const MAX_ITEMS = 20;

export const STATUSES = ['pending', 'accepted', 'withdrawn', 'expired'] as const;
export type InvitationStatus = (typeof STATUSES)[number];

const ApplicationRole = t.object({ application_id: Id, role_id: Id });
export interface ApplicationRole {
  readonly application_id: string;
  readonly role_id: string;
}

export const NewInvitation = t.envelope(
  'invitation',
  t.object(
    { email: t.string({ minLength: 3, maxLength: 320, description: 'Where the invitation is sent.' }) },
    {
      name: t.nullable(
        t.string({
          minLength: 1,
          maxLength: 255,
          pattern: '\\S',
          description: 'Proposed user name; the person may choose another.',
        }),
      ),
      domain_id: Id,
      unless_pending: t.boolean({
        description:
          'Refuse it with 409 if there is a pending invitation to this address in the domain. False by default: somebody may be invited to several organizations.',
      }),
      language: t.nullable(t.string({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$', maxLength: 35 })),
      organization_id: t.nullable(Id),
      role_id: t.nullable(
        t.string({ minLength: 1, maxLength: 64, description: 'Base role in the organization; `member` by default.' }),
      ),
      groups: t.array(Id, { maxItems: MAX_ITEMS, uniqueItems: true, description: 'Ids of groups to join.' }),
      application_roles: t.array(ApplicationRole, {
        maxItems: MAX_ITEMS,
        uniqueItems: true,
        description: 'Roles of applications, given in the organization.',
      }),
    },
  ),
);

const Time = t.string({ format: 'date-time' });
const Invitation = t.object({
  id: t.string(),
  email: t.string(),
  name: t.nullable(t.string()),
  language: t.nullable(t.string()),
  domain_id: t.string(),
  organization_id: t.nullable(t.string()),
  role_id: t.nullable(t.string()),
  groups: t.array(t.string()),
  application_roles: t.array(ApplicationRole),
  inviter_id: t.string({ description: 'Who sent it last. Their rights decide what it gives.' }),
  status: t.oneOf(...STATUSES),
  created_at: Time,
  sent_at: Time,
  expires_at: Time,
  ended_at: t.nullable(Time),
  user_id: t.nullable(t.string({ description: 'Who accepted it.' })),
  links: Links,
});
export const InvitationEnvelope = t.envelope('invitation', Invitation);
export const InvitationList = t.object({ links: ListLinks, invitations: t.array(Invitation) });

export const statusOf = ({ status, expires_at }: InvitationRow, now: number): InvitationStatus =>
  status === 'pending' && expires_at <= now ? 'expired' : status;

export const groupIdsOf = ({ group_ids }: Pick<InvitationRow, 'group_ids'>): string[] => JSON.parse(group_ids) as string[];
export const applicationRolesOf = ({ application_roles }: Pick<InvitationRow, 'application_roles'>): ApplicationRole[] =>
  JSON.parse(application_roles) as ApplicationRole[];

const time = (seconds: number): string => isoTime(seconds * 1000);

export function renderInvitation(row: InvitationRow, { base, now }: { readonly base: string; readonly now: number }) {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    language: row.language,
    domain_id: row.domain_id,
    organization_id: row.organization_id,
    role_id: row.role_id,
    groups: groupIdsOf(row),
    application_roles: applicationRolesOf(row),
    inviter_id: row.inviter_id,
    status: statusOf(row, now),
    created_at: time(row.created_at),
    sent_at: time(row.sent_at),
    expires_at: time(row.expires_at),
    ended_at: row.ended_at === null ? null : time(row.ended_at),
    user_id: row.user_id,
    links: { self: `${base}/v3/OS-REGISTRATION/invitations/${row.id}` },
  };
}

t.name({ InvitedRole: ApplicationRole, CreateInvitation: NewInvitation, Invitation, InvitationEnvelope, InvitationList });
