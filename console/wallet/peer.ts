// How issuers and verifiers are named: first by the host that was reached or that the answer goes to, then by the name that they give.
import { readableText, shortened } from './strangers.ts';

const MAX = 200;

/** The host of an address, or the whole of it if it has none, such as a DID. */
export const hostOf = (address: string): string => URL.parse(address)?.host || shortened(readableText(address), MAX);

/** Proofs of issuers and verifiers that are about who they are, and not only about an address or a key. */
const PROVES_NAME = new Set(['anchor', 'attestation', 'registered', 'certificate', 'beside']);

export interface ShownPeer {
  readonly host: string;
  readonly name?: string;
  /** Whether more than its own word stands for the name. */
  readonly isVerified: boolean;
}

export function shownPeer(name: string | undefined, address: string, proof: string | undefined): ShownPeer {
  const host = hostOf(address);
  const isVerified = proof !== undefined && PROVES_NAME.has(proof);
  const text = name === undefined ? '' : shortened(readableText(name), MAX).trim();
  return text === '' || text === host ? { host, isVerified } : { host, name: text, isVerified };
}

/** The issuer of a credential that the wallet holds. The key of a credential without trust may be anybody's. */
export const shownIssuer = ({
  id,
  name,
  trust,
}: {
  readonly id: string;
  readonly name?: string;
  readonly trust: string;
}): ShownPeer => shownPeer(trust === 'none' ? undefined : name, id, trust === 'anchor' ? trust : undefined);
