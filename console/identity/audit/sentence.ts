// An audit event as a sentence, such as "ada gave bob the role Pilot in Berths". What still exists is named, as far as the reader may see it;
// everything else is shown by its id.
import { html, nothing } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { numberText } from '../../shared/time.ts';
import { thingLink } from '../resources.ts';
import type { EVENT_PARTS } from '../words/en/events.ts';
import { words } from '../words/index.ts';

export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'success' | 'failure';
  readonly actor_id: string | null;
  readonly target_type: string;
  readonly target_id: string;
  readonly user_id: string | null;
  readonly application_id: string | null;
  readonly request_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly by_other?: boolean;
}

/** By kind and id, as the list of events has them with `include_names`. */
export type Names = Readonly<Record<string, Readonly<Record<string, string>>>>;

const SCREENS = { user: 'users', group: 'groups', project: 'projects', domain: 'domains', consumer: 'applications' } as const;
const MAX_LIST = 5;

export const nameIn = (names: Names, kind: string, id: string): string | undefined => names[kind]?.[id];

function thing(names: Names, kind: string, id: unknown): Content | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const name = nameIn(names, kind, id);
  const screen = SCREENS[kind as keyof typeof SCREENS];
  if (screen) return thingLink(screen, id, name);
  return name === undefined ? html`<code>${id}</code>` : html`<b>${name}</b>`;
}

const text = (value: unknown): Content | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? numberText(value) : undefined;

function listed(values: readonly unknown[], show: (value: unknown) => Content | undefined): Content | undefined {
  const shown = values.slice(0, MAX_LIST).map((value, at) => html`${at === 0 ? '' : ', '}${show(value) ?? ''}`);
  if (shown.length === 0) return undefined;
  return html`${shown}${values.length > MAX_LIST ? ` ${words.audit.andMore(numberText(values.length - MAX_LIST))}` : ''}`;
}

function by({ actor_id, by_other }: AuditEvent, names: Names): Content {
  return thing(names, 'user', actor_id) ?? (by_other ? words.audit.somebodyElse : words.audit.nobody);
}

function target({ target_type: kind, target_id: id }: AuditEvent, names: Names): Content | undefined {
  if (kind === 'user' && id === 'unknown') return words.audit.unknownName;
  return thing(names, kind === 'credential_target' ? 'consumer' : kind, id);
}

/** Settings have names, of the service and of domains. */
const fieldName = (field: unknown): Content | undefined => {
  const { settings, domainSettings } = words;
  const named: Readonly<Record<string, string>> = { ...settings.names, ...domainSettings.names };
  return typeof field === 'string' && Object.hasOwn(named, field) ? `“${named[field]}”` : text(field);
};

function fields({ detail }: AuditEvent): Content | undefined {
  const changed = detail.fields ?? detail.options ?? Object.keys((detail.changes as object | undefined) ?? {});
  return Array.isArray(changed) ? listed(changed, fieldName) : undefined;
}

const NUMBERS = ['count', 'links', 'users', 'entries', 'secrets', 'keys'] as const;

/** What the words in braces stand for. */
const PARTS: Readonly<Record<(typeof EVENT_PARTS)[number], (event: AuditEvent, names: Names) => Content | undefined>> = {
  by,
  target,
  fields,
  user: ({ user_id, detail }, names) => thing(names, 'user', user_id ?? detail.user_id),
  who: ({ detail }, names) => thing(names, 'user', detail.user_id) ?? thing(names, 'group', detail.group_id),
  users: ({ detail }, names) =>
    Array.isArray(detail.user_ids) ? listed(detail.user_ids, (id) => thing(names, 'user', id)) : text(detail.all),
  trustee: ({ detail }, names) => thing(names, 'user', detail.trustee_user_id),
  where: ({ detail }, names) =>
    detail.target === 'system' ? words.audit.system : thing(names, String(detail.target), detail.target_id),
  project: ({ detail }, names) => thing(names, 'project', detail.project_id ?? detail.organization_id),
  application: ({ application_id, detail }, names) => thing(names, 'consumer', application_id ?? detail.consumer_id),
  permission: ({ detail }, names) => thing(names, 'permission', detail.permission_id),
  implied: ({ detail }, names) => thing(names, 'role', detail.implied_role_id),
  count: ({ detail }) => NUMBERS.map((name) => text(detail[name])).find((one) => one !== undefined),
  name: ({ detail }) => text(detail.name),
  tag: ({ detail }) => text(detail.tag),
  type: ({ detail, target_type, target_id }) =>
    text(detail.type_id) ?? text(detail.type) ?? (target_type === 'credential_type' ? target_id : undefined),
  provider: ({ detail }) => text(detail.identity_provider_id),
};

const templates: Readonly<Record<string, string>> = words.events;

export function sentence(event: AuditEvent, names: Names): Content {
  const template = Object.hasOwn(templates, event.action) ? templates[event.action]! : undefined;
  // Of an earlier version.
  if (template === undefined) return html`<code>${event.action}</code> ${target(event, names) ?? nothing}`;
  // What an event lacks is left out where the sentence ends with it.
  const pieces = template.split(/(:? ?\{\w+\})/);
  return html`${pieces.map((piece) => {
    const [, before, part] = /^(:? ?)\{(\w+)\}$/.exec(piece) ?? [];
    if (part === undefined) return piece;
    const value = PARTS[part as keyof typeof PARTS](event, names);
    if (value !== undefined) return html`${before}${value}`;
    return before === ': ' ? nothing : `${before}${words.audit.something}`;
  })}`;
}

/** What happened, for a choice: without who and what. */
export const phrase = (action: string): string =>
  (templates[action] ?? action).replace(/: \{\w+\}$/, '').replace(/[“«„]?\{\w+\}[”»“]?/g, '…');

export const ACTIONS: readonly string[] = Object.keys(templates);
