// Reads pages of audit events. Filters are answered by one index each, however many events there are.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isIn, type Part, readParts, type SqlCondition } from '../../../platform/database/index.ts';
import type { AuditEventRow, Database, Reader } from '../../ground/database/index.ts';
import { CONCERNING_ACTIONS, OWN_ACTIONS, OWN_FAILURES } from './own-events.ts';

/** A place in the order of events. */
export interface EventPosition {
  readonly at: number;
  readonly id: string;
}

export interface EventFilter {
  /** Seconds; from this time on. */
  readonly since?: number | undefined;
  /** Seconds; before this time. */
  readonly until?: number | undefined;
  readonly actorId?: string | undefined;
  /** The actor, the target, or a person concerned. */
  readonly userId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly targetType?: string | undefined;
  readonly action?: string | undefined;
  /** Actions that begin so: lower-case letters, underscores and dots. */
  readonly actionPrefix?: string | undefined;
  readonly outcome?: 'success' | 'failure' | undefined;
  readonly domainId?: string | undefined;
  readonly applicationId?: string | undefined;
}

/** Which events a list is limited to: events of one of these. */
export type Visible =
  | 'all'
  | {
      readonly domainId?: string | undefined;
      readonly applicationIds?: readonly string[];
      /** Of the events about this person those that they may see themselves. */
      readonly userId?: string | undefined;
    };

export interface EventRequest {
  readonly filter?: EventFilter;
  readonly visible: Visible;
  /** Older than this position, the newest first; or newer, the oldest first. */
  readonly before?: EventPosition | undefined;
  readonly after?: EventPosition | undefined;
  readonly limit: number;
  /** Everything that is asked for is in these. */
  readonly months?: WholeMonths;
}

