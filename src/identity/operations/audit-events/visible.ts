// What a caller sees of an event, by why they see it. Addresses of people are shown to administrators and to those who look after them.
import type { AuditEventRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import type { VisibleEvent } from './audit-events.schema.ts';
import type { Visible } from './audit-events.store.ts';
import { CONCERNING_ACTIONS } from './own-events.ts';

/** Where somebody was. */
const PLACE = ['address', 'user_agent'];
/** Of the events about themselves people see these details; of what others did, only what it was about. */
const OWN_DETAIL = [
  'address',
  'user_agent',
  'methods',
  'via',
  'purpose',
  'name',
  'passkey_id',
  'device_id',
  'consumer_id',
  'type_id',
];
const OTHERS_DETAIL = ['consumer_id', 'type_id'];

type Detail = Readonly<Record<string, unknown>>;
const only = (detail: Detail, names: readonly string[]): Detail =>
  Object.fromEntries(Object.entries(detail).filter(([name]) => names.includes(name)));
const without = (detail: Detail, names: readonly string[]): Detail =>
  Object.fromEntries(Object.entries(detail).filter(([name]) => !names.includes(name)));

/** Where the directory of a domain is, and as whom it is asked, is nothing for those who manage the domain: as in its settings. */
function withoutDirectory(detail: Detail): Detail {
  const { changes, ...rest } = without(detail, ['servers']);
  if (typeof changes !== 'object' || changes === null) return rest;
  const shown = Object.entries(changes).map(([name, change]) => [name, name.startsWith('ldap.') ? 'changed' : change]);
  return { ...rest, changes: Object.fromEntries(shown) };
}

/** `places`: whether a caller who sees all events also sees where people were. */
export function visibleEvent(row: AuditEventRow, visible: Visible, places: boolean): VisibleEvent {
  const whole = { ...row, detail: parseJson<Record<string, unknown>>(row.detail) };
  if (visible === 'all') return places ? whole : { ...whole, detail: without(whole.detail, PLACE) };
  const event = { ...whole, detail: row.target_kind === 'domain' ? withoutDirectory(whole.detail) : whole.detail };
  const subjectId = row.target_kind === 'user' ? row.target_id : row.user_id;
  const isByOther = row.actor_id !== null && row.actor_id !== subjectId;
  if (visible.domainId !== undefined && row.domain_id === visible.domainId)
    return isByOther ? { ...event, detail: without(event.detail, PLACE) } : event;
  const isManaged = row.application_id !== null && visible.applicationIds?.includes(row.application_id) === true;
  const isAboutSubject = (CONCERNING_ACTIONS as readonly string[]).includes(row.action) && !isManaged;
  if (visible.userId === undefined || subjectId !== visible.userId || (row.target_kind !== 'user' && !isAboutSubject))
    return { ...event, detail: without(event.detail, PLACE) };
  return {
    ...event,
    detail: only(event.detail, isByOther ? OTHERS_DETAIL : OWN_DETAIL),
    by_other: isByOther,
    ...(isByOther ? { actor_id: null, request_id: null } : {}),
  };
}
