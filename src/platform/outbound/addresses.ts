// Outgoing calls may only reach public addresses. Loopback, private, link-local, multicast and other special addresses are refused, in
// every spelling.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

type Network = readonly [string, number];

const REFUSED_V4: readonly Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** In IPv6 only global unicast (2000::/3) is public, except reserved ranges and those that embed an IPv4 address (Teredo, 6to4). */
const REFUSED_V6: readonly Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

/** Where cloud providers serve credentials to their machines: all of link-local, and a few other addresses. */
const METADATA_V4: readonly Network[] = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
];
const METADATA_V6: readonly Network[] = [
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['fd00:42::42', 128],
];

function listOf(v4: readonly Network[], v6: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of v4) list.addSubnet(network, bits, 'ipv4');
  for (const [network, bits] of v6) list.addSubnet(network, bits, 'ipv6');
  return list;
}
const refused = listOf(REFUSED_V4, REFUSED_V6);
const metadata = listOf(METADATA_V4, METADATA_V6);
const global = listOf([], [['2000::', 3]]);

export function isPublic(address: string): boolean {
  if (isMetadata(address)) return false;
  if (isIPv4(address)) return !refused.check(address, 'ipv4');
  // An address with a zone ("%eth0") is local to this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return global.check(address, 'ipv6') && !refused.check(address, 'ipv6') && !isIsatap(bytesOf(address));
}

/** Metadata addresses are never reachable, whatever is configured. That includes IPv6 addresses that a gateway may translate to one. */
export function isMetadata(address: string): boolean {
  if (isIPv4(address)) return metadata.check(address, 'ipv4');
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return false;
  return metadata.check(plain, 'ipv6') || embeddedIPv4(bytesOf(plain)).some((inner) => metadata.check(inner, 'ipv4'));
}

/** The URL parser normalizes every spelling to hexadecimal groups with at most one gap. */
function bytesOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => text.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const gap = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].map((group) => Number.parseInt(group, 16)).flatMap((value) => [value >> 8, value & 255]);
}

/** The IPv4 addresses that an IPv6 address may embed. */
function embeddedIPv4(bytes: readonly number[]): string[] {
  // At the end: IPv4-mapped, NAT64 with any prefix, ISATAP.
  const end = bytes.slice(12);
  const found = [end];
  const start = (bytes[0]! << 8) | bytes[1]!;
  if (start === SIX_TO_FOUR) found.push(bytes.slice(2, 6));
  if (start === TEREDO) found.push(end.map((byte) => byte ^ 255));
  if (start === NAT64) found.push([...bytes.slice(6, 8), ...bytes.slice(9, 11)]);
  return found.map((inner) => inner.join('.'));
}
const [SIX_TO_FOUR, TEREDO, NAT64] = [0x2002, 0x2001, 0x64];

const isIsatap = (bytes: readonly number[]): boolean => /^[02],0,94,254$/.test(bytes.slice(8, 12).join());
