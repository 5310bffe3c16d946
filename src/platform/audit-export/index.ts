// Audit events leave the service: to a file, to syslog or to a web hook, in the format of Keystone's notifications (CADF).

export type { AuditExportRow } from './audit-export.store.ts';
export { type CadfMessage, type CadfNames, cadfMessage, operationOf } from './cadf.ts';
export { type AuditDestination, createDestinations } from './destinations.ts';
export { type AuditExports, createAuditExports, SETTLE_SECONDS } from './exports.ts';
export { auditExportMetrics, registerAuditExports } from './metrics.ts';
export { type AuditExportConfig, auditSettings } from './settings.ts';
export { type SyslogTarget, syslogMessage, syslogTarget } from './syslog.ts';
