// Settings both services share.
import { setting, type Values } from './platform/config/index.ts';
import { levels } from './platform/log/index.ts';

export const sharedSettings = {
  dataDir: setting.text(
    'GATEHOUSE_DATA_DIR',
    './data',
    'Folder of the SQLite files and the master key; only its owner may enter it.',
  ),
  masterKey: setting.secret(
    'GATEHOUSE_MASTER_KEY',
    'Master key that seals secrets at rest: 32 bytes in base64url. Made in the data folder when unset; must be given with PostgreSQL.',
  ),
  oldMasterKeys: setting.secret(
    'GATEHOUSE_OLD_MASTER_KEYS',
    'Former master keys, comma-separated, that may still open what they sealed while `gatehouse master-key rotate` has not run everywhere.',
  ),
  metricsHost: setting.text(
    'GATEHOUSE_METRICS_HOST',
    '127.0.0.1',
    'Address the metrics of both services listen on. Keep it internal.',
  ),
  metricsPort: setting.number('GATEHOUSE_METRICS_PORT', 2112, { min: 0, max: 65_535, unit: 'port' }, 'Port of /metrics.'),
  workers: setting.custom<number | 'auto'>(
    'GATEHOUSE_WORKERS',
    1,
    'a number or auto',
    'Processes for each service; more than one needs PostgreSQL.',
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
    'How long /readyz says 503 before the ports close when the service is told to stop: time for balancers to notice.',
  ),
  trustedProxies: setting.list(
    'GATEHOUSE_TRUSTED_PROXIES',
    'Proxies (addresses or CIDR) whose X-Forwarded headers are believed.',
  ),
  tlsCertFile: setting.optionalText('GATEHOUSE_TLS_CERT_FILE', 'Certificate chain (PEM) for TLS in the service itself.'),
  tlsKeyFile: setting.optionalText('GATEHOUSE_TLS_KEY_FILE', 'Private key (PEM) of that certificate.'),
  logLevel: setting.choice(
    'GATEHOUSE_LOG_LEVEL',
    'info',
    levels,
    'Least level that is logged; requests that only read and succeed are at debug.',
  ),
  rateLimits: setting.flag(
    'GATEHOUSE_RATE_LIMITS',
    true,
    'Limits on attempts at secrets; off for load tests and conformance suites.',
  ),
  collectAfterStart: setting.flag(
    'GATEHOUSE_COLLECT_AFTER_START',
    true,
    'Collect garbage thoroughly in the first idle second after the start: a third less memory for a pause of some 60 ms.',
  ),
  memoryAdapter: setting.flag(
    'GATEHOUSE_MEMORY_ADAPTER',
    true,
    'Answer token validations and three other questions that come from memory past the web framework. Off: the same answers, slower.',
  ),
  databaseWaitSeconds: setting.number(
    'GATEHOUSE_DATABASE_WAIT_SECONDS',
    30,
    { min: 0, max: 3600, unit: 'seconds' },
    'How long a start waits for a PostgreSQL that does not answer yet, before it ends with an error.',
  ),
  outboundAllow: setting.list(
    'GATEHOUSE_OUTBOUND_ALLOW',
    'host[:port] that outgoing calls may reach although they are plain http or not public. For development.',
  ),
} as const;

export type SharedConfig = Values<typeof sharedSettings>;
