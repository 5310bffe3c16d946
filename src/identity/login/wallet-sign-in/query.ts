// What is asked of a wallet, in DCQL (OID4VP 1.0, 6): one credential of those that sign somebody in.
import { FORMATS, type FormatName } from '../../../verifiable/formats/index.ts';
import type { WalletProvider } from '../federation/index.ts';
import type { WalletSource } from './data.ts';

/** What the credentials of one format are called that are issued here, each type by all its names; the oldest types first. */
export interface OwnTypes {
  readonly queryId: string;
  readonly format: FormatName;
  readonly types: readonly (readonly string[])[];
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
 * A wallet compares everything it has with everything that is asked for, so there is a limit: of the types that are issued here, the oldest
 * of each format, so that a new one pushes out none that people have; of providers, the first by their names, each with all it asks for.
 */
export const MAX_OWN_TYPES = 100;
export const MAX_PROVIDERS = 20;
/** Of formats that need a query for each type. */
const MAX_OWN_QUERIES = 10;

/** Of ours, nothing more is asked for than what the holder always shows: who they are, and the entry in the status list. */
const ownQueries = (own: readonly OwnTypes[]): CredentialQuery[] =>
  own.flatMap(({ queryId, format, types }) =>
    types.length === 0 ? [] : queriesFor(queryId, format, types.slice(0, MAX_OWN_TYPES)).slice(0, MAX_OWN_QUERIES),
  );

const isCut = ({ format, types }: OwnTypes): boolean =>
  types.length > MAX_OWN_TYPES || FORMATS[format].query.metaFor(types).length > MAX_OWN_QUERIES;

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

export function queryFor(own: readonly OwnTypes[], all: readonly WalletProvider[]): WalletQuery | undefined {
  const providers = all.slice(0, MAX_PROVIDERS);
  const asked: SourcedQuery[] = [
    ...ownQueries(own).map((query): SourcedQuery => ({ query, source: { kind: 'own' } })),
    ...providers.flatMap(queriesOf),
  ];
  if (asked.length === 0) return undefined;
  const credentials = asked.map(({ query }) => query);
  return {
    dcql: { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] },
    sources: Object.fromEntries(asked.map(({ query, source }) => [query.id, source])),
    isCut: all.length > MAX_PROVIDERS || own.some(isCut),
  };
}
