// Wire format of sessions.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { userAgentOf } from '../../ground/look/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { SessionWithApplications } from './sessions.rules.ts';

const Session = t.object({
  id: t.string(),
  browser: t.nullable(t.string()),
  system: t.nullable(t.string()),
  user_agent: t.nullable(t.string()),
  address: t.nullable(t.string()),
  signed_in_at: t.string(),
  last_used_at: t.nullable(t.string()),
  amr: t.array(t.string()),
  applications: t.array(t.object({ id: t.string(), name: t.string() })),
  links: Links,
});

export const SessionList = t.object({ links: ListLinks, sessions: t.array(Session) });

/** What is not known of a session is null: those of earlier versions have no origin. */
export function renderSession(path: string, { id, signedInAt, origin, amr, applications }: SessionWithApplications) {
  const { browser, system } = userAgentOf(origin?.userAgent ?? '');
  return {
    id,
    browser: browser ?? null,
    system: system ?? null,
    user_agent: origin?.userAgent ?? null,
    address: origin?.address ?? null,
    signed_in_at: isoTime(signedInAt * 1000),
    last_used_at: origin ? isoTime(origin.lastUsedAt * 1000) : null,
    amr,
    applications,
    links: { self: `${path}/${id}` },
  };
}

t.name({ Session, SessionList });
