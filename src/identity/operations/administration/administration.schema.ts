// The JSON of /v3/OS-SERVICE.
import { t } from '../../../platform/http/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

const Count = t.object({ count: t.integer(), is_exact: t.boolean({ description: 'False: there are more than were counted.' }) });

export const Overview = t.envelope(
  'overview',
  t.object({
    version: t.string(),
    health: t.object({
      status: t.oneOf('ok', 'unavailable'),
      database: t.object({ status: t.oneOf('ok', 'unavailable'), latency_ms: t.integer() }),
    }),
    counts: t.record(Count, { description: 'users, groups, projects, domains, applications; of a domain without applications.' }),
    attention: t.array(
      t.object(
        {
          kind: t.string(),
          severity: t.oneOf('critical', 'warning', 'info'),
          target: t.nullable(t.object({ type: t.string(), id: t.string() }, { name: t.string() })),
          text: t.string(),
        },
        { count: t.integer({ description: 'How many, or how many days.' }) },
      ),
    ),
  }),
);

const KeySet = t.object({
  kind: t.oneOf('token', 'openid', 'issuer', 'verifier', 'master'),
  rotates_at: t.nullable(t.string({ description: 'When the service rotates them itself. Null: an administrator does.' })),
  keys: t.array(
    t.object({
      id: t.string(),
      algorithm: t.string({ description: 'Or `cookie`, for keys that sign cookies.' }),
      active_from: t.string(),
      age_seconds: t.integer(),
      state: t.oneOf('announced', 'current', 'previous'),
    }),
  ),
});
export const KeySets = t.object({ key_sets: t.array(KeySet) });
export const KeySetEnvelope = t.envelope('key_set', KeySet);

const Certificate = t.object({
  use: t.oneOf('tls', 'issuer', 'verifier', 'directory', 'identity_provider', 'wallet_provider', 'audit_syslog'),
  of: t.nullable(
    t.object({ id: t.string(), name: t.string() }, {}, { description: 'The domain or the provider; null: the service.' }),
  ),
  subject: t.string(),
  issuer: t.string(),
  fingerprint: t.string({ description: 'SHA-256.' }),
  valid_from: t.string(),
  expires_at: t.string(),
  state: t.oneOf('valid', 'expiring', 'expired', 'not_yet_valid'),
  renews: t.boolean({ description: 'Whether the service makes the next one itself.' }),
});
export const Certificates = t.object({ certificates: t.array(Certificate), truncated: t.boolean() });

const nullableTime = t.nullable(t.string());
const Delivery = t.object({
  id: t.string(),
  kind: t.oneOf('web_hook', 'mail'),
  subject: t.string({ description: 'The event, or the template of the mail.' }),
  recipient: t.nullable(t.string({ description: 'To whom a mail goes; null for web hooks.' })),
  state: t.oneOf('waiting', 'retrying', 'failed'),
  attempts: t.integer(),
  last_error: t.nullable(t.string()),
  created_at: t.string(),
  next_attempt_at: nullableTime,
  failed_at: nullableTime,
  expires_at: nullableTime,
});
export const DeliveryList = t.object({ links: ListLinks, deliveries: t.array(Delivery) });

const TestMail = t.object({ to: t.string({ maxLength: 320 }) }, { language: t.string({ maxLength: 35 }) });
export const TestMailEnvelope = t.envelope('mail', TestMail);
export const TestMailResult = t.envelope(
  'mail',
  t.object({
    accepted: t.boolean(),
    sent_to: t.string({ description: 'The server, or the folder.' }),
    answer: t.nullable(t.string({ description: 'Why it was not accepted, with the number of the server’s answer.' })),
  }),
);

const KeptBackup = t.object({
  file: t.string({ description: 'Its name.' }),
  made_at: t.string(),
  bytes: t.integer(),
  verified: t.boolean({ description: 'Whether it was restored for a try before it got its name. All are.' }),
  on_schedule: t.boolean({ description: 'False: somebody asked for it. As many of either kind are kept.' }),
});
export const Backups = t.envelope(
  'backups',
  t.object({
    is_known: t.boolean({ description: 'False with PostgreSQL: other tools make backups.' }),
    last: t.nullable(
      t.object({
        made_at: t.string(),
        files: t.array(t.string()),
        verified_at: t.nullable(t.string({ description: 'When it was test-restored; null: it was not.' })),
      }),
    ),
    failed: t.nullable(t.object({ at: t.string(), reason: t.string({ description: 'Why the last attempt failed.' }) })),
    missing_setting: t.nullable(t.string({ description: 'The setting without which the service makes none on a schedule.' })),
    is_running: t.boolean({ description: 'Whether one is being made now.' }),
    asked: t.nullable(
      t.object(
        {
          started_at: t.string(),
          outcome: t.oneOf('running', 'made', 'failed'),
          reason: t.nullable(t.string({ description: 'Null also if the log alone says it.' })),
        },
        {},
        { description: 'The last that was asked for since the service started.' },
      ),
    ),
    kept: t.array(KeptBackup, { description: 'In the folder for them, the newest first; at most 100.' }),
  }),
);

t.name({
  Count,
  ServiceOverview: Overview,
  KeySet,
  KeySetList: KeySets,
  KeySetEnvelope,
  ServiceCertificate: Certificate,
  ServiceCertificateList: Certificates,
  Delivery,
  DeliveryList,
  KeptBackup,
  BackupState: Backups,
  TestMail,
  TestMailEnvelope,
  TestMailResult,
});
