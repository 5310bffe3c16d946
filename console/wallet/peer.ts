// How issuers and verifiers are named.

/** The host of an address, or the whole of it if it has none, such as a DID. */
export const hostOf = (address: string): string => URL.parse(address)?.host || address;

/** Proofs of issuers and verifiers that are about who they are, and not only about an address or a key. */
const PROVES_NAME = new Set(['anchor', 'attestation', 'registered', 'certificate', 'beside']);

export interface PeerHeading {
  /** What people know it by: its name, if that is proven; else its host. */
  readonly heading: string;
  /** The name that it gives itself, if nothing proves it. */
  readonly callsItself?: string;
}

export function shownPeer(name: string | undefined, address: string, proof: string | undefined): PeerHeading {
  const host = hostOf(address);
  if (name === undefined || name === host) return { heading: host };
  return proof !== undefined && PROVES_NAME.has(proof) ? { heading: name } : { heading: host, callsItself: name };
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
}): string => (trust === 'none' ? hostOf(id) : (name ?? hostOf(id)));
