// /v3/OS-AUDIT: audit events, and counts of logins for a chart.
import type { IncomingHttpHeaders } from 'node:http';
import { Answer, type Query } from '../../../platform/http/index.ts';
import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { listOf, PAGE_DOCUMENTATION, single } from '../../ground/resource/index.ts';
import { type AuditEvents, type ExportFormat, MAX_EXPORT } from './audit-events.rules.ts';
import { AuditEventList, LoginCounts } from './audit-events.schema.ts';

const tag = 'Audit';
const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const;

const TIMES = {
  since: 'Only from this time on, as in 2026-11-16T08:00:00Z.',
  until: 'Only before this time.',
};
const LIST_DOCUMENTATION = {
  query: {
    ...PAGE_DOCUMENTATION.query,
    ...TIMES,
    user_id: 'Only events that this person did, or that concern them.',
    actor_id: 'Only what this user did.',
    action: 'Only this action, such as user.logged_in; or those that begin so, as in user.*',
    target_id: 'Only events about this thing.',
    target_type: 'Only events about this kind of thing, such as user or consumer.',
    outcome: 'Only success or failure.',
    domain_id: 'Only events that concern this domain.',
    include_names: 'Show in addition the names of what the events mention by id, as far as the caller may see it.',
    application_id: 'Only events that concern this application.',
    after:
      'The `after` of an earlier answer: only events that were stored since then, the oldest first. For following live. Events of the last 30 seconds come again each time, because some are stored late: ignore the ids that you already have.',
    format: `csv or ndjson: an export of ${MAX_EXPORT} events at most, instead of pages. If there are that many, repeat the request with the id of the last event as marker; the CSV then has no header line. The header Accept with text/csv or application/x-ndjson does the same as this parameter.`,
  },
  otherTypes: ['text/csv', 'application/x-ndjson'],
};

function formatOf(query: Query, { accept = '' }: IncomingHttpHeaders): ExportFormat | 'json' {
  const format = single(query, 'format');
  if (format === 'csv' || format === 'ndjson' || format === 'json') return format;
  if (format !== undefined) fail('request.bad_value', { field: 'format', why: 'it must be csv, ndjson or json' });
  const [first = ''] = accept.split(/[,;]/, 1);
  const wanted = first.trim().toLowerCase();
  return wanted === 'text/csv' ? 'csv' : wanted === 'application/x-ndjson' ? 'ndjson' : 'json';
}

export function mountAuditEvents(app: IdentityApp, { auditEvents }: { auditEvents: AuditEvents }): void {
  app.get(
    '/v3/OS-AUDIT/events',
    {
      id: 'listAuditEvents',
      summary: 'List audit events',
      description:
        'The newest first. Everybody sees the events about themselves, and owners those of their applications; administrators and readers of the system see all, managers those of their domain. With `format` it is an export (CSV or JSON lines).',
      tag,
      rule: 'identity:list_audit_events',
      documentation: LIST_DOCUMENTATION,
      reply: { 200: AuditEventList },
    },
    async (call) => {
      const { caller, query, headers } = call;
      const format = formatOf(query, headers);
      if (format !== 'json') {
        const chunks = await auditEvents.exportAs(format, caller, query);
        const named = { 'Content-Disposition': `attachment; filename="audit-events.${format}"` };
        return new Answer({ chunks, headers: { 'Content-Type': TYPES[format], ...named } });
      }
      const { after, names, ...page } = await auditEvents.list(caller, query);
      return { ...listOf(call, 'events', page), after, ...(names === undefined ? {} : { names }) };
    },
  );

  app.get(
    '/v3/OS-AUDIT/counts',
    {
      id: 'countLogins',
      summary: 'Count logins',
      description: 'Successful and refused logins, by hour or day.',
      tag,
      rule: 'identity:count_audit_events',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: {
        query: {
          ...TIMES,
          interval: 'hour (the default: the last day) or day (the default: the last 30 days); 744 of them at most.',
        },
      },
      reply: { 200: LoginCounts },
    },
    ({ caller, query }) => auditEvents.counts(caller, query),
  );
}
