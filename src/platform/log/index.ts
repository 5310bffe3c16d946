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

/** Somebody else may have chosen the text: it must not look like another line, nor change the terminal. */
const escaped = (value: unknown): string => String(value).replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1));

/** `key=value` for each field, with a dot before those inside of another one. The stack of an error is left for the lines below. */
function fieldsOf(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (Array.isArray(value)) return [`${prefix}${key}=${value.map((one) => shown(one)).join(',')}`];
    if (typeof value === 'object' && value !== null) return fieldsOf(value, `${prefix}${key}.`);
    return key === 'stack' && typeof value === 'string' ? [] : [`${prefix}${key}=${escaped(value)}`];
  });
}
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? fieldsOf(value).join(' ') : escaped(value);

function stackOf({ err }: { readonly err?: unknown }): string {
  const { stack } = (err ?? {}) as { readonly stack?: unknown };
  // Its first line is the message, which the fields have.
  return typeof stack === 'string'
    ? stack
        .split('\n')
        .slice(1)
        .map((line) => `\n${line}`)
        .join('')
    : '';
}

/** Text for people: time, level, service, message, then other fields; below it where an error came from. Never JSON. */
export function readable(write: (line: string) => void): DestinationStream {
  return {
    write(line: string) {
      const { level, time, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const start = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(service).padEnd(9)}`;
      write(`${[start, msg, ...fieldsOf(rest)].filter(Boolean).join(' ')}${stackOf(rest)}\n`);
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
