// Wire format of locks.
import { isoTime } from '../../../platform/clock.ts';
import { type Static, t } from '../../../platform/http/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { AccountLock, LockCause } from './locks.rules.ts';

const LockReason = t.object({
  reason: t.oneOf('wrong_passwords', 'wrong_codes', 'wrong_answers'),
  state: t.oneOf('locked_out', 'paused'),
  failures: t.integer({ description: 'The wrong guesses that count.' }),
  since: t.nullable(t.string({ description: 'Null for a pause: the service does not keep when it began.' })),
  until: t.string({ description: 'For a pause: if there are no more wrong guesses.' }),
});

const Lock = t.object({
  user_id: t.string(),
  state: t.oneOf('open', 'paused', 'locked_out'),
  until: t.nullable(t.string({ description: 'When the state ends by itself.' })),
  reasons: t.array(LockReason),
  links: Links,
});

export const LockEnvelope = t.envelope('lock', Lock);
export const LockList = t.object({ links: ListLinks, locks: t.array(Lock) });

const renderReason = ({ reason, state, failures, since, until }: LockCause): Static<typeof LockReason> => ({
  reason,
  state,
  failures,
  since: since === null ? null : isoTime(since * 1000),
  until: isoTime(until * 1000),
});

export const renderLock = (base: string, { userId, state, until, causes }: AccountLock): Static<typeof Lock> => ({
  user_id: userId,
  state,
  until: until === null ? null : isoTime(until * 1000),
  reasons: causes.map(renderReason),
  links: { self: `${base}/v3/users/${userId}/OS-LOCK/lock` },
});

t.name({ Lock, LockReason, LockEnvelope, LockList });
