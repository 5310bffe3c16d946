// Whether a credential still holds: the entry its issuer keeps in a published list.
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { decodeJws, verifyJws } from '../jws.ts';
import type { Trust } from '../trust/index.ts';
import { bitstringStatus, StatusListError, tokenStatus } from './bits.ts';

export type CredentialStatus = 'valid' | 'revoked' | 'suspended' | 'unknown';

/** Where the entry of a credential is. */
export type StatusReference =
  | { readonly kind: 'token'; readonly uri: string; readonly index: number }
  | {
      readonly kind: 'bitstring';
      readonly uri: string;
      readonly index: number;
      readonly size: number;
      readonly purpose: 'revocation' | 'suspension';
    };

/** Lists are signed; how one that is not a JWT is verified belongs to its format. */
export type VerifyList = (
  raw: unknown,
) => Promise<{ issuer: string; subject: Readonly<Record<string, unknown>>; validUntil?: number }>;

const MAX_LISTS = 200;
const DEFAULT_SECONDS = 300;
const LONGEST_SECONDS = 24 * 3600;
const MAX_LIST_BYTES = 1024 * 1024;

interface Kept {
  readonly until: number;
  /** The entry of an index. */
  readonly read: (reference: StatusReference) => CredentialStatus;
}

const BY_CODE: Readonly<Record<number, CredentialStatus>> = { 0: 'valid', 1: 'revoked', 2: 'suspended' };

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function bitstringReference(entry: unknown): StatusReference | undefined {
  const {
    type,
    statusListIndex,
    statusSize: size = 1,
    statusPurpose: purpose,
    statusListCredential: uri,
  } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'BitstringStatusListEntry' && type !== 'StatusList2021Entry') return undefined;
  // Others say something about a credential, but not that it no longer holds.
  if (purpose !== 'revocation' && purpose !== 'suspension') return undefined;
  const index = typeof statusListIndex === 'string' && /^\d+$/.test(statusListIndex) ? Number(statusListIndex) : statusListIndex;
  if (typeof uri !== 'string' || !isIndex(index) || !isIndex(size) || size < 1 || size > 8) return undefined;
  return { kind: 'bitstring', uri, index, size, purpose };
}

/**
 * `status.status_list` of SD-JWT VC, JWT and mdoc, `credentialStatus` of W3C credentials; undefined when there is none. Of several
 * the one by which it is revoked: that is for good.
 */
export function referenceOf(claims: Readonly<Record<string, unknown>>): StatusReference | undefined {
  const list = (claims.status as { status_list?: { idx?: unknown; uri?: unknown } } | undefined)?.status_list;
  if (list && typeof list.uri === 'string' && isIndex(list.idx)) return { kind: 'token', uri: list.uri, index: list.idx };
  const found = [claims.credentialStatus].flat().flatMap((entry) => bitstringReference(entry) ?? []);
  return found.find((one) => one.kind === 'bitstring' && one.purpose === 'revocation') ?? found[0];
}

export function createStatus(deps: { outbound: Outbound; trust: Trust; clock: Clock; verifyList: VerifyList }) {
  const { outbound, trust, clock, verifyList } = deps;
  const kept = new Map<string, Kept>();
  const fetching = new Map<string, Promise<Kept>>();

  const until = (seconds: number, end: number | undefined): number =>
    Math.min(clock.now() + Math.min(Math.max(seconds, 0), LONGEST_SECONDS) * 1000, end ?? Number.POSITIVE_INFINITY);

  async function fetchList(uri: string, accept: readonly string[]): Promise<string> {
    const { status, body } = await outbound({
      method: 'GET',
      url: uri,
      kind: 'status-list',
      headers: { Accept: accept.join(', ') },
      accept: [...accept],
      maxBytes: MAX_LIST_BYTES,
    });
    if (status !== 200) throw new StatusListError('the list cannot be fetched');
    return body.toString('utf8').trim();
  }

  async function tokenList(uri: string): Promise<Kept> {
    const jwt = await fetchList(uri, ['application/statuslist+jwt']);
    const { header, payload } = decodeJws(jwt, MAX_LIST_BYTES);
    if (header.typ !== 'statuslist+jwt') throw new StatusListError('it is no status list');
    if (payload.sub !== uri) throw new StatusListError('it is the list of another address');
    const end = typeof payload.exp === 'number' ? payload.exp * 1000 : undefined;
    if (end !== undefined && end <= clock.now()) throw new StatusListError('the list has expired');
    // Without an issuer in it the list belongs to whoever serves its address.
    const issuer = typeof payload.iss === 'string' ? payload.iss : new URL(uri).origin;
    await verifyJws(jwt, (await trust.keyOfJwt(header, issuer)).jwk, MAX_LIST_BYTES);
    const list = (payload.status_list ?? {}) as object;
    return {
      until: until(typeof payload.ttl === 'number' ? payload.ttl : DEFAULT_SECONDS, end),
      read: ({ index }) => BY_CODE[tokenStatus(list, index)] ?? 'revoked',
    };
  }

  async function bitstringList(uri: string): Promise<Kept> {
    const text = await fetchList(uri, [
      'application/vc',
      'application/vc+jwt',
      'application/json',
      'application/ld+json',
      'application/jwt',
    ]);
    const { subject, validUntil } = await verifyList(text.startsWith('{') ? JSON.parse(text) : text);
    if (validUntil !== undefined && validUntil <= clock.now()) throw new StatusListError('the list has expired');
    return {
      until: until(typeof subject.ttl === 'number' ? subject.ttl / 1000 : DEFAULT_SECONDS, validUntil),
      read(reference) {
        if (reference.kind !== 'bitstring') return 'unknown';
        if (![subject.statusPurpose].flat().includes(reference.purpose))
          throw new StatusListError('the list is for another purpose');
        if (bitstringStatus(subject.encodedList, reference.index, reference.size) === 0) return 'valid';
        return reference.purpose === 'suspension' ? 'suspended' : 'revoked';
      },
    };
  }

  async function listOf({ kind, uri }: StatusReference, fresh: boolean): Promise<Kept> {
    const name = `${kind} ${uri}`;
    const known = kept.get(name);
    if (known && !fresh && clock.now() < known.until) return known;
    const running = fetching.get(name);
    if (running) return running;
    const started = (kind === 'token' ? tokenList(uri) : bitstringList(uri)).finally(() => fetching.delete(name));
    fetching.set(name, started);
    const list = await started;
    kept.delete(name);
    kept.set(name, list);
    if (kept.size > MAX_LISTS) kept.delete(kept.keys().next().value!);
    return list;
  }

  return {
    /** Unknown when the list cannot be had, or does not hold: not knowing is not the same as being revoked. */
    async of(reference: StatusReference, options: { fresh?: boolean } = {}): Promise<CredentialStatus> {
      try {
        return (await listOf(reference, options.fresh === true)).read(reference);
      } catch {
        return 'unknown';
      }
    },
  };
}

export type Status = ReturnType<typeof createStatus>;
