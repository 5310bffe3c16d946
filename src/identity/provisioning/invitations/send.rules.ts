// Sends the mail of an invitation, with its link.

import { findUser, recipientOf } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { InvitationRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Links, linkTo } from '../../ground/links/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { INVITATION } from '../../openid/paths/index.ts';
import { placeOf } from './place.ts';

export interface SendingDeps {
  readonly config: IdentityConfig;
  readonly links: Links;
  readonly mail: Mail;
  /** The public URL of the service. */
  issuer(): string;
}

export function createSending({ config, links, mail, issuer }: SendingDeps) {
  /** The new link ends the former one. */
  return async function send(transaction: Change, row: InvitationRow): Promise<void> {
    const { tx } = transaction;
    const { id, email: address, language } = row;
    const inviter = await findUser(tx, row.inviter_id);
    const lifetime = config.invitationSeconds;
    const token = await links.make(transaction, { purpose: 'invitation', address, about: id, seconds: lifetime });
    const link = linkTo(issuer(), INVITATION, token);
    const isSent = await mail.enqueue(transaction, {
      to: address,
      domainId: row.domain_id,
      template: 'invitation',
      language: language ?? undefined,
      values: { inviter: inviter ? recipientOf(inviter).name : '', organization: await placeOf(tx, config, row), link },
      seconds: lifetime,
    });
    if (!isSent) fail('request.bad_value', { field: 'email', why: 'no mail can be sent to it' });
  };
}
