// The wire format of a deletion that an account waits for.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

const AccountDeletion = t.object({
  user_id: t.string(),
  user_name: t.string(),
  domain_id: t.string(),
  requested_at: t.string(),
  due_at: t.string(),
  links: Links,
});

export const AccountDeletionEnvelope = t.envelope('deletion', AccountDeletion);
export const AccountDeletionList = t.object({ links: ListLinks, deletions: t.array(AccountDeletion) });

interface Deletion {
  readonly user_name: string;
  readonly domain_id: string;
  readonly requested_at: number;
  readonly due_at: number;
}

export const renderDeletion = (base: string, userId: string, { user_name, domain_id, requested_at, due_at }: Deletion) => ({
  user_id: userId,
  user_name,
  domain_id,
  requested_at: isoTime(requested_at * 1000),
  due_at: isoTime(due_at * 1000),
  links: { self: `${base}/v3/users/${userId}/OS-ACCOUNT/deletion` },
});

t.name({ AccountDeletion, AccountDeletionEnvelope, AccountDeletionList });
