// One mail for each change of how a person signs in. It goes to the address that the account has at that moment.
import type { Clock } from '../../../platform/clock.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { PasskeyRow, UserRow } from '../../ground/database/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import { findUser, recipientOf } from '../users/index.ts';

/** `provider`: its name, as people know it. */
export interface LinkNotice {
  readonly userId: string;
  readonly provider: string;
}

export type TwoFactorNotice = 'two-factor-on' | 'two-factor-off' | 'two-factor-replaced' | 'recovery-codes-made';

export function createNotices({ clock, mail }: { readonly clock: Clock; readonly mail: Mail }) {
  async function recipient({ tx }: Change, userId: string) {
    const user = await findUser(tx, userId);
    const { address: to, name = '', language } = user ? recipientOf(user) : {};
    return { to, name, language, domainId: user?.domain_id };
  }

  return {
    /** With the row before the change, if the address changes with it. */
    async passwordChanged(transaction: Change, user: UserRow): Promise<void> {
      const { address: to, name, language } = recipientOf(user);
      const values = { name, at: clock.now() };
      if (to !== undefined)
        await mail.enqueue(transaction, { to, domainId: user.domain_id, template: 'password-changed', language, values });
    },

    async passkey(transaction: Change, template: 'passkey-added' | 'passkey-removed', row: PasskeyRow): Promise<void> {
      const { to, name, language, domainId } = await recipient(transaction, row.user_id);
      const values = { name, passkey: row.name, at: clock.now() };
      if (to !== undefined) await mail.enqueue(transaction, { to, domainId, template, language, values });
    },

    /** `credential`: the name of its type. */
    async credential(transaction: Change, userId: string, credential: string): Promise<void> {
      const { to, name, language, domainId } = await recipient(transaction, userId);
      const values = { name, credential, at: clock.now() };
      if (to !== undefined) await mail.enqueue(transaction, { to, domainId, template: 'credential-received', language, values });
    },

    async link(transaction: Change, template: 'provider-linked' | 'provider-unlinked', about: LinkNotice): Promise<void> {
      const { to, name, language, domainId } = await recipient(transaction, about.userId);
      const values = { name, provider: about.provider, at: clock.now() };
      if (to !== undefined) await mail.enqueue(transaction, { to, domainId, template, language, values });
    },

    async twoFactor(transaction: Change, template: TwoFactorNotice, userId: string): Promise<void> {
      const { to, name, language, domainId } = await recipient(transaction, userId);
      const values = { name, at: clock.now() };
      if (to !== undefined) await mail.enqueue(transaction, { to, domainId, template, language, values });
    },
  };
}

export type Notices = ReturnType<typeof createNotices>;
