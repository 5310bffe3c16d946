// Builds the bytes of a message (RFC 5322, MIME). The library encodes header values.
import { isAddress } from './address.ts';
import { MailError, type Message } from './transport.ts';

export interface RawMessage {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly bytes: Buffer;
}

const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
/** Header values are one line. The library also encodes line breaks; this does not rely on it. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

export async function compose({ id, from, to, subject, text, html, language, at }: Message): Promise<RawMessage> {
  for (const address of [from.address, to])
    if (!isAddress(address)) throw new MailError('not an address mail can be sent to', { isFinal: true });
  // Loaded with the first mail, because most processes never send one.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name: oneLine(from.name), address: from.address },
    // As an object, because the library parses a string as a list of addresses.
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    html,
    messageId: `<${id}@${hostOf(from.address)}>`,
    date: new Date(at),
    // Asks other programs not to answer (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', 'Content-Language': oneLine(language) },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const envelope = node.getEnvelope();
  // With the domain in ASCII.
  return { envelope: { from: String(envelope.from), to: String(envelope.to[0]) }, bytes: await node.build() };
}
