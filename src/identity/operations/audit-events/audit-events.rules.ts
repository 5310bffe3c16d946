// Which audit events a caller may see, and in which order they get them.
import { isoTime, seconds } from '../../../platform/clock.ts';
import { withDeadline } from '../../../platform/deadline.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, isAllowed, isDelegated, visibleDomain } from '../../access/rules/index.ts';
import type { AuditEventRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, MAX_PAGE, pageOf, readFlag, single } from '../../ground/resource/index.ts';
import { CSV_HEAD, csvLine, type EventJson, jsonLine, renderEvent } from './audit-events.schema.ts';
import {
  countLogins,
  type EventFilter,
  type EventPosition,
  LOGGED_IN,
  LOGIN_REFUSED,
  listEvents,
  positionOf,
  type Visible,
} from './audit-events.store.ts';
import { namesIn } from './names.rules.ts';
import { visibleEvent } from './visible.ts';

/**
 * Events are stored with the time just before the end of their change, by the clock of their replica. After this time none is stored with an
 * earlier one: what a request waits for the database takes 6 seconds at most.
 */
const SETTLE_SECONDS = 30;
/** Events in one answer of an export. The next one begins at its last. */
export const MAX_EXPORT = 100_000;
/** Exports at the same time, in this process. */
const MAX_EXPORTS = 4;
/** After every id. */
const LAST_ID = 'g';
const MAX_PERIODS = 31 * 24;
const INTERVALS = { hour: 3600, day: 86_400 } as const;
type Interval = keyof typeof INTERVALS;

export type ExportFormat = 'csv' | 'ndjson';

/** What a caller sees. */
interface View {
  readonly events: Visible;
  /** Whether addresses and browsers of people are shown where the kind of event does not say. */
  readonly places: boolean;
  /** The applications that the caller manages; undefined: all. */
  readonly managed: readonly string[] | undefined;
}

export interface AuditEventsDeps extends Pick<Deps, 'db' | 'clock'> {
  /** Applications that the caller manages; undefined for administrators. */
  managedApplications(caller: Caller): Promise<readonly string[] | undefined>;
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A time in seconds. */
function timeIn(query: Query, name: string): number | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const milliseconds = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds))
    fail('request.bad_value', { field: name, why: 'it must be a time such as 2026-11-16T08:00:00Z' });
  return Math.floor(milliseconds / 1000);
}

function actionIn(query: Query): Pick<EventFilter, 'action' | 'actionPrefix'> {
  const text = single(query, 'action');
  if (text === undefined) return {};
  if (!/^[a-z_.]{1,100}\*?$/.test(text))
    fail('request.bad_value', {
      field: 'action',
      why: 'it must be an action such as user.logged_in, or the beginning of one and *',
    });
  return text.endsWith('*') ? { actionPrefix: text.slice(0, -1) } : { action: text };
}

function outcomeIn(query: Query): 'success' | 'failure' | undefined {
  const text = single(query, 'outcome');
  if (text === undefined || text === 'success' || text === 'failure') return text;
  return fail('request.bad_value', { field: 'outcome', why: 'it must be success or failure' });
}

const filterIn = (query: Query): EventFilter => ({
  since: timeIn(query, 'since'),
  until: timeIn(query, 'until'),
  actorId: single(query, 'actor_id'),
  userId: single(query, 'user_id'),
  targetId: single(query, 'target_id'),
  targetType: single(query, 'target_type'),
  domainId: single(query, 'domain_id'),
  applicationId: single(query, 'application_id'),
  outcome: outcomeIn(query),
  ...actionIn(query),
});

const textOfPosition = ({ at, id }: EventPosition): string => `${at}.${id}`;

function afterIn(query: Query): EventPosition | undefined {
  const text = single(query, 'after');
  if (text === undefined) return undefined;
  const [, at, id] = /^(\d{1,12})\.([0-9a-g]{1,32})$/.exec(text) ?? [];
  if (at === undefined || id === undefined)
    return fail('request.bad_value', { field: 'after', why: 'it is not of an earlier answer' });
  return { at: Number(at), id };
}

