// The columns of a table of audit events, on the audit screen and in the history of a person.
import { html, nothing } from 'lit';
import type { Content } from '../../shared/screen.ts';
import type { Column } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { words } from '../words/index.ts';
import { type AuditEvent, type Names, sentence } from './sentence.ts';

/** As the API has it, with the ids. */
function detailsOf({ action, outcome, actor_id, target_type, target_id, request_id, detail }: AuditEvent): Content {
  const shown = { action, outcome, actor_id, target_type, target_id, ...(request_id === null ? {} : { request_id }), detail };
  return html`<details><summary>${words.audit.show}</summary><pre tabindex="0">${JSON.stringify(shown, null, 2)}</pre></details>`;
}

export function eventColumns(names: Names): Column<AuditEvent>[] {
  const { audit } = words;
  return [
    { name: audit.when, isHeader: true, cell: ({ at }) => time(at) },
    {
      name: audit.what,
      cell: (event) =>
        html`${sentence(event, names)} ${event.outcome === 'failure' ? html`<span class="badge bad">${audit.outcomes.failure}</span>` : nothing}`,
    },
    { name: audit.details, cell: detailsOf },
  ];
}
