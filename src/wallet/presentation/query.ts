// What a verifier asks for, and what of the wallet answers it (DCQL; the library decides, we look up the candidates).
import type { DcqlCredential } from 'dcql';
import type { Caller } from '../caller.ts';
import type { Candidate, Keeping } from '../credentials/index.ts';
import { fail } from '../faults.ts';
import type { FormatName } from '../formats/index.ts';

export type Path = readonly (string | number | null)[];

export interface Match {
  readonly candidate: Candidate;
  readonly disclosed: readonly Path[];
}

export interface QueryMatches {
  readonly id: string;
  readonly format: string;
  readonly multiple: boolean;
  readonly bound: boolean;
  readonly claims: readonly Path[];
  readonly matches: readonly Match[];
}

interface Claim {
  readonly path: Path;
  readonly values?: readonly unknown[];
}

interface CredentialQuery {
  readonly id: string;
  readonly format: string;
  readonly multiple?: boolean;
  readonly require_cryptographic_holder_binding?: boolean;
  readonly meta?: {
    readonly vct_values?: readonly string[];
    readonly doctype_value?: string;
    readonly type_values?: readonly (readonly string[])[];
  };
  readonly claims?: readonly Claim[];
  readonly claim_sets?: readonly (readonly string[])[];
}

export interface Query {
  readonly credentials: readonly CredentialQuery[];
  readonly credential_sets?: readonly { readonly options: readonly (readonly string[])[]; readonly required?: boolean }[];
}

const FORMATS: Readonly<Record<string, FormatName>> = {
  'dc+sd-jwt': 'dc+sd-jwt',
  'vc+sd-jwt': 'dc+sd-jwt',
  jwt_vc_json: 'jwt_vc_json',
  mso_mdoc: 'mso_mdoc',
  ldp_vc: 'ldp_vc',
};

/** A verifier that asks for this much asks for too much. */
const MAX_QUERIES = 20;
const MAX_CLAIMS = 100;
const MAX_SETS = 100;
const MAX_VALUES = 100;
const MAX_PATH = 32;
const MAX_CANDIDATES = 200;

const library = () => import('dcql');

/** Before anything else looks at it: every part is compared with every other, for every credential there is. */
function isTooMuch(raw: unknown): boolean {
  const { credentials, credential_sets: sets } = (raw ?? {}) as Partial<Query>;
  const size = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  if (size(credentials) > MAX_QUERIES || size(sets) > MAX_SETS) return true;
  const some = (list: unknown, test: (one: Readonly<Record<string, unknown>>) => boolean): boolean =>
    Array.isArray(list) && list.some((one) => typeof one === 'object' && one !== null && test(one));
  const isLong = (max: number) => (list: unknown) => size(list) > max;
  return (
    some(sets, ({ options }) => size(options) > MAX_SETS || some(options, isLong(MAX_QUERIES))) ||
    some(credentials, ({ claims, claim_sets: claimSets, meta, trusted_authorities: authorities }) => {
      const { vct_values: vcts, type_values: types } = (meta ?? {}) as NonNullable<CredentialQuery['meta']>;
      return (
        [vcts, types, authorities].some(isLong(MAX_VALUES)) ||
        some(types, isLong(MAX_VALUES)) ||
        some(authorities, ({ values }) => size(values) > MAX_VALUES) ||
        size(claims) > MAX_CLAIMS ||
        some(claims, ({ path, values }) => size(path) > MAX_PATH || size(values) > MAX_VALUES) ||
        size(claimSets) > MAX_SETS ||
        some(claimSets, isLong(MAX_CLAIMS))
      );
    })
  );
}

export async function parseQuery(raw: unknown): Promise<Query> {
  const { DcqlQuery } = await library();
  if (isTooMuch(raw)) fail('invalid-presentation-request', { why: 'it asks for too much' });
  try {
    const query = DcqlQuery.parse(raw as never);
    DcqlQuery.validate(query);
    return query as unknown as Query;
  } catch {
    return fail('invalid-presentation-request', { why: 'its query cannot be read' });
  }
}

function asDcql({ format, held, row, authorityKeyIds }: Candidate, named: string): DcqlCredential {
  const common = {
    cryptographic_holder_binding: row.binding !== 'none',
    ...(authorityKeyIds.length > 0 ? { authority: { type: 'aki', values: [...authorityKeyIds] } } : {}),
  };
  const { claims, types } = held;
  const own =
    format === 'mso_mdoc'
      ? { credential_format: format, doctype: row.type, namespaces: claims }
      : format === 'dc+sd-jwt'
        ? { credential_format: named, vct: row.type, claims }
        : { credential_format: format, type: [...types], claims };
  return { ...common, ...own } as unknown as DcqlCredential;
}

interface ClaimSetResult {
  readonly success: boolean;
  readonly valid_claim_indexes?: readonly number[];
}

/** The paths of the first claim set that fits; none when nothing is named: then nothing that can be held back is shown. */
async function matchOf(query: CredentialQuery, candidate: Candidate): Promise<readonly Path[] | undefined> {
  const { DcqlQuery } = await library();
  const result = DcqlQuery.query({ credentials: [query] } as never, [asDcql(candidate, query.format)]);
  const found = result.credential_matches[query.id];
  if (!found?.success) return undefined;
  const { claims } = found.valid_credentials[0] as unknown as { claims: { valid_claim_sets?: readonly ClaimSetResult[] } };
  for (const { valid_claim_indexes: indexes = [] } of claims.valid_claim_sets ?? []) {
    const ways = indexes.map((index) => waysOf(query.claims![index]!, candidate.held.claims));
    if (ways.every((one) => one.length > 0)) return ways.flat();
  }
  return undefined;
}

