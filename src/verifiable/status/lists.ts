// Fetches and verifies status lists.
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { decodeJws, verifyJws } from '../jose/index.ts';
import { type SignedHeader, type SignerKey, subjectOf, type Trust } from '../trust/index.ts';
import { bitstringStatus, StatusListError, tokenStatus } from './bits.ts';
import type { ReadableEntry } from './references.ts';

export type CredentialStatus = 'valid' | 'revoked' | 'suspended' | 'unknown';

/** Verifies a bitstring list, which is a W3C credential. The credential formats provide this. */
export type VerifyList = (
  raw: unknown,
) => Promise<{ issuer: string; subject: Readonly<Record<string, unknown>>; validUntil?: number }>;

/** The issuer of the credential. If absent, the issuer of the list is not restricted. */
export interface IssuerIdentity {
  readonly issuer?: string;
  /** The authorities of the issuer's certificate, if it has one. */
  readonly authorityKeyIds?: readonly string[];
  /** The list is one of documents: a certificate that signed it has to be one that could sign these. */
  readonly isOfDocument?: boolean;
}

export interface StatusList {
  readonly until: number;
  /** The status of an entry. Throws StatusListError if the list has no such entry. */
  readonly read: (entry: ReadableEntry) => CredentialStatus;
}

const DEFAULT_SECONDS = 300;
const LONGEST_SECONDS = 24 * 3600;
const MAX_LIST_BYTES = 1024 * 1024;

const ACCEPT = {
  token: ['application/statuslist+jwt'],
  bitstring: ['application/vc', 'application/vc+jwt', 'application/json', 'application/ld+json', 'application/jwt'],
} as const;

const BY_CODE: Readonly<Record<number, CredentialStatus>> = { 0: 'valid', 1: 'revoked', 2: 'suspended' };

/** The host of a list may sign it, because the credential refers to that address. */
const hostsOf = ({ origin, host }: URL): string[] => [origin, `did:web:${encodeURIComponent(host)}`];

/** Whether a list signed by `signer` is valid for a credential: signed by its issuer, or by the host of the list. */
function maySign(signer: string, uri: string, { issuer }: IssuerIdentity): boolean {
  const here = new URL(uri);
  return issuer === undefined || signer === issuer || hostsOf(here).includes(signer) || URL.parse(signer)?.origin === here.origin;
}

/** Possible signers of a list without `iss`. If the header names a key of a DID, only that DID. */
function signersOf({ kid, x5c }: SignedHeader, uri: string, { issuer }: IssuerIdentity): string[] {
  const all = new Set([...(issuer === undefined ? [] : [issuer]), ...hostsOf(new URL(uri))]);
  const did = x5c === undefined && typeof kid === 'string' && kid.startsWith('did:') ? kid.split('#', 1)[0] : undefined;
  return did === undefined ? [...all] : [...all].filter((one) => one === did);
}

export function createLists(deps: { outbound: Outbound; trust: Trust; clock: Clock; verifyList: VerifyList }) {
  const { outbound, trust, clock, verifyList } = deps;

  const until = (seconds: number, end: number | undefined): number =>
    Math.min(clock.now() + Math.min(Math.max(seconds, 0), LONGEST_SECONDS) * 1000, end ?? Number.POSITIVE_INFINITY);

  async function fetchText({ kind, uri }: ReadableEntry): Promise<string> {
    const { status, body } = await outbound({
      method: 'GET',
      url: uri,
      kind: 'status-list',
      headers: { Accept: ACCEPT[kind].join(', ') },
      accept: [...ACCEPT[kind]],
      maxBytes: MAX_LIST_BYTES,
    });
    if (status !== 200) throw new StatusListError('the list cannot be fetched');
    return body.toString('utf8').trim();
  }

  /** An issuer that is neither a DID nor a URL is identified by its certificate: same subject, same authority. */
  async function keyOf(header: SignedHeader, signer: string, by: IssuerIdentity): Promise<SignerKey> {
    const purpose = by.isOfDocument ? 'document' : 'credential';
    if (signer.startsWith('did:') || URL.canParse(signer)) return trust.keyOfJwt(header, signer, purpose);
    const key = await trust.keyOfJwt(header, undefined, purpose);
    const isSame = key.authorityKeyIds?.some((id) => by.authorityKeyIds?.includes(id));
    if (!key.leaf || subjectOf(key.leaf) !== signer || !isSame) throw new StatusListError('it is signed by somebody else');
    return key;
  }

  async function checkSigner(jwt: string, uri: string, by: IssuerIdentity): Promise<void> {
    const { header, payload } = decodeJws(jwt, MAX_LIST_BYTES);
    const { iss } = payload;
    if (typeof iss === 'string' && !maySign(iss, uri, by)) throw new StatusListError('it is the list of somebody else');
    const signers = typeof iss === 'string' ? [iss] : signersOf(header, uri, by);
    for (const signer of signers) {
      try {
        return await verifyJws(jwt, (await keyOf(header, signer, by)).jwk, MAX_LIST_BYTES);
      } catch {
        // Try the next possible signer.
      }
    }
    throw new StatusListError('it is not signed by an allowed signer');
  }

  async function tokenList(jwt: string, uri: string, by: IssuerIdentity): Promise<StatusList> {
    const { header, payload } = decodeJws(jwt, MAX_LIST_BYTES);
    if (header.typ !== 'statuslist+jwt') throw new StatusListError('it is no status list');
    if (payload.sub !== uri) throw new StatusListError('it is the list of another address');
    const end = typeof payload.exp === 'number' ? payload.exp * 1000 : undefined;
    if (end !== undefined && end <= clock.now()) throw new StatusListError('the list has expired');
    await checkSigner(jwt, uri, by);
    const list = (payload.status_list ?? {}) as object;
    return {
      until: until(typeof payload.ttl === 'number' ? payload.ttl : DEFAULT_SECONDS, end),
      read: ({ index }) => BY_CODE[tokenStatus(list, index)] ?? 'revoked',
    };
  }

  async function bitstringList(text: string, uri: string, by: IssuerIdentity): Promise<StatusList> {
    const { issuer, subject, validUntil } = await verifyList(text.startsWith('{') ? JSON.parse(text) : text);
    if (!maySign(issuer, uri, by)) throw new StatusListError('it is the list of somebody else');
    if (validUntil !== undefined && validUntil <= clock.now()) throw new StatusListError('the list has expired');
    return {
      until: until(typeof subject.ttl === 'number' ? subject.ttl / 1000 : DEFAULT_SECONDS, validUntil),
      read(entry) {
        if (entry.kind !== 'bitstring') return 'unknown';
        if (![subject.statusPurpose].flat().includes(entry.purpose)) throw new StatusListError('the list is for another purpose');
        if (bitstringStatus(subject.encodedList, entry.index, entry.size) === 0) return 'valid';
        return entry.purpose === 'suspension' ? 'suspended' : 'revoked';
      },
    };
  }

  return {
    fetchText,
    /** Throws if the list is not valid, or not signed by an allowed signer. */
    verify: ({ kind, uri }: ReadableEntry, text: string, by: IssuerIdentity): Promise<StatusList> =>
      (kind === 'token' ? tokenList : bitstringList)(text, uri, by),
  };
}
