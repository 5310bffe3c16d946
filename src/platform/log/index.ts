// Structured log: JSON lines, or readable text on a terminal. Fields with the names of secrets are redacted.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Fields that may hold a secret. Their values never reach the log. */
const SECRET_NAMES = [
  'password',
  'original_password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'verification_code',
  'recovery_code',
  'security_answer',
  'sec_answer',
  'device_token',
  'two_factor_key',
  '["x-auth-token"]',
  '["x-subject-token"]',
];

const paths = SECRET_NAMES.flatMap((name) => [name, name.startsWith('[') ? `*${name}` : `*.${name}`]);

/** One line of text for people: time, level, service, message, then other fields as key=value. */
function readable(write: (line: string) => void): DestinationStream {
  return {
    write(line: string) {
      const { level, time, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const extras = Object.entries(rest).map(
        ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
      );
      write(
        `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(service).padEnd(9)} ${msg ?? ''} ${extras.join(' ')}`
          .trimEnd()
          .concat('\n'),
      );
    },
  };
}

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Who writes a line: one of the services, or the process that runs them. */
export type LogService = 'gatehouse' | 'identity' | 'wallet';

/** Each service of a process has a log of its own, so that its lines have its name. */
export function createLog(
  level: (typeof levels)[number],
  destination?: DestinationStream,
  service: LogService = 'gatehouse',
): Log {
  const terminal = process.stdout.isTTY
    ? readable((line) => process.stdout.write(line))
    : pino.destination({ fd: 1, sync: true });
  return pino(
    {
      level,
      base: { service },
      // Words and ISO times: programs that read logs know both, and people can read them.
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[redacted]' },
    },
    destination ?? terminal,
  );
}
