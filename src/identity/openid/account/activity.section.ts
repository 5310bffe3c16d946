// What happened to a person's account: sign-ins and changes, from the audit events about them.
import { type EventPosition, type OwnAction, readEvents } from '../../audit-events/index.ts';
import { namesOfConsumers } from '../../consumers/index.ts';
import type { AuditEventRow } from '../../database.ts';
import { type Deps, parseJson } from '../../resource/index.ts';
import { type ActivityOnPage, activitySection } from '../pages/account-activity.ts';
import type { AccountSection } from './section.ts';

export type ActivityDeps = Pick<Deps, 'db'>;

const PAGE_SIZE = 25;
const REFUSED = 'user.login_refused';

function markerIn(url: string | undefined): EventPosition | undefined {
  const [, at, id] = /^(\d{1,12})\.([0-9a-f]{32})$/.exec(new URLSearchParams(url?.split('?', 2)[1]).get('before') ?? '') ?? [];
  return at !== undefined && id !== undefined ? { at: Number(at), id } : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const detailOf = (row: AuditEventRow) => parseJson<Record<string, unknown>>(row.detail);
const consumerIdOf = (row: AuditEventRow): string | undefined => textOf(detailOf(row).consumer_id);

/** Of what others did, the person learns that it was done, and not from where. */
function onPage(userId: string, row: AuditEventRow, application: string | undefined): ActivityOnPage {
  const { address, user_agent, name, purpose } = detailOf(row);
  const isByOther = row.actor_id !== null && row.actor_id !== userId;
  return {
    at: row.at,
    action: row.action as OwnAction,
    about: application ?? (row.action.startsWith('passkey.') ? textOf(name) : undefined),
    isByOther,
    isRefused: row.outcome === 'failure',
    isWrongPassword: row.action === REFUSED && purpose !== undefined,
    address: isByOther ? undefined : textOf(address),
    userAgent: isByOther ? undefined : textOf(user_agent),
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
    const names = await namesOfConsumers(deps.db.read, [...new Set(events.flatMap((row) => consumerIdOf(row) ?? []))]);
    return activitySection(visit, {
      events: events.map((row) => onPage(id, row, names.get(consumerIdOf(row) ?? ''))),
      older: last && `${visit.action}?before=${last.at}.${last.id}`,
      newest: before && visit.action,
    });
  },
});
