// Matches a verifier's query (DCQL) against the wallet. The library parses the query and matches types, bindings and authorities.
// Candidates are looked up here, and claims.ts matches their claims.
import type { DcqlCredential } from 'dcql';
import { FORMATS, formatNamed, type QueryMeta } from '../../verifiable/formats/index.ts';
import { isUnsafeJson } from '../../verifiable/jose/index.ts';
import type { Caller } from '../access/index.ts';
import type { CredentialCandidate, StoredCredentials } from '../credentials/index.ts';
import { fail } from '../ground/faults.ts';
import { type ClaimPath, type ClaimsQuery, createClaimMatcher } from './claims.ts';
import { createPauses } from './pauses.ts';
import type { VerifierFormats } from './vp-formats.ts';

export interface Match {
  readonly candidate: CredentialCandidate;
  /** The requested paths. What is disclosed in addition is computed in disclosed-paths.ts. */
  readonly paths: readonly ClaimPath[];
  /** The status is known to be valid. */
  readonly isSure: boolean;
}

/** What the user selects. */
export interface CredentialSelection {
  /** Only these credentials, for all queries. */
  readonly all?: readonly string[] | undefined;
  /** By query id. */
  readonly by?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Which claim set of a query is shown, by query id. */
  readonly claimSets?: Readonly<Record<string, number>> | undefined;
}

export interface QueryMatches {
  readonly id: string;
  readonly format: string;
  readonly multiple: boolean;
  readonly bound: boolean;
  readonly claims: readonly ClaimPath[];
  readonly matches: readonly Match[];
}

interface CredentialQuery extends ClaimsQuery {
  readonly id: string;
  readonly format: string;
  readonly multiple?: boolean;
  readonly require_cryptographic_holder_binding?: boolean;
  readonly trusted_authorities?: readonly unknown[];
  readonly meta: QueryMeta;
}

export interface CredentialSet {
  readonly options: readonly (readonly string[])[];
  readonly required?: boolean;
  readonly purpose?: unknown;
}

export interface PresentationQuery {
  readonly credentials: readonly CredentialQuery[];
  readonly credential_sets?: readonly CredentialSet[];
}

/** Limits for a query. */
const MAX_QUERIES = 20;
const MAX_CLAIMS = 100;
const MAX_SETS = 100;
const MAX_VALUES = 100;
const MAX_PATH = 32;
/** Maximum number of matches for one query. */
const MAX_MATCHES = 200;
/** Maximum number of credentials decrypted for one request. Beyond that the caller must select credentials. */
const MAX_OPENED = 20_000;

const library = () => import('dcql');

/** Checks the size first, because matching compares all parts with each other for every credential. */
function isTooLarge(raw: unknown): boolean {
  const { credentials, credential_sets: sets } = (raw ?? {}) as Partial<PresentationQuery>;
  const size = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  if (size(credentials) > MAX_QUERIES || size(sets) > MAX_SETS) return true;
  const some = (list: unknown, test: (one: Readonly<Record<string, unknown>>) => boolean): boolean =>
    Array.isArray(list) && list.some((one) => typeof one === 'object' && one !== null && test(one));
  const isLong = (max: number) => (list: unknown) => size(list) > max;
  const total = (list: unknown, sizeOf: (one: unknown) => number): number =>
    Array.isArray(list) ? list.reduce<number>((sum, one) => sum + sizeOf(one), 0) : 0;
  return (
    some(sets, ({ options }) => size(options) > MAX_SETS || some(options, isLong(MAX_QUERIES))) ||
    some(credentials, ({ claims, claim_sets: claimSets, meta, trusted_authorities: authorities }) => {
      const { vct_values: vcts, type_values: types } = (meta ?? {}) as QueryMeta;
      return (
        [vcts, types, authorities].some(isLong(MAX_VALUES)) ||
        total(types, size) > MAX_VALUES ||
        total(authorities, (one) => size((one as { values?: unknown } | null)?.values)) > MAX_VALUES ||
        size(claims) > MAX_CLAIMS ||
        some(claims, ({ path, values }) => size(path) > MAX_PATH || size(values) > MAX_VALUES) ||
        size(claimSets) > MAX_SETS ||
        some(claimSets, isLong(MAX_CLAIMS))
      );
    })
  );
}