/**
 * Where a claim is. Of a list only the elements that have one of the values: the others were not asked for. And only what the
 * credential itself has: to the library every object has a claim `toString`.
 */
function waysOf({ path, values }: Claim, claims: unknown): Path[] {
  const found: Path[] = [];
  function follow(value: unknown, at: number, way: Path): void {
    if (at === path.length) {
      if (!values || values.includes(value)) found.push(way);
      return;
    }
    const step = path[at] as string | number | null;
    const isList = Array.isArray(value);
    if (typeof step === 'string' ? isList || typeof value !== 'object' || value === null : !isList) return;
    if (step === null) for (const [index, one] of (value as unknown[]).entries()) follow(one, at + 1, [...way, index]);
    else if (Object.hasOwn(value as object, step))
      follow((value as Record<string | number, unknown>)[step], at + 1, [...way, step]);
  }
  follow(claims, 0, []);
  return values || found.length === 0 ? found : [path];
}

/** Types a query can mean, for looking candidates up by index; undefined when any will do. */
function typesOf({ meta }: CredentialQuery): readonly string[] | undefined {
  if (meta?.vct_values) return meta.vct_values;
  if (meta?.doctype_value) return [meta.doctype_value];
  // A W3C credential has several types and is listed by one of them: by which, a query cannot know.
  return undefined;
}

/** Formats that cannot hold anything back: whoever is asked for one claim must know that all of them go. */
const isWhole = ({ format }: Candidate): boolean => format === 'jwt_vc_json' || format === 'ldp_vc';
const wholeOf = ({ held }: Candidate): Path[] => Object.keys(held.claims).map((name) => [name]);

/** All but SD-JWTs are shown by somebody who signs. */
const canShow = ({ format, row, held }: Candidate): boolean =>
  format === 'dc+sd-jwt' || (row.binding !== 'none' && (format !== 'ldp_vc' || held.didUrl !== undefined));

export function createMatching({ keeping }: { keeping: Keeping }) {
  /** Newest first. `first`: one that fits is enough, and none older is even opened. */
  async function matchesOf(
    caller: Caller,
    query: CredentialQuery,
    only: readonly string[] | undefined,
    first: boolean,
  ): Promise<Match[]> {
    const format = FORMATS[query.format];
    if (!format) return [];
    const found: Match[] = [];
    let seen = 0;
    for await (const candidate of keeping.candidates(caller, { format, types: typesOf(query), only })) {
      if (++seen > MAX_CANDIDATES) break;
      const disclosed = canShow(candidate) ? await matchOf(query, candidate) : undefined;
      if (!disclosed || !(await keeping.isPresentable(candidate))) continue;
      found.push({ candidate, disclosed: isWhole(candidate) ? wholeOf(candidate) : disclosed });
      if (first && query.multiple !== true) break;
    }
    return found;
  }

  return {
    async match(
      caller: Caller,
      query: Query,
      selection: { all?: readonly string[] | undefined; by?: Readonly<Record<string, readonly string[]>> | undefined },
      first: boolean,
    ): Promise<QueryMatches[]> {
      const unknown = Object.keys(selection.by ?? {}).find((id) => !query.credentials.some((one) => one.id === id));
      if (unknown !== undefined) fail('selection-does-not-match', { why: `the request has no query ${unknown.slice(0, 50)}` });
      const results: QueryMatches[] = [];
      for (const one of query.credentials) {
        // A verifier may call its query as it likes, `constructor` for one.
        const selected = selection.by && Object.hasOwn(selection.by, one.id) ? selection.by[one.id] : undefined;
        const only = selected ?? (selection.by ? undefined : selection.all);
        const matches = await matchesOf(caller, one, only, first && only === undefined);
        if (selected && !selected.every((id) => matches.some(({ candidate }) => candidate.row.id === id)))
          fail('selection-does-not-match', { why: `not everything selected answers ${one.id}` });
        if (selected && selected.length > 1 && one.multiple !== true)
          fail('selection-does-not-match', { why: `${one.id} is answered by one credential` });
        results.push({
          id: one.id,
          format: one.format,
          multiple: one.multiple === true,
          bound: one.require_cryptographic_holder_binding !== false,
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

export type Matching = ReturnType<typeof createMatching>;

/** Only the key binding of an SD-JWT has a place for what it confirms. */
export const canConfirm = (matches: readonly Match[]): boolean =>
  matches.every(({ candidate: { format, row } }) => format === 'dc+sd-jwt' && row.binding !== 'none');

/** Required queries: all of them, or by sets. */
export function isRequired(query: Query, id: string): boolean {
  if (!query.credential_sets) return true;
  return query.credential_sets.some(
    ({ required, options }) => required !== false && options.some((option) => option.includes(id)),
  );
}

/** The queries to answer: of every required set the first option that can be; undefined when one cannot. Optional sets are left out unless they were selected. */
export function chooseQueries(query: Query, results: readonly QueryMatches[], selected: readonly string[]): string[] | undefined {
  const answerable = new Set(results.filter(({ matches }) => matches.length > 0).map(({ id }) => id));
  if (!query.credential_sets) return results.every(({ id }) => answerable.has(id)) ? results.map(({ id }) => id) : undefined;
  const chosen = new Set<string>();
  for (const { options, required } of query.credential_sets) {
    const possible = options.filter((option) => option.every((id) => answerable.has(id)));
    const wanted = possible.find((option) => option.every((id) => selected.includes(id)));
    const option = wanted ?? (required === false ? undefined : possible[0]);
    if (!option && required !== false) return undefined;
    for (const id of option ?? []) chosen.add(id);
  }
  return [...chosen];
}