/** Seconds; from the start of a month on, and before the end of one. */
interface WholeMonths {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Greater than every letter that actions have. */
const LAST_LETTER = '~';
/** Applications that are searched one by one. With more of them, their events are sorted together. */
const MAX_APPLICATIONS = 100;

const equals = (column: string, value: string): SqlCondition => sql<SqlBool>`${sql.ref(column)} = ${value}`;
const allOf = (...conditions: readonly SqlCondition[]): SqlCondition =>
  conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
const anyOf = (conditions: readonly SqlCondition[]): SqlCondition =>
  conditions.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;

const aboutUser = (userId: string): SqlCondition => allOf(equals('target_id', userId), sql<SqlBool>`target_kind = 'user'`);
const ownEvents = (userId: string): SqlCondition =>
  allOf(aboutUser(userId), isIn('action', OWN_ACTIONS), anyOf([sql<SqlBool>`outcome = 'success'`, isIn('action', OWN_FAILURES)]));

/** By another index. */
const concerningEvents = (userId: string): SqlCondition =>
  allOf(equals('user_id', userId), isIn('action', CONCERNING_ACTIONS), sql<SqlBool>`outcome = 'success'`);

function visibleParts(visible: Exclude<Visible, 'all'>): SqlCondition[] {
  const { domainId, applicationIds = [], userId } = visible;
  const applications =
    applicationIds.length > MAX_APPLICATIONS
      ? [isIn('application_id', applicationIds)]
      : applicationIds.map((id) => equals('application_id', id));
  return [
    ...(domainId === undefined ? [] : [equals('domain_id', domainId)]),
    ...applications,
    ...(userId === undefined ? [] : [ownEvents(userId), concerningEvents(userId)]),
  ];
}

// Whether an event failed is written as text: the condition of an index is not compared with parameters.
const outcomeIs = (outcome: 'success' | 'failure'): SqlCondition =>
  outcome === 'failure' ? sql<SqlBool>`outcome = 'failure'` : sql<SqlBool>`outcome = 'success'`;

function conditionsOf(filter: EventFilter): SqlCondition[] {
  const { since, until, actorId, userId, targetId, targetType, action, actionPrefix, outcome, domainId, applicationId } = filter;
  return [
    ...(since === undefined ? [] : [sql<SqlBool>`at >= ${since}`]),
    ...(until === undefined ? [] : [sql<SqlBool>`at < ${until}`]),
    ...(actorId === undefined ? [] : [equals('actor_id', actorId)]),
    ...(userId === undefined ? [] : [anyOf([equals('actor_id', userId), equals('user_id', userId), aboutUser(userId)])]),
    ...(targetId === undefined ? [] : [equals('target_id', targetId)]),
    ...(targetType === undefined ? [] : [equals('target_kind', targetType)]),
    ...(action === undefined ? [] : [equals('action', action)]),
    ...(actionPrefix === undefined ? [] : [sql<SqlBool>`action >= ${actionPrefix} and action < ${actionPrefix + LAST_LETTER}`]),
    ...(outcome === undefined ? [] : [outcomeIs(outcome)]),
    ...(domainId === undefined ? [] : [equals('domain_id', domainId)]),
    ...(applicationId === undefined ? [] : [equals('application_id', applicationId)]),
  ];
}

/** The actions from `first` to before `end` with their kinds of targets: one step in the index for each, in each of the months. */
async function actionsBetween(
  db: Reader,
  first: string,
  end: string,
  { from, to }: WholeMonths,
): Promise<{ action: string; kind: string }[]> {
  const inMonths = sql`${from === undefined ? sql`` : sql` and at >= ${from}`}${to === undefined ? sql`` : sql` and at < ${to}`}`;
  const { rows } = await sql<{ action: string; kind: string }>`
    with recursive actions (action) as (
      select (select min(action) from audit_events where action >= ${first}${inMonths})
      union all
      select (select min(e.action) from audit_events e where e.action > actions.action${inMonths}) from actions where actions.action < ${end}
    ), kinds (action, kind) as (
      select action, (select min(target_kind) from audit_events e where e.action = actions.action${inMonths})
      from actions where action < ${end}
      union all
      select action, (select min(target_kind) from audit_events e where e.action = kinds.action and target_kind > kinds.kind${inMonths})
      from kinds where kind is not null
    )
    select action, kind from kinds where kind is not null`.execute(db);
  return rows;
}

/** The parts in which events are searched, each in the order of one index. Together they have everything that is asked for. */
async function partsOf(db: Reader, { filter = {}, visible: all, months = {} }: EventRequest): Promise<SqlCondition[]> {
  const visible = withoutHidden(all, filter);
  const { actorId, userId, targetId, targetType, action, actionPrefix, outcome, domainId, applicationId } = filter;
  const limited = visible === 'all' ? [] : [anyOf(visibleParts(visible))];
  if (targetId !== undefined) return [allOf(equals('target_id', targetId), ...limited)];
  if (userId !== undefined)
    return [equals('actor_id', userId), equals('user_id', userId), aboutUser(userId)].map((part) => allOf(part, ...limited));
  if (actorId !== undefined) return [allOf(equals('actor_id', actorId), ...limited)];
  if (applicationId !== undefined) return [allOf(equals('application_id', applicationId), ...limited)];
  if (visible !== 'all') return visibleParts(visible);
  if (domainId !== undefined) return [equals('domain_id', domainId)];
  if (action !== undefined || actionPrefix !== undefined || targetType !== undefined) {
    const first = action ?? actionPrefix ?? '';
    const pairs = await actionsBetween(db, first, action === undefined ? first + LAST_LETTER : `${action} `, months);
    return pairs
      .filter(({ kind }) => targetType === undefined || kind === targetType)
      .map((pair) => allOf(equals('action', pair.action), equals('target_kind', pair.kind)));
  }
  return [outcome === 'failure' ? outcomeIs(outcome) : allOf()];
}

/** People do not see who did something to their account. So a filter for somebody else must not find it either. */
function withoutHidden(visible: Visible, { actorId, userId }: EventFilter): Visible {
  const isHidden = (id: string | undefined): boolean => visible !== 'all' && id !== undefined && id !== visible.userId;
  return visible !== 'all' && (isHidden(actorId) || isHidden(userId)) ? { ...visible, userId: undefined } : visible;
}

const COLUMNS = sql.raw(
  'id, at, request_id, actor_id, action, target_kind, target_id, outcome, detail, domain_id, application_id, user_id',
);

export async function readEvents(db: Reader, request: EventRequest): Promise<AuditEventRow[]> {
  const { filter = {}, before, after, limit } = request;
  const direction = after ? sql`asc` : sql`desc`;
  // The time alone is for tables by month: it says which months need not be searched.
  const places: RawBuilder<SqlBool>[] = [
    ...(before ? [sql<SqlBool>`at <= ${before.at} and (at, id) < (${before.at}, ${before.id})`] : []),
    ...(after ? [sql<SqlBool>`at >= ${after.at} and (at, id) > (${after.at}, ${after.id})`] : []),
  ];
  // The parts of a person's events say it already, each in a way that an index answers.
  const { userId, ...others } = filter;
  const conditions = [...conditionsOf(filter.targetId === undefined ? others : filter), ...places];
  const parts = (await partsOf(db, request)).map((part) => {
    const where = allOf(part, ...conditions);
    return sql`select * from (select ${COLUMNS} from audit_events where ${where}
      order by at ${direction}, id ${direction} limit ${limit}) part`;
  });
  if (parts.length === 0) return [];
  // An event may be in two parts. `union` drops the copies.
  const query = sql<AuditEventRow>`select * from (${sql.join(parts, sql` union `)}) events
    order by at ${direction}, id ${direction} limit ${limit}`;
  return (await query.execute(db)).rows;
}

/** The present month, those ahead, and one more: mostly they fill a page. */
const FIRST_MONTHS = 4;

/** What steps through actions takes a step for each of them in each month, and there may be years of these. One action is found sooner in all. */
const stepsThroughActions = (filter: EventFilter, visible: Visible): boolean =>
  visible === 'all' &&
  [filter.actionPrefix, filter.targetType].some((one) => one !== undefined) &&
  [filter.action, filter.targetId, filter.userId, filter.actorId, filter.applicationId, filter.domainId].every(
    (one) => one === undefined,
  );

const finite = (time: number | undefined): number | undefined => (Number.isFinite(time) ? time : undefined);

/** The same, where the table may be divided by month: few months are searched first. */
export async function listEvents({ dialect, lists }: Database, request: EventRequest): Promise<AuditEventRow[]> {
  const { filter = {}, visible, before, after, limit } = request;
  if (dialect !== 'postgres' || !stepsThroughActions(filter, visible)) return readEvents(lists, request);
  const parts: readonly Part[] = (await readParts(lists, 'audit_events')).filter(({ isOutside }) => !isOutside);
  const first = Math.max(filter.since ?? Number.NEGATIVE_INFINITY, after?.at ?? Number.NEGATIVE_INFINITY);
  const last = Math.min(filter.until ?? Number.POSITIVE_INFINITY, before?.at ?? Number.POSITIVE_INFINITY);
  const [begin, end] = [parts.findLastIndex(({ from }) => from <= first), parts.findIndex(({ to }) => to > last)];
  const months = { from: finite(parts[begin]?.from), to: finite(parts[end]?.to) };
  const edge = parts[after ? Math.max(begin, 0) + FIRST_MONTHS : (end < 0 ? parts.length : end + 1) - FIRST_MONTHS]?.from;
  if (edge !== undefined && first < edge && edge < last) {
    const few = after
      ? { filter: { ...filter, until: edge }, months: { ...months, to: edge } }
      : { filter: { ...filter, since: edge }, months: { ...months, from: edge } };
    const found = await readEvents(lists, { ...request, ...few });
    if (found.length === limit) return found;
  }
  return readEvents(lists, { ...request, months });
}

/** Where an event is, if it is among the visible ones. */
export async function positionOf(db: Reader, visible: Visible, id: string): Promise<EventPosition | undefined> {
  const limits = visible === 'all' ? allOf() : anyOf(visibleParts(visible));
  const found = await sql<EventPosition>`select id, at from audit_events where id = ${id} and ${limits}`.execute(db);
  return found.rows[0];
}

export interface LoginCount {
  readonly start: number;
  readonly action: string;
  readonly total: number;
}

export const LOGGED_IN = 'user.logged_in';
export const LOGIN_REFUSED = 'user.login_refused';

/** Logins and refused ones in each period of `seconds`. Read from an index alone. */
export async function countLogins(
  db: Reader,
  { domainId, since, until, seconds }: { domainId: string | undefined; since: number; until: number; seconds: number },
): Promise<LoginCount[]> {
  const period = sql`at / ${sql.lit(seconds)} * ${sql.lit(seconds)}`;
  const count = (condition: SqlCondition) =>
    sql`select action, ${period} as start, count(*) as total from audit_events
      where ${condition} and at >= ${since} and at < ${until} group by action, ${period}`;
  const about = (action: string): SqlCondition => allOf(equals('action', action), sql<SqlBool>`target_kind = 'user'`);
  const query =
    domainId === undefined
      ? sql`${count(about(LOGGED_IN))} union all ${count(about(LOGIN_REFUSED))}`
      : count(allOf(equals('domain_id', domainId), isIn('action', [LOGGED_IN, LOGIN_REFUSED])));
  const { rows } = await sql<LoginCount>`${query}`.execute(db);
  return rows.map(({ start, action, total }) => ({ start: Number(start), action, total: Number(total) }));
}