/** Drafts name an mdoc claim by namespace and claim name. The library still accepts that. */
function normalized(query: CredentialQuery): CredentialQuery {
  const claims = query.claims?.map((claim) => {
    const { namespace, claim_name: name } = claim as { namespace?: string; claim_name?: string };
    return namespace === undefined || name === undefined ? claim : { ...claim, path: [namespace, name] };
  });
  return claims ? { ...query, claims } : query;
}

/** Formats may be added later. A wallet that does not know one has nothing that matches (OID4VP, 6.4.2). */
const isUnknownFormat = (format: unknown): boolean =>
  typeof format === 'string' && format !== '' && formatNamed(format) === undefined;

/**
 * The library refuses formats that it does not know. What queries of all formats have in common is checked as if it were another; `meta` is
 * for each format to define (OID4VP, 6.1).
 */
const asKnownFormat = (query: CredentialQuery): CredentialQuery =>
  isUnknownFormat(query.format) ? { ...query, format: 'dc+sd-jwt', meta: {} } : query;

/** The types of the specification. Others may be added; no credential matches them here (OID4VP, 6.1.1). */
const AUTHORITY_TYPES: readonly unknown[] = ['aki', 'etsi_tl', 'openid_federation'];

/** Well-formed, of a type that is not known. */
function isUnknownAuthority(authority: unknown): boolean {
  const { type, values } = (authority ?? {}) as { type?: unknown; values?: unknown };
  return (
    typeof type === 'string' &&
    !AUTHORITY_TYPES.includes(type) &&
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string')
  );
}

/** One of several is enough. If all are unknown, an empty list is left, which nothing matches; the library takes it only after parsing. */
function knownAuthorities({ trusted_authorities: all }: CredentialQuery): readonly unknown[] | undefined {
  return Array.isArray(all) && all.length > 0 ? all.filter((one) => !isUnknownAuthority(one)) : undefined;
}

/** What the library can parse. */
function asParsable(query: CredentialQuery): CredentialQuery {
  const { trusted_authorities: all, ...rest } = asKnownFormat(query);
  const known = knownAuthorities(query) ?? all;
  return known === undefined || (known.length === 0 && all?.length !== 0) ? rest : { ...rest, trusted_authorities: known };
}

function asAsked(query: CredentialQuery, asked: CredentialQuery): CredentialQuery {
  const { format, meta } = asked;
  return {
    ...query,
    ...(isUnknownFormat(format) ? { format, meta } : {}),
    ...(knownAuthorities(asked)?.length === 0 ? { trusted_authorities: [] } : {}),
  };
}

/** Forbidden by DCQL, but accepted by the library. */
function isForbidden({ format, meta, claims = [] }: CredentialQuery): boolean {
  const ids = claims.flatMap(({ id }) => id ?? []);
  const isOfNoType = !isUnknownFormat(format) && Array.isArray(meta.vct_values) && meta.vct_values.length === 0;
  return isOfNoType || new Set(ids).size < ids.length;
}

/** `meta` is required and must be an object (OID4VP, 6.1). The library also accepts lists. */
function isMetaMissing(raw: unknown): boolean {
  const { credentials } = (raw ?? {}) as { credentials?: unknown };
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  return Array.isArray(credentials) && !credentials.every((one: { meta?: unknown } | null) => isObject(one?.meta));
}

/** An empty option would match without showing anything. */
const isEmptySet = ({ options }: NonNullable<PresentationQuery['credential_sets']>[number]): boolean =>
  options.length === 0 || options.some((option) => option.length === 0);

const refuse = (why: string): never => fail('invalid-presentation-request', { why });

export async function parseQuery(raw: unknown): Promise<PresentationQuery> {
  const { DcqlQuery } = await library();
  if (isTooLarge(raw)) refuse('it asks for too much');
  if (isUnsafeJson(raw) || isMetaMissing(raw)) refuse('its query cannot be read');
  let query: PresentationQuery;
  try {
    const { credentials, ...rest } = raw as PresentationQuery;
    const parsed = DcqlQuery.parse({ ...rest, credentials: credentials.map(asParsable) } as never);
    DcqlQuery.validate(parsed);
    const read = parsed as unknown as PresentationQuery;
    query = { ...read, credentials: read.credentials.map((one, at) => asAsked(one, credentials[at]!)) };
  } catch {
    return refuse('its query cannot be read');
  }
  if (query.credentials.some(isForbidden) || query.credential_sets?.some(isEmptySet)) refuse('its query cannot be read');
  return { ...query, credentials: query.credentials.map(normalized) };
}

