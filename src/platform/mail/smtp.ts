// SMTP: one connection for each message, in bounded time.
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { compose, type RawMessage } from './compose.ts';
import { MailError, type Message, type Transport } from './transport.ts';

/** `starttls` requires STARTTLS and sends nothing without it. `off` is for a relay on the same machine. */
export const TLS_MODES = ['starttls', 'tls', 'off'] as const;
export type TlsMode = (typeof TLS_MODES)[number];

const PORTS: Readonly<Record<TlsMode, number>> = { starttls: 587, tls: 465, off: 25 };
const NAMES: Readonly<Record<TlsMode, string>> = {
  starttls: 'SMTP with STARTTLS',
  tls: 'SMTP over TLS',
  off: 'SMTP without TLS',
};

export interface SmtpOptions {
  readonly host: string;
  /** The usual port of the TLS mode by default. */
  readonly port?: number | undefined;
  readonly tls: TlsMode;
  readonly credentials?: { readonly user: string; readonly password: string } | undefined;
  /** For a whole message, from the DNS lookup to the last answer. */
  readonly timeoutMs: number;
}

export const smtpPort = ({ port, tls }: Pick<SmtpOptions, 'port' | 'tls'>): number => port ?? PORTS[tls];

/** An error of the library. */
interface SmtpFailure extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly permanent?: boolean;
}

/** Commands whose refusal concerns this message only. A refusal of any other command would concern every message. */
const OF_THE_MESSAGE = new Set(['RCPT TO', 'DATA']);

/** Only the numbers of a server's answer are kept, because its text may repeat the address or a link of the message. */
function errorOf(error: SmtpFailure): MailError {
  const { code = '', command = '', responseCode, response = '', permanent } = error;
  const isOfMessage = OF_THE_MESSAGE.has(command);
  if (responseCode === undefined) {
    // The library refused the envelope itself.
    if (!response && (code === 'EENVELOPE' || code === 'EMESSAGE')) return new MailError(`not sent (${code})`, { isFinal: true });
    return new MailError(response ? `${code}: the server sent an invalid answer` : `${code || 'failed'}: ${error.message}`, {
      isAway: !isOfMessage,
    });
  }
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  const answer = [command || 'the server', 'was answered', responseCode, enhanced].filter(Boolean).join(' ');
  return new MailError(answer, isOfMessage ? { isFinal: permanent === true } : { isAway: true });
}

/** A step of the library as a promise. */
const step = (run: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));

async function deliver(
  connection: SMTPConnection,
  options: SmtpOptions,
  { envelope, bytes }: RawMessage,
  beforeTransfer: () => void,
): Promise<void> {
  await logIn(connection, options);
  beforeTransfer();
  await step((done) => connection.send({ ...envelope, size: bytes.length }, bytes, done));
}

/** How long a server may take to close a connection after QUIT. */
const HANGING_UP_MS = 2_000;

/** The library waits for the server to close the connection. This class destroys the socket if the server does not. */
async function loadConnection(): Promise<new (options: SMTPConnectionOptions) => SMTPConnection> {
  // Loaded with the first mail, because most processes never send one.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  return class extends Connection {
    override close(): void {
      const { _socket: socket } = this;
      super.close();
      if (socket) setTimeout(() => socket.destroy(), HANGING_UP_MS).unref();
    }
  };
}

const stops = (): MailError => new MailError('the service stops');

function openConnection(options: SmtpOptions, Connection: Awaited<ReturnType<typeof loadConnection>>): SMTPConnection {
  const { host, tls, timeoutMs } = options;
  return new Connection({
    host,
    port: smtpPort(options),
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    maxResponseSize: 64 * 1024,
    tls: { minVersion: 'TLSv1.2' },
  });
}

async function logIn(connection: SMTPConnection, { credentials }: SmtpOptions): Promise<void> {
  await step((done) => connection.connect(done));
  if (!credentials) return;
  const { user, password: pass } = credentials;
  await step((done) => connection.login({ credentials: { user, pass } }, done));
}

/** Connects, with TLS and a login as a message would, and sends nothing. Throws MailError. */
export async function trySmtp(options: SmtpOptions): Promise<void> {
  const connection = openConnection(options, await loadConnection());
  const failed = Promise.withResolvers<never>();
  connection.on('error', failed.reject);
  const late = (): void => failed.reject(new MailError(`the server took longer than ${options.timeoutMs} ms`, { isAway: true }));
  const timer = setTimeout(late, options.timeoutMs);
  try {
    await Promise.race([failed.promise, logIn(connection, options)]);
    connection.quit();
  } catch (error) {
    throw error instanceof MailError ? error : errorOf(error as SmtpFailure);
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

export function createSmtpTransport(options: SmtpOptions): Transport {
  const { host, tls, timeoutMs } = options;
  const port = smtpPort(options);
  let connectionClass: ReturnType<typeof loadConnection> | undefined;

  async function send(message: Message, stopping?: AbortSignal): Promise<void> {
    const composed = await compose(message);
    if (stopping?.aborted) throw stops();
    connectionClass ??= loadConnection();
    const Connection = await connectionClass;
    const connection = openConnection(options, Connection);
    const failed = Promise.withResolvers<never>();
    connection.on('error', failed.reject);
    // A time limit for the whole message: the library's own limits start again with every byte of the server.
    const timer = setTimeout(
      () => failed.reject(new MailError(`the server took longer than ${timeoutMs} ms`, { isAway: true })),
      timeoutMs,
    );
    const onStop = (): void => failed.reject(stops());
    stopping?.addEventListener('abort', onStop);
    // Not interrupted from here on: the server might accept the message without our knowledge.
    const beforeTransfer = (): void => stopping?.removeEventListener('abort', onStop);
    try {
      await Promise.race([failed.promise, deliver(connection, options, composed, beforeTransfer)]);
      connection.quit();
    } catch (error) {
      connection.close();
      throw error instanceof MailError ? error : errorOf(error as SmtpFailure);
    } finally {
      clearTimeout(timer);
      beforeTransfer();
    }
    setTimeout(() => connection.close(), HANGING_UP_MS).unref();
  }

  return { about: `${NAMES[tls]} at ${host}:${port}`, send, sweep: () => 0 };
}
