// Wire format of registrations that wait for an administrator.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { recipientOf } from '../../directory/users/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { WaitingUser } from './waiting.store.ts';

const WaitingRegistration = t.object({
  user_id: t.string(),
  user_name: t.string(),
  name: t.nullable(t.string({ description: 'What the person calls themselves.' })),
  email: t.nullable(t.string({ description: 'The address that they have confirmed.' })),
  domain_id: t.string(),
  waits_since: t.string({ format: 'date-time' }),
  links: Links,
});
export const WaitingList = t.object({ links: ListLinks, waiting: t.array(WaitingRegistration) });

export const RefuseRegistration = t.envelope(
  'refusal',
  t.object(
    {},
    { reason: t.nullable(t.string({ maxLength: 500, description: 'A sentence that is mailed to the person, in plain text.' })) },
  ),
);

export function renderWaiting(base: string, { id, domain_id, created_at, ...user }: WaitingUser) {
  const { name, address } = recipientOf(user);
  return {
    user_id: id,
    user_name: user.name,
    name: name === user.name ? null : name,
    email: address ?? null,
    domain_id,
    waits_since: isoTime(created_at * 1000),
    links: { self: `${base}/v3/users/${id}` },
  };
}

t.name({ WaitingRegistration, WaitingRegistrationList: WaitingList, RefuseRegistration });