function asDcql(
  { format, content, row, authorityKeyIds }: CredentialCandidate,
  { format: named, meta }: CredentialQuery,
): DcqlCredential {
  return {
    cryptographic_holder_binding: row.binding !== 'none',
    ...(authorityKeyIds.length > 0 ? { authority: { type: 'aki', values: [...authorityKeyIds] } } : {}),
    ...FORMATS[format].query.describe({ type: row.type, types: content.types, claims: content.claims }, named, meta),
  } as unknown as DcqlCredential;
}

/** Whether a credential matches the query apart from its claims. */
async function createTypeFilter(query: CredentialQuery): Promise<(candidate: CredentialCandidate) => boolean> {
  const { DcqlQuery } = await library();
  const { claims: _, claim_sets: __, ...kind } = query;
  return (candidate) => {
    const result = DcqlQuery.query({ credentials: [kind] } as never, [asDcql(candidate, query)]);
    return result.credential_matches[query.id]?.success === true;
  };
}

const isBound = (query: CredentialQuery): boolean => query.require_cryptographic_holder_binding !== false;

const canShow = ({ format, row, content }: CredentialCandidate): boolean => {
  const { alwaysSigns, byDidOnly } = FORMATS[format].holder;
  return !alwaysSigns || (row.binding !== 'none' && (!byDidOnly || content.didUrl !== undefined));
};

/** Limits the search over all queries of a request. */
class SearchBudget {
  readonly pause = createPauses();
  #opened = 0;

  /** False if the limit is reached. */
  open(): boolean {
    return ++this.#opened <= MAX_OPENED;
  }
}

interface SearchOptions {
  readonly first: boolean;
  readonly search: SearchBudget;
  readonly verifierFormats: VerifierFormats;
  readonly claimSet: number | undefined;
}

/** A query id may be any name, for example `constructor`. */
const ownValue = <T>(values: Readonly<Record<string, T>> | undefined, id: string): T | undefined =>
  values && Object.hasOwn(values, id) ? values[id] : undefined;

/** Selections must be for queries and claim sets of the request. */
function checkSelection({ credentials }: PresentationQuery, { by = {}, claimSets = {} }: CredentialSelection): void {
  const unknown = [...Object.keys(by), ...Object.keys(claimSets)].find((id) => !credentials.some((one) => one.id === id));
  if (unknown !== undefined) fail('selection-does-not-match', { why: `the request has no query ${unknown.slice(0, 50)}` });
  for (const { id, claim_sets: sets = [] } of credentials)
    if ((ownValue(claimSets, id) ?? -1) >= sets.length)
      fail('selection-does-not-match', { why: `${id} has no such set of claims` });
}

