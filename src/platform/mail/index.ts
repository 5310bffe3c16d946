// Sends mail: by SMTP, or to a folder if no server is configured.
export { isAddress, type Mailbox, mailboxOf } from './address.ts';
export { createFolderTransport } from './folder.ts';
export { createSmtpTransport, type SmtpOptions, smtpPort, TLS_MODES, type TlsMode, trySmtp } from './smtp.ts';
export { MailError, type Message, type Transport } from './transport.ts';
