// /v3/OS-AUDIT: audit events as the caller may see them, and counts of logins. The events are written by ground/audit/ and directory/logins/.

export { mountAuditEvents } from './audit-events.routes.ts';
export { createAuditEvents } from './audit-events.rules.ts';
export { CSV_HEAD, csvLine, jsonLine, renderEvent } from './audit-events.schema.ts';
export { type EventFilter, type EventPosition, readEvents } from './audit-events.store.ts';
export { OWN_ACTIONS, type OwnAction } from './own-events.ts';
export { visibleEvent } from './visible.ts';
