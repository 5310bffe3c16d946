// The wire format of a deletion that an account waits for.
import { isoTime } from '../../platform/clock.ts';
import { t } from '../../platform/http/index.ts';
import type { AccountDeletionRow } from '../database.ts';
import { Links } from '../resource/index.ts';

export const AccountDeletionEnvelope = t.envelope(
  'deletion',
  t.object({ user_id: t.string(), requested_at: t.string(), due_at: t.string(), links: Links }),
);

export const renderDeletion = (base: string, { user_id, requested_at, due_at }: AccountDeletionRow) => ({
  user_id,
  requested_at: isoTime(requested_at * 1000),
  due_at: isoTime(due_at * 1000),
  links: { self: `${base}/v3/users/${user_id}/OS-ACCOUNT/deletion` },
});
