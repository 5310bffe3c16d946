// Creates the transport that the settings describe.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../../platform/config/index.ts';
import {
  createFolderTransport,
  createSmtpTransport,
  type Mailbox,
  mailboxOf,
  type SmtpOptions,
  type Transport,
} from '../../../platform/mail/index.ts';
import type { IdentityConfig } from '../settings/index.ts';

/** For one message. Shorter than the wait before the first retry. */
export const TIMEOUT_MS = 20_000;
const DEFAULT_ADDRESS = 'gatehouse@localhost';

type Settings = Pick<
  IdentityConfig,
  'smtpHost' | 'smtpPort' | 'smtpTls' | 'smtpUser' | 'smtpPassword' | 'mailFrom' | 'mailFolder'
>;

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || (isIP(host) === 4 ? host.startsWith('127.') : host === '::1');

function credentialsOf({ smtpHost, smtpTls, smtpUser, smtpPassword }: Settings): { user: string; password: string } | undefined {
  if (smtpUser === undefined && smtpPassword === undefined) return undefined;
  if (smtpUser === undefined || smtpPassword === undefined)
    throw new ConfigError('GATEHOUSE_IDENTITY_SMTP_USER and GATEHOUSE_IDENTITY_SMTP_PASSWORD go together; set both or neither');
  if (smtpTls === 'off' && !isThisMachine(smtpHost!))
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_SMTP_TLS: a password is not sent without TLS to another machine; use starttls or tls, or no password',
    );
  return { user: smtpUser, password: smtpPassword };
}

/** The sender. Its name is the name of the service in mails: that of the pages, unless the setting says another. */
export function senderOf({ smtpHost, mailFrom, brandName }: Settings & Pick<IdentityConfig, 'brandName'>): Mailbox {
  if (mailFrom === undefined && smtpHost !== undefined)
    throw new ConfigError('GATEHOUSE_IDENTITY_MAIL_FROM must be set with GATEHOUSE_IDENTITY_SMTP_HOST, for the sender of mails');
  const from = mailFrom === undefined ? { name: '', address: DEFAULT_ADDRESS } : mailboxOf(mailFrom)!;
  return { ...from, name: from.name || brandName };
}

const folderOf = ({ mailFolder }: Settings, dataDir: string): string => resolve(mailFolder ?? join(dataDir, 'mail'));

/** Where mails go: a server or a folder. Throws ConfigError if the settings do not fit together. */
export function mailTarget(
  settings: Settings,
  dataDir: string,
  timeoutMs = TIMEOUT_MS,
): { readonly smtp: SmtpOptions } | { readonly folder: string } {
  const { smtpHost: host, smtpPort: port, smtpTls: tls } = settings;
  if (host === undefined) return { folder: folderOf(settings, dataDir) };
  return { smtp: { host, port, tls, credentials: credentialsOf(settings), timeoutMs } };
}

/** Throws ConfigError if the settings do not fit together. */
export function createTransport(settings: Settings, dataDir: string, timeoutMs = TIMEOUT_MS): Transport {
  const target = mailTarget(settings, dataDir, timeoutMs);
  if ('smtp' in target) return createSmtpTransport(target.smtp);
  const stray = Object.entries({
    SMTP_PORT: settings.smtpPort,
    SMTP_USER: settings.smtpUser,
    SMTP_PASSWORD: settings.smtpPassword,
  });
  for (const [key, value] of stray)
    if (value !== undefined)
      throw new ConfigError(
        `GATEHOUSE_IDENTITY_SMTP_HOST must be set with GATEHOUSE_IDENTITY_${key}, the name of the mail server`,
      );
  return createFolderTransport(target.folder);
}

/** Makes the folder for mails at the start, to report a wrong one before the first mail. */
export function prepareFolder(settings: Settings, dataDir: string): void {
  if (settings.smtpHost !== undefined) return;
  const folder = folderOf(settings, dataDir);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError(
      `GATEHOUSE_IDENTITY_MAIL_FOLDER: cannot use ${folder} (${(error as NodeJS.ErrnoException).code}); give a folder this user may write to`,
    );
  }
}
