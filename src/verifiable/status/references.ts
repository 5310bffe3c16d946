// Reads the references to status lists in a credential.

/** One entry of a list. */
export type StatusEntry =
  | { readonly kind: 'token'; readonly uri: string; readonly index: number }
  | {
      readonly kind: 'bitstring';
      readonly uri: string;
      readonly index: number;
      readonly size: number;
      readonly purpose: 'revocation' | 'suspension';
    }
  /** An entry that is not supported: the status of the credential is unknown. */
  | { readonly kind: 'unreadable' };

/** An entry of a list that can be fetched. */
export type ReadableEntry = Exclude<StatusEntry, { readonly kind: 'unreadable' }>;

/** The first status entry of a credential, and further ones. */
export type StatusReference = StatusEntry & { readonly also?: readonly StatusEntry[] };

/** Real credentials have two. Each entry may be a list to fetch. */
const MAX_ENTRIES = 10;

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const UNREADABLE: StatusEntry = { kind: 'unreadable' };
const isAddress = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);

function tokenEntry(status: unknown): StatusEntry | undefined {
  if (status === undefined) return undefined;
  const list = (status as { status_list?: { idx?: unknown; uri?: unknown } } | null)?.status_list;
  return list && isAddress(list.uri) && isIndex(list.idx) ? { kind: 'token', uri: list.uri, index: list.idx } : UNREADABLE;
}

function bitstringEntry(entry: unknown): StatusEntry | undefined {
  const {
    type,
    statusListIndex,
    statusSize: size = 1,
    statusPurpose: purpose,
    statusListCredential: uri,
  } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'BitstringStatusListEntry' && type !== 'StatusList2021Entry') return UNREADABLE;
  // Other purposes do not affect whether the credential is valid.
  if (purpose !== 'revocation' && purpose !== 'suspension') return typeof purpose === 'string' ? undefined : UNREADABLE;
  const index = typeof statusListIndex === 'string' && /^\d+$/.test(statusListIndex) ? Number(statusListIndex) : statusListIndex;
  if (!isAddress(uri) || !isIndex(index) || !isIndex(size) || size < 1 || size > 8) return UNREADABLE;
  return { kind: 'bitstring', uri, index, size, purpose };
}

/**
 * `status.status_list` of SD-JWT VC, JWT and mdoc, `credentialStatus` of W3C credentials; undefined if there is none. Revocation
 * entries come before suspension entries.
 */
export function referenceOf(claims: Readonly<Record<string, unknown>>): StatusReference | undefined {
  const { credentialStatus: statuses = [] } = claims;
  const entries = [statuses].flat().flatMap((entry) => bitstringEntry(entry) ?? []);
  const suspends = (entry: StatusEntry): boolean => entry.kind === 'bitstring' && entry.purpose === 'suspension';
  const all = [
    ...[tokenEntry(claims.status) ?? []].flat(),
    ...entries.filter((entry) => !suspends(entry)),
    ...entries.filter(suspends),
  ];
  // Entries beyond the limit are not checked, so the status is at best unknown.
  const [first, ...also] = all.length > MAX_ENTRIES ? [...all.slice(0, MAX_ENTRIES), UNREADABLE] : all;
  return first && (also.length > 0 ? { ...first, also } : first);
}