export function createAuditEvents({ db, clock, managedApplications }: AuditEventsDeps) {
  let exports = 0;

  /** Everybody sees the events about themselves; a manager those of the domain, an owner those of their applications. */
  async function viewOf(caller: Caller): Promise<View> {
    const domainId = visibleDomain(caller);
    const managed = await managedApplications(caller);
    // Readers of the system do not learn where people are: they do not see their sessions either.
    if (domainId === undefined && isAllowed(caller, 'identity:list_all_audit_events'))
      return { events: 'all', places: isAllowed(caller, 'identity:list_user_sessions'), managed };
    const mayListDomain = isAllowed(caller, 'identity:list_domain_audit_events', { domainId });
    const applicationIds = managed ?? [];
    // What was passed on is base roles, not what a person sees about themselves.
    const own = isDelegated(caller) ? {} : { userId: caller.userId };
    return { events: { ...(mayListDomain ? { domainId } : {}), applicationIds, ...own }, places: false, managed };
  }

  const render = (rows: readonly AuditEventRow[], { events, places }: View): EventJson[] =>
    rows.map((row) => renderEvent(visibleEvent(row, events, places)));

  /** The end of what is settled: nothing is stored before it any more. */
  const settledEnd = (): EventPosition => ({ at: seconds(clock) - SETTLE_SECONDS, id: LAST_ID });

  /** The position moves over settled events only. Newer ones come again with the next answer, together with those that were stored late. */
  async function follow(view: View, filter: EventFilter, after: EventPosition, limit: number) {
    const end = settledEnd();
    const rows = await listEvents(db, { filter, visible: view.events, after, limit });
    const last = rows.length === limit ? rows.findLast(({ at }) => at <= end.at) : end;
    return { items: render(rows, view), after: textOfPosition(!last || last.at < after.at ? after : last) };
  }

  const markedIn = async (view: View, marker: string | undefined): Promise<EventPosition | undefined> =>
    marker === undefined
      ? undefined
      : ((await positionOf(db.lists, view.events, marker)) ?? fail('list.marker_not_found', { marker }));

  async function list(caller: Caller, query: Query) {
    const withNames = readFlag(query, 'include_names') ?? false;
    const view = await viewOf(caller);
    const page = await pageFor(view, query);
    return { ...page, names: withNames ? await namesIn(db.read, caller, view.managed, page.items) : undefined };
  }

  async function pageFor(view: View, query: Query) {
    const { limit, marker } = pageOf(query);
    const filter = filterIn(query);
    const after = afterIn(query);
    if (after) return { ...(await follow(view, filter, after, limit)), next: null, previous: null };
    const before = await markedIn(view, marker);
    const rows = await listEvents(db, { filter, visible: view.events, before, limit: limit + 1 });
    const items = render(rows.slice(0, limit), view);
    const next = rows.length > limit ? items.at(-1)!.id : null;
    return { items, next, previous: null, after: textOfPosition(settledEnd()) };
  }

  async function* lines(
    view: View,
    request: { filter: EventFilter; count: number; before: EventPosition | undefined },
    format: ExportFormat,
  ): AsyncGenerator<string> {
    exports++;
    try {
      let { before } = request;
      if (format === 'csv' && !before) yield CSV_HEAD;
      const lineOf = format === 'csv' ? csvLine : jsonLine;
      for (let left = request.count; left > 0; ) {
        const limit = Math.min(left, MAX_PAGE);
        const rows = await withDeadline(() => listEvents(db, { filter: request.filter, visible: view.events, before, limit }));
        if (rows.length > 0) yield render(rows, view).map(lineOf).join('');
        if (rows.length < limit) return;
        before = rows.at(-1);
        left -= rows.length;
      }
    } finally {
      exports--;
    }
  }

  /** Events as lines, the newest first, or older than a marker. What the caller may see is decided at the beginning. */
  async function exportAs(format: ExportFormat, caller: Caller, query: Query): Promise<AsyncGenerator<string>> {
    for (const field of ['after', 'include_names'])
      if (single(query, field) !== undefined) fail('request.bad_value', { field, why: 'it cannot be used with an export' });
    const limit = single(query, 'limit') ?? String(MAX_EXPORT);
    if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1)
      fail('request.bad_value', { field: 'limit', why: `it must be a number from 1 to ${MAX_EXPORT}` });
    const filter = filterIn(query);
    const view = await viewOf(caller);
    const before = await markedIn(view, single(query, 'marker'));
    if (exports >= MAX_EXPORTS) fail('server.busy');
    return lines(view, { filter, before, count: Math.min(Number(limit), MAX_EXPORT) }, format);
  }

  /** Logins in each hour or day, also in those without any. */
  async function counts(caller: Caller, query: Query) {
    const interval = (single(query, 'interval') ?? 'hour') as Interval;
    if (!Object.hasOwn(INTERVALS, interval)) fail('request.bad_value', { field: 'interval', why: 'it must be hour or day' });
    const length = INTERVALS[interval];
    const until = timeIn(query, 'until') ?? seconds(clock) + 1;
    const since = timeIn(query, 'since') ?? until - (interval === 'hour' ? INTERVALS.day : 30 * INTERVALS.day);
    const first = Math.floor(since / length) * length;
    const periods = Math.ceil((until - first) / length);
    if (periods > MAX_PERIODS) fail('request.bad_value', { field: 'since', why: `there are more than ${MAX_PERIODS} periods` });
    const found = await countLogins(db.lists, { domainId: visibleDomain(caller), since, until, seconds: length });
    const totals = new Map(found.map(({ start, action, total }) => [`${start} ${action}`, total]));
    const starts = Array.from({ length: Math.max(periods, 0) }, (_, index) => first + index * length);
    return {
      interval,
      since: isoTime(since * 1000),
      until: isoTime(until * 1000),
      counts: starts.map((start) => ({
        start: isoTime(start * 1000),
        logins: totals.get(`${start} ${LOGGED_IN}`) ?? 0,
        refused: totals.get(`${start} ${LOGIN_REFUSED}`) ?? 0,
      })),
    };
  }

  return { list, exportAs, counts };
}

export type AuditEvents = ReturnType<typeof createAuditEvents>;
