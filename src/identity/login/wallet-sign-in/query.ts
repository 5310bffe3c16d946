// What is asked of a wallet, in DCQL (OID4VP 1.0, 6): one credential of those that sign somebody in.
import { FORMATS, type FormatName } from '../../../verifiable/formats/index.ts';
import type { WalletProvider } from '../federation/index.ts';
import type { WalletSource } from './data.ts';

/** What the credentials of one format are called that are issued here, each type by all its names, which may have alternatives; the oldest types first. */
export interface OwnTypes {
  readonly queryId: string;
  readonly format: FormatName;
  readonly types: readonly { readonly applicationId: string; readonly names: readonly string[] }[];
}

export interface WalletQuery {
  readonly dcql: Readonly<Record<string, unknown>>;
  /** By the id of the credential query. */
  readonly sources: Readonly<Record<string, WalletSource>>;
  /** Some types or providers are not asked for. */
  readonly isCut: boolean;
}

interface CredentialQuery {
  readonly id: string;
  readonly format: FormatName;
  readonly meta: object;
  readonly claims?: readonly object[];
}

interface SourcedQuery {
  readonly query: CredentialQuery;
  readonly source: WalletSource;
}

/**
 * A wallet compares everything it has with everything that is asked for, so there is a limit. Wallets have one, too, and refuse the whole request:
 * our own takes so many credential queries, and so many names of types in one of them.
 */
export const MAX_QUERIES = 20;
export const MAX_NAMES = 100;

/** The first of each list, then the second of each, and so on: nobody fills a query alone. */
const inTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();

/** As many as fit: of each application the oldest, so that a new type pushes out none that its people have. */
function fitting({ types }: OwnTypes): (readonly string[])[] {
  const fair = inTurns([...Map.groupBy(types, ({ applicationId }) => applicationId).values()]);
  let left = MAX_NAMES;
  return fair.flatMap(({ names }) => {
    left -= names.length;
    return left < 0 ? [] : [names];
  });
}

/** Of ours, nothing more is asked for than what the holder always shows: who they are, and the entry in the status list. */
function ownQueries(own: OwnTypes): SourcedQuery[] {
  const types = fitting(own);
  const queries = types.length === 0 ? [] : queriesFor(own.queryId, own.format, types);
  return queries.map((query) => ({ query, source: { kind: 'own' } }));
}

/** One for each `meta` that the format needs for these types. */
const queriesFor = (id: string, format: FormatName, types: readonly (readonly string[])[]): CredentialQuery[] =>
  FORMATS[format].query.metaFor(types).map((meta, at) => ({ id: at === 0 ? id : `${id}_${at}`, format, meta }));

/** Of others, who the person is, and what the mapping needs. */
const queriesOf = ({ id: providerId, version, credentials }: WalletProvider, number: number): SourcedQuery[] =>
  credentials.flatMap(({ format, types, subject, claims }, at) => {
    const paths = new Map([subject, ...claims].map((path) => [JSON.stringify(path), path]));
    const queries = queriesFor(
      `provider_${number}_${at}`,
      format,
      types.map((type) => [type]),
    );
    return queries.map((query) => ({
      query: { ...query, claims: [...paths.values()].map((path) => ({ path })) },
      source: { kind: 'provider', providerId, version, at },
    }));
  });

/** First what is asked for all types of ours at once; then those that need a query for each type, and providers, in turns. */
export function queryFor(own: readonly OwnTypes[], providers: readonly WalletProvider[]): WalletQuery | undefined {
  const ours = own.map(ownQueries);
  const theirs = providers.slice(0, MAX_QUERIES).map(queriesOf);
  const wanted = [
    ...ours.filter(({ length }) => length === 1).flat(),
    ...inTurns([ours.filter(({ length }) => length > 1).flat(), inTurns(theirs)]),
  ];
  const chosen = new Set(wanted.slice(0, MAX_QUERIES));
  // A wallet shows the first that it has.
  const asked = [...ours.flat(), ...theirs.flat()].filter((one) => chosen.has(one));
  if (asked.length === 0) return undefined;
  const credentials = asked.map(({ query }) => query);
  return {
    dcql: { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] },
    sources: Object.fromEntries(asked.map(({ query, source }) => [query.id, source])),
    isCut:
      wanted.length > MAX_QUERIES || providers.length > MAX_QUERIES || own.some((one) => fitting(one).length < one.types.length),
  };
}
