// E-mail addresses that people enter.
import { domainToASCII } from 'node:url';
import { isAddress } from '../../../platform/mail/index.ts';
import { nameKey } from '../../directory/users/index.ts';

const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * The address as it is stored: the domain in ASCII and small letters. Undefined if it cannot be used. Local parts that are not ASCII are not
 * accepted: they can look like others, and the address becomes a user name.
 */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!isAddress(trimmed)) return undefined;
  const at = trimmed.lastIndexOf('@');
  const address = `${trimmed.slice(0, at)}@${domainToASCII(trimmed.slice(at + 1))}`;
  return PRINTABLE.test(address) && isAddress(address) ? address : undefined;
}

/** By which mails to a mailbox are counted: those to `ann+anything@` arrive at `ann@`, and letters in any case. */
export function mailboxKey(address: string): string {
  const key = nameKey(address);
  const at = key.lastIndexOf('@');
  const plus = key.indexOf('+');
  return plus > 0 && plus < at ? key.slice(0, plus) + key.slice(at) : key;
}

/** Whether the domain of the address is in the list. Subdomains are domains of their own. An empty list allows all. */
export function isAllowed(address: string, domains: readonly string[]): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domains.length === 0 || domains.some((one) => domainToASCII(one.trim()) === domain);
}
