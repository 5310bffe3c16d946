// Status lists fetched and verified: whose signature counts, and how long.
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { decodeJws, verifyJws } from '../jose/index.ts';
import { type SignedHeader, type SignerKey, subjectOf, type Trust } from '../trust/index.ts';
import { bitstringStatus, StatusListError, tokenStatus } from './bits.ts';
import type { ReadableEntry } from './references.ts';

export type CredentialStatus = 'valid' | 'revoked' | 'suspended' | 'unknown';

/** Lists are signed; how one that is not a JWT is verified belongs to its format. */
export type VerifyList = (
  raw: unknown,
) => Promise<{ issuer: string; subject: Readonly<Record<string, unknown>>; validUntil?: number }>;

/** Who issued the credential that is looked at. Absent: whoever the list says it is by. */
export interface IssuerIdentity {
  readonly issuer?: string;
  /** Where the issuer is known by its certificate: those above it. */
  readonly authorityKeyIds?: readonly string[];
}

export interface StatusList {
  readonly until: number;
  /** What it says of an entry. Throws StatusListError where it says nothing. */
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

/** Whoever serves an address may sign what is there: the credential itself says that it is to be looked for there. */
const hostsOf = ({ origin, host }: URL): string[] => [origin, `did:web:${encodeURIComponent(host)}`];

/** Whether a list by `signer` counts for a credential. A list by anybody else would be a stranger's word. */
function maySign(signer: string, uri: string, { issuer }: IssuerIdentity): boolean {
  const here = new URL(uri);
  return issuer === undefined || signer === issuer || hostsOf(here).includes(signer) || URL.parse(signer)?.origin === here.origin;
}

/** Who may have signed a list that names nobody; of these the one whose key its header names, when that says whose it is. */
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

  /** An issuer that has no address is known by its certificate: of the same name, from the same authority. */
  async function keyOf(header: SignedHeader, signer: string, by: IssuerIdentity): Promise<SignerKey> {
    if (signer.startsWith('did:') || URL.canParse(signer)) return trust.keyOfJwt(header, signer);
    const key = await trust.keyOfJwt(header, undefined);
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
        // Another may have.
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
    /** Throws when it is not signed by who may, or does not hold. */
    verify: ({ kind, uri }: ReadableEntry, text: string, by: IssuerIdentity): Promise<StatusList> =>
      (kind === 'token' ? tokenList : bitstringList)(text, uri, by),
  };
}
