// The JSON of audit events.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

const optionalId = (description: string) => t.nullable(t.string({ description }));

export const AuditEvent = t.object(
  {
    id: t.string(),
    at: t.string(),
    action: t.string({ description: 'What happened, such as user.logged_in.' }),
    outcome: t.oneOf('success', 'failure'),
    actor_id: optionalId('Who did it; null for the service itself, and for those who were refused.'),
    target_type: t.string(),
    target_id: t.string(),
    user_id: optionalId('The person concerned, when they are not the target.'),
    domain_id: optionalId('The domain concerned, as it was at the time.'),
    application_id: optionalId('The application concerned.'),
    request_id: optionalId('The request, as in the log of the service.'),
    detail: t.record(t.unknown()),
  },
  { by_other: t.boolean({ description: 'In the events about oneself: somebody else did it.' }) },
);

export type EventJson = ReturnType<typeof renderEvent>;

export const AuditEventList = t.object(
  {
    links: ListLinks,
    events: t.array(AuditEvent),
    after: t.string({ description: 'For the next request that follows new events.' }),
  },
  {
    names: t.record(t.record(t.string()), {
      description:
        'With include_names: names by kind of thing and id. What was deleted has none, nor what the caller may not see.',
    }),
  },
);

export const LoginCounts = t.object({
  counts: t.array(
    t.object({
      start: t.string({ description: 'When the hour or the day begins (UTC).' }),
      logins: t.integer(),
      refused: t.integer(),
    }),
  ),
  interval: t.oneOf('hour', 'day'),
  since: t.string(),
  until: t.string(),
});

export interface VisibleEvent {
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly outcome: string;
  readonly actor_id: string | null;
  readonly target_kind: string;
  readonly target_id: string;
  readonly user_id: string | null;
  readonly domain_id: string | null;
  readonly application_id: string | null;
  readonly request_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly by_other?: boolean;
}

export const renderEvent = ({ target_kind, at, ...event }: VisibleEvent) => ({
  ...event,
  at: isoTime(at * 1000),
  target_type: target_kind,
});

const COLUMNS = [
  'id',
  'at',
  'action',
  'outcome',
  'actor_id',
  'target_type',
  'target_id',
  'user_id',
  'domain_id',
  'application_id',
  'request_id',
  'detail',
] as const satisfies readonly (keyof EventJson)[];

/** Spreadsheets run a cell that begins so as a formula. An apostrophe makes it text. */
const FORMULA = /^[=+\-@\t\r\n]/;
const cell = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;
export const csvLine = (event: EventJson): string => `${COLUMNS.map((name) => cell(event[name])).join(',')}\r\n`;
export const jsonLine = (event: EventJson): string => `${JSON.stringify(event)}\n`;

t.name({ AuditEvent, AuditEventList, LoginCounts });
