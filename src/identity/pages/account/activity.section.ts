// What happened to a person's account: sign-ins and changes, from the audit events about them.

import { namesOfConsumers } from '../../applications/consumers/index.ts';
import type { AuditEventRow } from '../../ground/database/index.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import { type EventPosition, type OwnAction, readEvents } from '../../operations/audit-events/index.ts';
import type { CredentialTypes } from '../../role-credentials/types/index.ts';
import { type ActivityOnPage, activitySection } from './activity.page.ts';
import type { AccountSection } from './section.ts';

export interface ActivityDeps extends Pick<Deps, 'db'> {
  readonly credentialTypes: Pick<CredentialTypes, 'find' | 'list'>;
}

const PAGE_SIZE = 25;
const REFUSED = 'user.login_refused';

function markerIn(url: string | undefined): EventPosition | undefined {
  const [, at, id] = /^(\d{1,12})\.([0-9a-f]{32})$/.exec(new URLSearchParams(url?.split('?', 2)[1]).get('before') ?? '') ?? [];
  return at !== undefined && id !== undefined ? { at: Number(at), id } : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const detailOf = (row: AuditEventRow) => parseJson<Record<string, unknown>>(row.detail);

/** Of what others did, the person learns that it was done, and not from where. */
function onPage(userId: string, row: AuditEventRow, thing: string | undefined): ActivityOnPage {
  const { address, user_agent, name, purpose } = detailOf(row);
  const isByOther = row.actor_id !== null && row.actor_id !== userId;
  return {
    at: row.at,
    action: row.action as OwnAction,
    about: thing ?? (row.action.startsWith('passkey.') ? textOf(name) : undefined),
    isByOther,
    isRefused: row.outcome === 'failure',
    isWrongPassword: row.action === REFUSED && purpose !== undefined,
    address: isByOther ? undefined : textOf(address),
    userAgent: isByOther ? undefined : textOf(user_agent),
  };
}

/** A wallet gets several copies of a credential at once, and loses them at once: one line for the person. */
function isCopy(row: AuditEventRow, before: AuditEventRow | undefined): boolean {
  if (before === undefined || row.target_kind !== 'issued_credential') return false;
  const keyOf = (one: AuditEventRow) => JSON.stringify([one.at, one.action, one.request_id, detailOf(one).type_id]);
  return keyOf(row) === keyOf(before);
}

/** The names of the applications and of the types of credentials that events are about, by their ids. */
async function namesIn({ db, credentialTypes }: ActivityDeps, events: readonly AuditEventRow[]) {
  const idsOf = (name: string) => [...new Set(events.flatMap((row) => textOf(detailOf(row)[name]) ?? []))];
  const [applications, types] = [await namesOfConsumers(db.read, idsOf('consumer_id')), new Map<string, string>()];
  // A type may be deleted.
  for (const id of idsOf('type_id')) types.set(id, (await credentialTypes.find(id))?.name ?? id);
  return (row: AuditEventRow): string | undefined => {
    const { consumer_id, type_id } = detailOf(row);
    return applications.get(textOf(consumer_id) ?? '') ?? types.get(textOf(type_id) ?? '');
  };
}

export const createActivitySection = (deps: ActivityDeps): AccountSection => ({
  page: 'activity',
  async show(visit) {
    const { id } = visit.person.user;
    const before = markerIn(visit.browser.exchange.request.url);
    const rows = await readEvents(deps.db.read, { visible: { userId: id }, before, limit: PAGE_SIZE + 1 });
    const events = rows.slice(0, PAGE_SIZE);
    const last = rows.length > PAGE_SIZE ? events.at(-1) : undefined;
    const nameOf = await namesIn(deps, events);
    return activitySection(visit, {
      events: events.filter((row, at) => !isCopy(row, events[at - 1])).map((row) => onPage(id, row, nameOf(row))),
      older: last && `${visit.action}?before=${last.at}.${last.id}`,
      newest: before && visit.action,
    });
  },
});
