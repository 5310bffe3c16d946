// Settings of the export and the retention of audit events, the same for each service.
import { setting, type Values } from '../config/index.ts';
import { syslogTarget } from './syslog.ts';

export const auditSettings = (prefix: 'GATEHOUSE_IDENTITY' | 'GATEHOUSE_WALLET') =>
  ({
    auditDays: setting.optionalNumber(
      `${prefix}_AUDIT_DAYS`,
      { min: 1, max: 36_500, unit: 'days' },
      'How long audit events are kept. Unset: for ever. If events are exported, each is kept at least until it has been exported. On PostgreSQL, from 62 days on, they go by whole months, up to a month later.',
    ),
    auditFile: setting.optionalText(
      `${prefix}_AUDIT_FILE`,
      'File to which audit events are appended, as lines of JSON in the format of Keystone’s notifications (CADF).',
    ),
    auditSyslog: setting.custom<string | undefined>(
      `${prefix}_AUDIT_SYSLOG`,
      undefined,
      'udp://, tcp:// or tls:// with host and port',
      'Syslog server (RFC 5424) that gets audit events. Over udp they can be lost.',
      (text) => (syslogTarget(text) ? text : undefined),
    ),
    auditSyslogCaFile: setting.optionalText(
      `${prefix}_AUDIT_SYSLOG_CA_FILE`,
      'Certificates (PEM) that the certificate of a tls:// syslog server is checked with, instead of those of the system.',
    ),
    auditWebhookUrl: setting.address(`${prefix}_AUDIT_WEBHOOK_URL`, 'Address to which audit events are posted, in batches.'),
    auditWebhookSecret: setting.secret(
      `${prefix}_AUDIT_WEBHOOK_SECRET`,
      'Secret that signs these requests. Required with the address.',
    ),
  }) as const;

export type AuditExportConfig = Values<ReturnType<typeof auditSettings>>;
