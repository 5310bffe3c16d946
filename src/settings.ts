// Settings of both services.
import { setting, type Values } from './platform/config/index.ts';
import { levels } from './platform/log/index.ts';

export const sharedSettings = {
  dataDir: setting.text(
    'GATEHOUSE_DATA_DIR',
    './data',
    'Folder of the SQLite files and the master key. Only its owner has access.',
  ),
  masterKey: setting.secret(
    'GATEHOUSE_MASTER_KEY',
    'Master key that encrypts secrets at rest: 32 bytes in base64url. If unset, it is created in the data folder. Required with PostgreSQL.',
  ),
  oldMasterKeys: setting.secret(
    'GATEHOUSE_OLD_MASTER_KEYS',
    'Other master keys, comma-separated. They only decrypt secrets, never encrypt: the former key after a change, or the next key while replicas are being switched.',
  ),
  metricsHost: setting.text(
    'GATEHOUSE_METRICS_HOST',
    '127.0.0.1',
    'Address on which the metrics of both services are served. Keep it internal.',
  ),
  metricsPort: setting.number('GATEHOUSE_METRICS_PORT', 2112, { min: 0, max: 65_535, unit: 'port' }, 'Port of /metrics.'),
  workers: setting.custom<number | 'auto'>(
    'GATEHOUSE_WORKERS',
    1,
    'a number or auto',
    'Number of processes. More than one needs PostgreSQL.',
    (value) => {
      if (value === 'auto') return 'auto';
      if (!/^[1-9]\d{0,2}$/.test(value)) throw new Error(`must be a number from 1 to 999, or auto, not "${value}"`);
      return Number(value);
    },
  ),
  drainSeconds: setting.number(
    'GATEHOUSE_DRAIN_SECONDS',
    0,
    { min: 0, max: 3600, unit: 'seconds' },
    'How long /readyz answers 503 before the ports close when the service stops, so that load balancers notice.',
  ),
  trustedProxies: setting.list('GATEHOUSE_TRUSTED_PROXIES', 'Proxies (addresses or CIDR) whose X-Forwarded headers are trusted.'),
  tlsCertFile: setting.optionalText('GATEHOUSE_TLS_CERT_FILE', 'Certificate chain (PEM), if the service itself terminates TLS.'),
  tlsKeyFile: setting.optionalText('GATEHOUSE_TLS_KEY_FILE', 'Private key (PEM) of that certificate.'),
  logLevel: setting.choice(
    'GATEHOUSE_LOG_LEVEL',
    'info',
    levels,
    'Minimum log level. Successful requests that only read are logged at debug.',
  ),
  traces: setting.flag(
    'GATEHOUSE_TRACES',
    false,
    'Sends traces by OTLP over HTTP (JSON), to http://localhost:4318 unless the standard settings OTEL_EXPORTER_OTLP_ENDPOINT and others say otherwise.',
  ),
  rateLimits: setting.flag(
    'GATEHOUSE_RATE_LIMITS',
    true,
    'Limits attempts at passwords and other secrets. Turn it off only for load tests and conformance suites.',
  ),
  collectAfterStart: setting.flag(
    'GATEHOUSE_COLLECT_AFTER_START',
    true,
    'Gives memory back to the system in the first idle second after the start, and in the first idle minute after load: for a pause of about 100 ms.',
  ),
  memoryAdapter: setting.flag(
    'GATEHOUSE_MEMORY_ADAPTER',
    true,
    'Answers token validation and three other requests from memory, bypassing the web framework. Off: the same answers, but slower.',
  ),
  databaseWaitSeconds: setting.number(
    'GATEHOUSE_DATABASE_WAIT_SECONDS',
    30,
    { min: 0, max: 3600, unit: 'seconds' },
    'How long a start waits for PostgreSQL to answer before it fails.',
  ),
  backupFolder: setting.optionalText(
    'GATEHOUSE_BACKUP_FOLDER',
    'Folder for backups that the service makes itself (SQLite only). Use another disk than that of the data folder. When unset, none are made on a schedule; those that administrators ask for go beside the data folder, into one with -backups at the end of its name.',
  ),
  backupHours: setting.number(
    'GATEHOUSE_BACKUP_HOURS',
    24,
    { min: 1, max: 8760, unit: 'hours' },
    'How often such a backup is made.',
  ),
  backupAt: setting.timeOfDay('GATEHOUSE_BACKUP_AT', 2 * 60, 'Time of the day from which these hours are counted.'),
  backupKeep: setting.number(
    'GATEHOUSE_BACKUP_KEEP',
    14,
    { min: 1, max: 10_000, unit: 'backups' },
    'How many of these backups are kept; older ones are removed.',
  ),
  outboundAllow: setting.list(
    'GATEHOUSE_OUTBOUND_ALLOW',
    'Hosts (host[:port]) that the service may call over plain http or at a private address. For development.',
  ),
} as const;

export type SharedConfig = Values<typeof sharedSettings>;
