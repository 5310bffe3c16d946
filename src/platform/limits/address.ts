// The key under which an address is counted. IPv6 addresses are counted by their /64, since one client usually has all of it.
import { isIPv6, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export function addressKey(address: string): string {
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return plain;
  // Normalizes the spelling.
  const { address: text } = new SocketAddress({ address: plain, family: 'ipv6' });
  const mapped = MAPPED.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = text.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  return `${[...groups, ...Array<string>(missing).fill('0'), ...after].slice(0, 4).join(':')}::/64`;
}
