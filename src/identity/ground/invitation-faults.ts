// The errors of invitations. Part of the table in faults.ts.
import { missing } from './missing-fault.ts';

export const invitationFaults = {
  'invitation.not_found': missing('invitation'),
  'invitation.off': { status: 403, text: 'Nobody can be invited to the domain {domain}: registration is off there.' },
  'invitation.over': { status: 409, text: 'The invitation {id} was accepted or withdrawn.' },
  'invitation.pending': { status: 409, text: 'Somebody was invited to this address already, and has not accepted yet.' },
  'invitation.too_many': { status: 409, text: 'There are {count} pending invitations to this address already.' },
  'invitation.link_ended': { status: 403, text: 'The link has expired, or was used, replaced or withdrawn.' },
  'invitation.void': {
    status: 403,
    text: 'The invitation is no longer valid: its sender may no longer grant what it contains.',
  },
  'invitation.account_exists': { status: 409, text: 'There is an account with this address. Sign in to accept the invitation.' },
  'invitation.other_account': { status: 403, text: 'The invitation is for another account.' },
} as const;
