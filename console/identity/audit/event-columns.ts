// The columns of a table of audit events, on the audit screen and in the history of a person.
import { html } from 'lit';
import type { Content } from '../../shared/screen.ts';
import type { Column } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { thingLink } from '../resources.ts';
import { words } from '../words/index.ts';

export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'success' | 'failure';
  readonly actor_id: string | null;
  readonly target_type: string;
  readonly target_id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface EventColumnOptions {
  /** Of users, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  target(event: AuditEvent): Content;
}

/** The kind of what an event is about, in words. */
export function kindOf({ target_type: type }: AuditEvent): string {
  const { kinds } = words.audit;
  return kinds[type as keyof typeof kinds] ?? type;
}

/** Names such as `app_role.permission_added` break between their words, not within one. */
const breakable = (name: string): Content =>
  name.split(/(?<=[._])/).map((part) => html`<span class="whole">${part}</span><wbr />`);

export function eventColumns({ names, target }: EventColumnOptions): Column<AuditEvent>[] {
  const { audit } = words;
  return [
    { name: audit.when, isHeader: true, cell: ({ at }) => time(at) },
    { name: audit.action, cell: ({ action }) => html`<code>${breakable(action)}</code>` },
    {
      name: audit.outcome,
      cell: ({ outcome }) =>
        html`<span class="badge ${outcome === 'success' ? 'good' : 'bad'}">${audit.outcomes[outcome]}</span>`,
    },
    {
      name: audit.by,
      cell: ({ actor_id: id }) => (id === null ? audit.nobody : thingLink('users', id, names.get(id))),
    },
    { name: audit.target, cell: target },
  ];
}
