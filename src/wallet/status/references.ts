// Where the entries of a credential are, as it says itself.

/** One entry of a list. */
export type StatusEntry =
  | { readonly kind: 'token'; readonly uri: string; readonly index: number }
  | {
      readonly kind: 'bitstring';
      readonly uri: string;
      readonly index: number;
      readonly size: number;
      readonly purpose: 'revocation' | 'suspension';
    };

/** Where the entry of a credential is, and others that may end it as well. */
export type StatusReference = StatusEntry & { readonly also?: readonly StatusEntry[] };

/** Real ones have two. Each may be a list to fetch. */
const MAX_ENTRIES = 10;

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function tokenEntry(status: unknown): StatusEntry | undefined {
  const list = (status as { status_list?: { idx?: unknown; uri?: unknown } } | undefined | null)?.status_list;
  return list && typeof list.uri === 'string' && isIndex(list.idx)
    ? { kind: 'token', uri: list.uri, index: list.idx }
    : undefined;
}

function bitstringEntry(entry: unknown): StatusEntry | undefined {
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
 * `status.status_list` of SD-JWT VC, JWT and mdoc, `credentialStatus` of W3C credentials; undefined when there is none. First what
 * revokes: that is for good.
 */
export function referenceOf(claims: Readonly<Record<string, unknown>>): StatusReference | undefined {
  const entries = [claims.credentialStatus].flat().flatMap((entry) => bitstringEntry(entry) ?? []);
  const suspends = (entry: StatusEntry): boolean => entry.kind === 'bitstring' && entry.purpose === 'suspension';
  const all = [
    ...[tokenEntry(claims.status) ?? []].flat(),
    ...entries.filter((entry) => !suspends(entry)),
    ...entries.filter(suspends),
  ];
  const [first, ...also] = all.slice(0, MAX_ENTRIES);
  return first && (also.length > 0 ? { ...first, also } : first);
}
