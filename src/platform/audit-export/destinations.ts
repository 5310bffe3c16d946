// Where the settings want audit events to go.
import type { Clock } from '../clock.ts';
import { ConfigError } from '../config/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { CadfMessage } from './cadf.ts';
import { createFileExport } from './file.ts';
import type { AuditExportConfig } from './settings.ts';
import { createSyslog } from './syslog.ts';
import { createWebHook } from './web-hook.ts';

export interface AuditDestination {
  /** Names its cursor in the database. */
  readonly name: 'file' | 'syslog' | 'web_hook';
  /** Resolves when all have arrived. Otherwise all are sent again. */
  send(messages: readonly CadfMessage[], stopping?: AbortSignal): Promise<void>;
}

export function createDestinations(
  config: AuditExportConfig,
  { service, outbound, clock }: { service: 'identity' | 'wallet'; outbound: Outbound; clock: Clock },
): AuditDestination[] {
  const { auditFile, auditSyslog, auditSyslogCaFile, auditWebhookUrl: url, auditWebhookSecret: secret } = config;
  if (url !== undefined && secret === undefined)
    throw new ConfigError(
      `GATEHOUSE_${service.toUpperCase()}_AUDIT_WEBHOOK_SECRET must be set with the address; it signs the messages`,
    );
  return [
    ...(auditFile === undefined ? [] : [{ name: 'file', send: createFileExport(auditFile) } as const]),
    ...(auditSyslog === undefined
      ? []
      : [{ name: 'syslog', send: createSyslog(auditSyslog, service, auditSyslogCaFile) } as const]),
    ...(url === undefined || secret === undefined
      ? []
      : [{ name: 'web_hook', send: createWebHook({ url, secret, outbound, clock }) } as const]),
  ];
}
