// A real SMTP server that stores received mails, and a certificate authority for its TLS.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { certify, type TestCertificate } from './certificates.ts';

export interface ReceivedMail {
  readonly raw: string;
  readonly mail: ParsedMail;
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

export interface MailServerOptions {
  readonly tls?: 'off' | 'starttls' | 'tls';
  readonly credentials?: { readonly user: string; readonly password: string };
  /** With a certificate for another host. */
  readonly otherName?: boolean;
}

const pem = ({ certificate }: TestCertificate): string => certificate.toString();
const authority = certify({ name: 'CN=Authority of the tests', ca: true });
export const authorityPem = pem(authority);
/** Trusts it in this process. */
export const trustAuthority = (): void => setDefaultCACertificates([...getCACertificates('default'), authorityPem]);

export const smtpError = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

export class MailServer {
  readonly received: ReceivedMail[] = [];
  connections = 0;
  /** Returns an error to refuse the recipient. */
  onRecipient: (address: string) => Error | undefined | Promise<Error | undefined> = () => undefined;
  onSender: (address: string) => Error | undefined = () => undefined;
  /** Returns an error to refuse the message. */
  onMessage: () => Error | undefined | Promise<Error | undefined> = () => undefined;
  readonly #options: MailServerOptions;
  #server: SMTPServer | undefined;

  constructor(options: MailServerOptions = {}) {
    this.#options = options;
  }

  async open(port = 0): Promise<void> {
    const { tls = 'off', credentials, otherName } = this.#options;
    const own = certify({ name: 'CN=mail', by: authority, dns: [otherName ? 'elsewhere.example' : 'localhost'] });
    const server = new SMTPServer({
      secure: tls === 'tls',
      key: own.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      cert: pem(own),
      disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(credentials ? [] : ['AUTH'])],
      authOptional: !credentials,
      allowInsecureAuth: tls === 'off',
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onAuth({ username, password }, _session, done) {
        const isRight = username === credentials?.user && password === credentials?.password;
        done(isRight ? null : smtpError(535, '5.7.8 no'), isRight ? { user: username } : {});
      },
      onMailFrom: ({ address }, _session, done) => done(this.onSender(address)),
      onRcptTo: async ({ address }, _session, done) => done(await this.onRecipient(address)),
      onData: async (stream, { envelope, secure, user }, done) => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const bytes = Buffer.concat(chunks);
        const refusal = await this.onMessage();
        if (refusal) return done(refusal);
        this.received.push({
          raw: bytes.toString('latin1'),
          mail: await simpleParser(bytes),
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          isSecure: secure,
          user: (user as string | false) || undefined,
        });
        done();
      },
    });
    // Ignores clients that disconnect.
    server.on('error', () => {});
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    this.#server = server;
  }

  /** Lets the process end while it listens. */
  unref(): void {
    this.#server?.server.unref();
  }

  get port(): number {
    return (this.#server!.server.address() as AddressInfo).port;
  }

  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to.includes(address));
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Settings of a service that uses it. */
export const smtpSettings = (server: MailServer, tls: 'off' | 'starttls' | 'tls' = 'off'): Record<string, string> => ({
  GATEHOUSE_IDENTITY_SMTP_HOST: 'localhost',
  GATEHOUSE_IDENTITY_SMTP_PORT: String(server.port),
  GATEHOUSE_IDENTITY_SMTP_TLS: tls,
  GATEHOUSE_IDENTITY_MAIL_FROM: 'Example Identity <id@example.org>',
});