export function createMatcher({ storedCredentials }: { storedCredentials: StoredCredentials }) {
  /** Newest first. With `first`, the search stops at the first match with a valid status. */
  async function matchesOf(
    caller: Caller,
    query: CredentialQuery,
    only: readonly string[] | undefined,
    { first, search, verifierFormats, claimSet }: SearchOptions,
  ): Promise<Match[]> {
    const format = verifierFormats.names(query.format) ? formatNamed(query.format) : undefined;
    if (!format) return [];
    const { query: typeQuery, holder } = FORMATS[format];
    const isOfKind = await createTypeFilter(query);
    const pathsIn = createClaimMatcher(query, claimSet);
    const found: Match[] = [];
    for await (const candidate of storedCredentials.candidates(caller, { format, types: typeQuery.typesIn(query.meta), only })) {
      if (!search.open()) {
        // The search is incomplete, so it cannot say that there is no match.
        if (found.length === 0)
          fail('selection-does-not-match', { why: 'there are too many credentials to search; select what to show' });
        break;
      }
      await search.pause();
      const paths = canShow(candidate) && isOfKind(candidate) ? pathsIn(candidate.content.claims) : undefined;
      const status = paths && (await storedCredentials.presentationStatusOf(candidate));
      if (!status || !(await verifierFormats.reads(candidate, isBound(query) || holder.alwaysSigns))) continue;
      const isSure = status === 'valid';
      found.push({ candidate, paths, isSure });
      if ((first && isSure) || found.length === MAX_MATCHES) break;
    }
    // Valid credentials come before newer ones with an unknown status.
    return found.sort((one, other) => Number(other.isSure) - Number(one.isSure));
  }

  return {
    async match(
      caller: Caller,
      query: PresentationQuery,
      selection: CredentialSelection,
      first: boolean,
      verifierFormats: VerifierFormats,
    ): Promise<QueryMatches[]> {
      checkSelection(query, selection);
      const results: QueryMatches[] = [];
      const search = new SearchBudget();
      for (const one of query.credentials) {
        const selected = ownValue(selection.by, one.id);
        const only = selected ?? (selection.by ? undefined : selection.all);
        const claimSet = ownValue(selection.claimSets, one.id);
        const options = { first: first && only === undefined, search, verifierFormats, claimSet };
        const matches = await matchesOf(caller, one, only, options);
        if (selected && !selected.every((id) => matches.some(({ candidate }) => candidate.row.id === id)))
          fail('selection-does-not-match', { why: `not everything selected answers ${one.id}` });
        if (selected && selected.length > 1 && one.multiple !== true)
          fail('selection-does-not-match', { why: `${one.id} is answered by one credential` });
        results.push({
          id: one.id,
          format: one.format,
          multiple: one.multiple === true,
          bound: isBound(one),
          claims: (one.claims ?? []).map(({ path }) => path),
          matches,
        });
      }
      const answering = new Set(results.flatMap(({ matches }) => matches.map(({ candidate }) => candidate.row.id)));
      if (!selection.by && selection.all?.some((id) => !answering.has(id)))
        fail('selection-does-not-match', { why: 'a credential that is selected answers nothing' });
      return results;
    },
  };
}

export type Matcher = ReturnType<typeof createMatcher>;

export const canConfirm = (matches: readonly Match[]): boolean =>
  matches.every(({ candidate: { format, row } }) => FORMATS[format].holder.confirmsTransactions && row.binding !== 'none');

const queriesIn = (query: PresentationQuery, isOne: (format: string) => boolean): Set<string> =>
  new Set(query.credentials.filter(({ format }) => isOne(format)).map(({ id }) => id));

/** Whether any wallet could answer. It depends only on the request, so the answer does not reveal what is in this wallet. */
export const isAnswerable = (query: PresentationQuery, { names }: VerifierFormats): boolean =>
  chooseAmong(query, queriesIn(query, names), []) !== undefined;

/** Of a request that is not answerable: the queries that a wallet which knows all formats could answer. */
export function queriesOfUnknownFormat(
  query: PresentationQuery,
  { names }: VerifierFormats,
): Pick<CredentialQuery, 'id' | 'format'>[] {
  const needed =
    chooseAmong(
      query,
      queriesIn(query, (format) => names(format) || isUnknownFormat(format)),
      [],
    ) ?? [];
  return query.credentials.filter(({ id, format }) => needed.includes(id) && isUnknownFormat(format));
}

/** Without credential sets all queries are required. */
export function isRequired(query: PresentationQuery, id: string): boolean {
  if (!query.credential_sets) return true;
  return query.credential_sets.some(
    ({ required, options }) => required !== false && options.some((option) => option.includes(id)),
  );
}

/** The queries to answer: the first possible option of every required set. Undefined if there is none. Optional sets only if selected. */
export function chooseQueries(
  query: PresentationQuery,
  results: readonly QueryMatches[],
  selected: readonly string[],
): string[] | undefined {
  return chooseAmong(query, new Set(results.filter(({ matches }) => matches.length > 0).map(({ id }) => id)), selected);
}

function chooseAmong(
  query: PresentationQuery,
  answerable: ReadonlySet<string>,
  selected: readonly string[],
): string[] | undefined {
  const all = query.credentials.map(({ id }) => id);
  if (!query.credential_sets) return all.every((id) => answerable.has(id)) ? all : undefined;
  const chosen = new Set<string>();
  for (const { options, required } of query.credential_sets) {
    const possible = options.filter((option) => option.every((id) => answerable.has(id)));
    const preferred = possible.find((option) => option.every((id) => selected.includes(id)));
    const option = preferred ?? (required === false ? undefined : possible[0]);
    if (!option && required !== false) return undefined;
    for (const id of option ?? []) chosen.add(id);
  }
  return [...chosen];
}
