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

/** One line of text for people: time, level, message, then other fields as key=value. */
function readable(write: (line: string) => void): DestinationStream {
  return {
    write(line: string) {
      const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const label = pino.levels.labels[level as number] ?? '';
      const extras = Object.entries(rest).map(
        ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
      );
      write(
        `${new Date(time as number).toISOString().slice(11, 23)} ${label.padEnd(5)} ${msg ?? ''} ${extras.join(' ')}`
          .trimEnd()
          .concat('\n'),
      );
    },
  };
}

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export function createLog(level: (typeof levels)[number], destination?: DestinationStream): Log {
  const terminal = process.stdout.isTTY
    ? readable((line) => process.stdout.write(line))
    : pino.destination({ fd: 1, sync: true });
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, destination ?? terminal);
}
