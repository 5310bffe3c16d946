// What is asked of a wallet, in DCQL (OID4VP 1.0, 6): one credential of those that sign somebody in.
import type { WalletProvider } from '../federation/index.ts';
import type { WalletSource } from './data.ts';

/** What the credentials that are issued here are called; the oldest types first. */
export interface OwnTypes {
  /** Of SD-JWT VCs. */
  readonly vcts: readonly string[];
  /** Of W3C credentials, each with all its types. */
  readonly w3c: readonly (readonly string[])[];
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
  readonly format: string;
  readonly meta: object;
  readonly claims?: readonly object[];
}

/**
 * A wallet compares everything it has with everything that is asked for, so there is a limit: of the types that are issued here, the oldest
 * of each format, so that a new one pushes out none that people have; of providers, the first by their names, each with all it asks for.
 */
export const MAX_OWN_TYPES = 100;
export const MAX_PROVIDERS = 20;

/** Of ours, nothing more is asked for than what the holder always shows: who they are, and the entry in the status list. */
const ownQueries = ({ vcts, w3c }: OwnTypes): CredentialQuery[] => [
  ...(vcts.length > 0 ? [{ id: 'own', format: 'dc+sd-jwt', meta: { vct_values: vcts.slice(0, MAX_OWN_TYPES) } }] : []),
  ...(w3c.length > 0 ? [{ id: 'own_w3c', format: 'jwt_vc_json', meta: { type_values: w3c.slice(0, MAX_OWN_TYPES) } }] : []),
];

/** Of others, who the person is, and what the mapping needs. */
const queriesOf = ({ credentials }: WalletProvider, number: number): CredentialQuery[] =>
  credentials.map(({ format, types, subject, claims }, at) => {
    const paths = new Map([subject, ...claims].map((path) => [JSON.stringify(path), path]));
    return {
      id: `provider_${number}_${at}`,
      format,
      meta: format === 'dc+sd-jwt' ? { vct_values: types } : { type_values: types.map((type) => [type]) },
      claims: [...paths.values()].map((path) => ({ path })),
    };
  });

export function queryFor(own: OwnTypes, all: readonly WalletProvider[]): WalletQuery | undefined {
  const providers = all.slice(0, MAX_PROVIDERS);
  const ours = ownQueries(own);
  const theirs = providers.map(queriesOf);
  const credentials = [...ours, ...theirs.flat()];
  if (credentials.length === 0) return undefined;
  const sources: [string, WalletSource][] = [
    ...ours.map(({ id }): [string, WalletSource] => [id, { kind: 'own' }]),
    ...providers.flatMap(({ id: providerId, version }, number) =>
      theirs[number]!.map(({ id }, at): [string, WalletSource] => [id, { kind: 'provider', providerId, version, at }]),
    ),
  ];
  return {
    dcql: { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] },
    sources: Object.fromEntries(sources),
    isCut: all.length > MAX_PROVIDERS || Math.max(own.vcts.length, own.w3c.length) > MAX_OWN_TYPES,
  };
}
