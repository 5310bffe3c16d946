// Passkeys on the wire.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { PasskeyRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

const Passkey = t.object({
  id: t.string(),
  name: t.string(),
  synced: t.boolean(),
  created_at: t.string(),
  last_used_at: t.nullable(t.string()),
  links: Links,
});
export const PasskeyList = t.object({ links: ListLinks, passkeys: t.array(Passkey) });

export const pathOf = (userId: string): string => `/v3/users/${userId}/OS-PASSKEYS/passkeys`;

export const renderPasskey = (base: string, row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  synced: row.synced === 1,
  created_at: isoTime(row.created_at * 1000),
  last_used_at: row.last_used_at === null ? null : isoTime(row.last_used_at * 1000),
  links: { self: `${base}${pathOf(row.user_id)}/${row.id}` },
});

t.name({ Passkey, PasskeyList });
