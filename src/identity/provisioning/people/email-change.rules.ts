// Another e-mail address: the person proves to read mails to the new one, and a mail to the former one tells about it.

import type { Clock } from '../../../platform/clock.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import { findProject } from '../../access/context/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import { isEmailConfirmed, isMainEmail, recipientOf, type Users } from '../../directory/users/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Link, type Links, linkTo } from '../../ground/links/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { NEW_EMAIL_PAGE } from '../../openid/paths/index.ts';
import { isAllowed } from './addresses.ts';
import type { MailRequests, StrangerRequest } from './requests.ts';

/** What is said to whoever has asked for too many mails. */
const WAIT_SECONDS = 3600;

export interface EmailChangeDeps extends Pick<Deps, 'change'> {
  readonly clock: Clock;
  readonly users: Users;
  readonly links: Links;
  readonly mail: Mail;
  readonly gate: Gate;
  readonly requests: MailRequests;
  readonly domainSettings: DomainSettingsOf;
  issuer(): string;
}

export function createEmailChange(deps: EmailChangeDeps) {
  const { change, clock, users, links, mail, gate, requests, domainSettings, issuer } = deps;

  return {
    /** Directories and provisioning clients own the addresses of their users. */
    async isPossible({ id, external_id }: UserRow): Promise<boolean> {
      return external_id === null && !(await users.isInDirectory(id));
    },

    /** Whether the domain takes such addresses; the same as for registration. */
    isAllowed: async ({ domain_id }: UserRow, address: string): Promise<boolean> =>
      isAllowed(address, (await domainSettings.of(domain_id)).registration.allowedEmailDomains),

    /** Nothing would change. */
    isDone: (user: UserRow, address: string): boolean => isMainEmail(user, address) && isEmailConfirmed(user),

    /** Sends a link to the new address. It does not matter whether another account has it, so nobody learns that. */
    async request(actor: Actor, user: UserRow, address: string, pageLanguage: string): Promise<void> {
      if (!requests.mayMail(`user ${user.id}`, 'new address') || !requests.mayMail(address, 'new address'))
        fail('request.too_many', { seconds: WAIT_SECONDS }, { headers: { 'Retry-After': String(WAIT_SECONDS) } });
      const { language = pageLanguage } = recipientOf(user);
      await change(actor, async (transaction) => {
        const token = await links.make(transaction, { purpose: 'change-email', userId: user.id, address });
        const link = linkTo(issuer(), NEW_EMAIL_PAGE, token);
        // The mail may go to a stranger, so it has no text that the person chose.
        const values = { name: address, link };
        await mail.enqueue(transaction, { to: address, domainId: user.domain_id, template: 'change-email', language, values });
        transaction.audit('user.email_change_requested', { kind: 'user', id: user.id });
      });
    },

    /** What a link allows; undefined if it has ended. Changes nothing. */
    async open(by: StrangerRequest, token: string): Promise<Link | undefined> {
      gate.checkSecret(by, undefined);
      const link = await links.find(token, 'change-email');
      if (!link) gate.wrongSecret(by, undefined);
      return link;
    },

    /**
     * `actor` is the signed-in user of the link: whoever gets the mail because of a mistyped address cannot use it. Fails with
     * `link.ended`, or as a conflict if the new user name is taken.
     */
    async confirm(actor: Actor & { readonly userId: string }, token: string): Promise<void> {
      const { userId } = actor;
      await change(actor, async (transaction) => {
        const link = await links.use(transaction, token, 'change-email');
        if (link?.userId !== userId) fail('link.ended');
        const before = await users.changeEmail(transaction, userId, link.address);
        // A provisioning client or a directory may have taken over the account since the mail was sent.
        if (before.external_id !== null || (await users.isInDirectory(userId, transaction.tx))) fail('link.ended');
        // The domain may not take such addresses any more, either.
        const domain = (await findProject(transaction.tx, before.domain_id)) ?? fail('link.ended');
        const { registration } = domainSettings.ofDomain(domain);
        if (!isAllowed(link.address, registration.allowedEmailDomains)) fail('link.ended');
        const { address: former, name, language } = recipientOf(before);
        if (former === undefined || isMainEmail(before, link.address)) return;
        const values = { name, at: clock.now() };
        await mail.enqueue(transaction, { to: former, domainId: domain.id, template: 'email-changed', language, values });
      });
    },
  };
}

export type EmailChange = ReturnType<typeof createEmailChange>;
