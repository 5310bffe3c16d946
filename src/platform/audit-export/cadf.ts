// Audit events as CADF events (DMTF DSP0262) in the envelope of Keystone's notifications, so that programs which read Keystone's read ours.
// Our own action and details are in `gatehouse`.
import { hostname } from 'node:os';
import type { AuditEventRow } from '../audit/index.ts';

/** What Keystone, or the specification, calls an event. */
export interface CadfNames {
  /** `created.user`: begins with a word of the specification. */
  readonly action: string;
  /** `identity.user.created`. */
  readonly eventType: string;
  /** `data/security/account/user`. */
  readonly targetType: string;
  /** Who did it, where the event has no actor of its own. */
  readonly initiatorId?: string;
  /** Further members, as Keystone has them for some events. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface CadfMessage {
  readonly event_type: string;
  readonly message_id: string;
  readonly priority: 'INFO';
  readonly publisher_id: string;
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Rows of a service may have more columns. */
export type StoredEvent = AuditEventRow & {
  readonly domain_id?: string | null | undefined;
  readonly application_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
};

const USER = 'service/security/account/user';
const SERVICE = 'service/security';

const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  created: ['created', 'made', 'registered', 'begun', 'received', 'added', 'given', 'remembered', 'scheduled'],
  deleted: ['deleted', 'removed', 'purged', 'destroyed', 'forgotten', 'withdrawn', 'ended', 'dropped'],
  revoked: ['revoked'],
  disabled: ['disabled'],
};

/** One of Keystone's operations for the last word of an action: `updated`, if it neither creates nor removes. */
export function operationOf(verb: string): string {
  const [last = verb] = verb.split('_').slice(-1);
  return Object.entries(OPERATIONS).find(([, verbs]) => verbs.includes(last))?.[0] ?? 'updated';
}

/** Keystone writes ids of CADF events as UUIDs. */
export const uuidOf = (id: string): string =>
  /^[0-9a-f]{32}$/.test(id) ? id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : id;

const times = (at: number) => {
  const text = new Date(at * 1000).toISOString().slice(0, 19);
  return { eventTime: `${text}.000000+0000`, timestamp: `${text.replace('T', ' ')}.000000` };
};

function initiatorOf(row: StoredEvent, detail: Readonly<Record<string, unknown>>, names: CadfNames) {
  const userId = row.actor_id ?? names.initiatorId;
  const { address, user_agent: agent } = detail;
  const host = { ...(address === undefined ? {} : { address }), ...(agent === undefined ? {} : { agent }) };
  return {
    ...(userId === undefined ? { typeURI: SERVICE, id: 'gatehouse' } : { typeURI: USER, id: uuidOf(userId), user_id: userId }),
    ...(Object.keys(host).length === 0 ? {} : { host }),
    ...(row.request_id === null ? {} : { request_id: row.request_id }),
  };
}

/** `service`: who publishes it, such as `identity`. */
export function cadfMessage(service: string, row: StoredEvent, names: CadfNames): CadfMessage {
  const detail = JSON.parse(row.detail) as Record<string, unknown>;
  const { eventTime, timestamp } = times(row.at);
  const id = uuidOf(row.id);
  const reason = typeof detail.reason === 'string' && row.outcome === 'failure' ? { reasonType: detail.reason } : undefined;
  const { domain_id: domainId, application_id: applicationId, user_id: userId } = row;
  return {
    event_type: names.eventType,
    message_id: id,
    priority: 'INFO',
    publisher_id: `${service}.${hostname()}`,
    timestamp,
    payload: {
      typeURI: 'http://schemas.dmtf.org/cloud/audit/1.0/event',
      eventType: 'activity',
      id,
      eventTime,
      action: names.action,
      outcome: row.outcome,
      initiator: initiatorOf(row, detail, names),
      target: { typeURI: names.targetType, id: row.target_id },
      observer: { typeURI: SERVICE, id: `gatehouse-${service}` },
      ...(reason ? { reason } : {}),
      resource_info: row.target_id,
      ...names.extra,
      gatehouse: {
        action: row.action,
        target_type: row.target_kind,
        ...(domainId ? { domain_id: domainId } : {}),
        ...(applicationId ? { application_id: applicationId } : {}),
        ...(userId ? { user_id: userId } : {}),
        detail,
      },
    },
  };
}
