// E-mail addresses. Only the plain form is accepted: no quotes, comments, routes or address literals, which programs parse differently.
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** RFC 5321, 4.5.3.1, in bytes. */
const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;

const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** Checked before the conversion to ASCII, which may drop characters. */
const DOMAIN = /^[\p{L}\p{N}\p{M}.-]+$/u;
const ASCII_DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Whether mail can be sent to it. A local part that is not ASCII needs a server with SMTPUTF8. */
export function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (Buffer.byteLength(text) > MAX_ADDRESS || Buffer.byteLength(local) > MAX_LOCAL) return false;
  if (!LOCAL.test(local) || !DOMAIN.test(domain)) return false;
  const ascii = domainToASCII(domain);
  // Numbers such as 0x7f.1 become an IP address.
  return ASCII_DOMAIN.test(ascii) && ascii.length <= 253 && isIP(ascii) === 0;
}

export interface Mailbox {
  /** Empty if there is none. */
  readonly name: string;
  readonly address: string;
}

/** `Name <address>`, `"Name" <address>` or the address alone; undefined for everything else. */
export function mailboxOf(text: string): Mailbox | undefined {
  const [, quoted, plain, named] = /^\s*(?:"([^"<>\p{Cc}]*)"|([^"<>\p{Cc}]*?))\s*<([^<>]+)>\s*$/u.exec(text) ?? [];
  const address = named ?? text.trim();
  return isAddress(address) ? { name: (quoted ?? plain ?? '').trim(), address } : undefined;
}
