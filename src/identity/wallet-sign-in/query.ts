// What is asked of a wallet, in DCQL (OID4VP 1.0, 6): one credential of those that sign somebody in.
import type { WalletSource } from './data.ts';

/** What the credentials that are issued here are called. */
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
}

interface CredentialQuery {
  readonly id: string;
  readonly format: string;
  readonly meta: object;
  readonly claims?: readonly object[];
}

/** Nothing more is asked for than what the holder always shows: who they are, and the entry in the status list. */
export function queryFor({ vcts, w3c }: OwnTypes): WalletQuery | undefined {
  const credentials: CredentialQuery[] = [
    ...(vcts.length > 0 ? [{ id: 'own', format: 'dc+sd-jwt', meta: { vct_values: vcts } }] : []),
    ...(w3c.length > 0 ? [{ id: 'own_w3c', format: 'jwt_vc_json', meta: { type_values: w3c } }] : []),
  ];
  if (credentials.length === 0) return undefined;
  return {
    dcql: { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] },
    sources: Object.fromEntries(credentials.map(({ id }) => [id, { kind: 'own' }])),
  };
}
