// Metrics of the export of audit events.
import type { InTurn, MetricDefinition, MetricDefinitions, Metrics } from '../metrics/index.ts';
import type { AuditExports } from './exports.ts';

const EXPORT = { export: '`file`, `syslog`, `web_hook`' };

/** `prefix`: how the names of a service begin. */
export const auditExportMetrics = (prefix: string) =>
  ({
    auditExportLag: {
      name: `${prefix}_audit_export_lag_seconds`,
      type: 'gauge',
      help: 'How long the oldest audit event waits that could be exported; 0 if none does',
      labels: EXPORT,
      aggregation: 'max',
    },
    auditExported: {
      name: `${prefix}_audit_exported_total`,
      type: 'counter',
      help: 'Audit events that were exported',
      labels: EXPORT,
    },
    auditExportFailed: {
      name: `${prefix}_audit_export_failures_total`,
      type: 'counter',
      help: 'Attempts to export audit events that failed and are repeated',
      labels: EXPORT,
    },
  }) as const satisfies MetricDefinitions;

type Definitions = Readonly<Record<keyof ReturnType<typeof auditExportMetrics>, MetricDefinition>>;

export function registerAuditExports(metrics: Metrics, definitions: Definitions, exports: AuditExports, inTurn: InTurn): void {
  metrics.labelled(definitions.auditExportLag, inTurn(exports.lags));
  metrics.totals(definitions.auditExported, exports.exported);
  metrics.totals(definitions.auditExportFailed, exports.failed);
}
