// /v3/OS-REGISTRATION/invitations

import { seconds } from '../../../platform/clock.ts';
import { domainOfNew, domainTarget, factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import type { InvitationRow } from '../../ground/database/index.ts';
import { type Deps, filterDocumentation, listOf, searchDocumentation } from '../../ground/resource/index.ts';
import { type Invitations, invitationSorts } from './invitations.rules.ts';
import { InvitationEnvelope, InvitationList, NewInvitation, renderInvitation, STATUSES } from './invitations.schema.ts';

const tag = 'Invitations';
const path = '/v3/OS-REGISTRATION/invitations';
const one = `${path}/:invitation_id` as const;

const FILTERS = filterDocumentation(['domain_id', 'email', 'organization_id', 'inviter_id', 'user_id'], [], {
  status: `Only invitations with this status: ${STATUSES.join(', ')}.`,
});

const FILTERED = searchDocumentation(FILTERS, 'e-mail address', invitationSorts);

export function mountInvitations(
  app: IdentityApp,
  { invitations, clock }: Pick<Deps, 'clock'> & { readonly invitations: Invitations },
): void {
  const render = (base: string, row: InvitationRow) => renderInvitation(row, { base, now: seconds(clock) });
  const target = ({ params }: { params: { invitation_id: string } }) => invitations.target(params.invitation_id);

  app.get(
    path,
    {
      id: 'listInvitations',
      summary: 'List invitations, oldest first',
      tag,
      rule: 'identity:list_invitations',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: FILTERED,
      reply: { 200: InvitationList },
    },
    async (call) => listOf(call, 'invitations', await invitations.list(call.caller, call.query), render),
  );

  app.post(
    path,
    {
      id: 'createInvitation',
      summary: 'Invite someone by e-mail',
      description:
        'What the invitation names (an organization with a base role, groups, roles of applications) is given when it is accepted, if whoever sent it may still give it. The mail is sent in the background.',
      tag,
      rule: 'identity:create_invitation',
      target: ({ caller, body }) => domainTarget(domainOfNew(caller, body.invitation.domain_id)),
      body: NewInvitation,
      reply: { 201: InvitationEnvelope },
    },
    async ({ caller, target: domainId, body, base }) => ({
      invitation: render(base, await invitations.invite(caller, domainId, body.invitation)),
    }),
  );

  app.get(
    one,
    {
      id: 'getInvitation',
      summary: 'Show an invitation',
      tag,
      rule: 'identity:get_invitation',
      target,
      reply: { 200: InvitationEnvelope },
    },
    ({ target: row, base }) => ({ invitation: render(base, row) }),
  );

  app.post(
    `${one}/resend`,
    {
      id: 'resendInvitation',
      summary: 'Send an invitation again',
      description: 'With a new link and a new lifetime; the link before ends. The caller becomes the inviter.',
      tag,
      rule: 'identity:create_invitation',
      target,
      reply: { 200: InvitationEnvelope },
    },
    async ({ caller, target: row, base }) => ({ invitation: render(base, await invitations.resend(caller, row)) }),
  );

  app.delete(
    one,
    {
      id: 'withdrawInvitation',
      summary: 'Withdraw an invitation',
      description: 'Its link ends.',
      tag,
      rule: 'identity:withdraw_invitation',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => invitations.withdraw(caller, row),
  );
}
