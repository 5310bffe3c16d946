// The relying party of WebAuthn: the host that passkeys are made for.
import { isIP } from 'node:net';

export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
  readonly name: string;
}

/** Undefined where browsers offer no passkeys: at an IP address, and over plain http except on localhost. */
export function relyingPartyOf(address: string, name: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(address);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || (protocol !== 'https:' && !isLocal)) return undefined;
  return { id: hostname, origin, name };
}
