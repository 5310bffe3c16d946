// What a sign-in with a wallet needs of providers: which credentials are asked for, and who may have issued them.
import { X509Certificate } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { isOneOfRoots } from '../../../verifiable/formats/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { OPENID4VP, type ProviderAssertion } from './assertion.ts';
import type { AskedCredential } from './wallet-settings.schema.ts';
import {
  findUsableWalletProvider,
  listRootCertificates,
  listShownWalletProviders,
  type UsableWalletProvider,
  type WalletLink,
} from './wallet-settings.store.ts';

/** A provider whose people show credentials. */
export interface WalletProvider {
  readonly id: string;
  /** What was asked or checked with another version of the settings does not count. */
  readonly version: number;
  readonly domainId: string;
  readonly credentials: readonly AskedCredential[];
  /** Empty: whoever has a certificate of the roots. */
  readonly issuers: readonly string[];
  /** PEM */
  readonly rootCertificates: readonly string[];
  readonly requiresStatus: boolean;
}

/** What a credential says, after all checks. */
export interface CredentialStatement {
  readonly issuer: string;
  /** The path of the claim that says who the person is. */
  readonly subjectPath: readonly string[];
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Issuers of OpenID have no fragment, so that nobody is the same person by both protocols. */
export const issuerOfSubjects = (issuer: string, path: readonly string[]): string =>
  `${issuer}#${path.map(encodeURIComponent).join('/')}`;

/** Whether a link can still be used: its issuer or its root is listed, or a certificate decides. */
export function isOfTrustedIssuer(link: Pick<WalletLink, 'issuer' | 'issuers' | 'root_certificates'>): boolean {
  const listed = JSON.parse(link.issuers) as string[];
  const roots = (JSON.parse(link.root_certificates) as string[]).map((text) => new X509Certificate(text));
  const name = link.issuer.slice(0, link.issuer.lastIndexOf('#'));
  return listed.length > 0 ? listed.includes(name) : (isOneOfRoots(name, roots) ?? true);
}

const toWalletProvider = (row: UsableWalletProvider): WalletProvider => ({
  id: row.provider_id,
  version: row.version,
  domainId: row.domain_id,
  credentials: JSON.parse(row.credentials) as AskedCredential[],
  issuers: JSON.parse(row.issuers) as string[],
  rootCertificates: JSON.parse(row.root_certificates) as string[],
  requiresStatus: row.requires_status === 1,
});

export function createWalletProviders({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  return {
    /** Those that wallets are asked for now, up to a number. */
    list: async (limit: number): Promise<WalletProvider[]> =>
      (await listShownWalletProviders(db.read, limit)).map(toWalletProvider),

    /** The certificates of the authorities that each trusts. */
    authorities: async () =>
      (await listRootCertificates(db.read)).map(({ provider_id: id, name, root_certificates: roots }) => ({
        id,
        name: name ?? id,
        certificates: (JSON.parse(roots) as string[]).map((text) => new X509Certificate(text)),
      })),

    /** Undefined when nobody signs in by it now. */
    async find(id: string): Promise<WalletProvider | undefined> {
      const row = await findUsableWalletProvider(db.read, id);
      return row?.shown === 1 ? toWalletProvider(row) : undefined;
    },

    assertionOf(
      { id, version }: WalletProvider,
      { issuer, subjectPath, subject, claims }: CredentialStatement,
    ): ProviderAssertion {
      return {
        providerId: id,
        protocol: OPENID4VP,
        version,
        issuer: issuerOfSubjects(issuer, subjectPath),
        subject,
        claims,
        sid: undefined,
        idToken: '',
        refreshToken: undefined,
        expiresAt: undefined,
        at: clock.now(),
        beginsSession: true,
      };
    },

    /** When somebody authenticated who shows a credential: now, since their wallet signed for this request. */
    authTime: (): number => seconds(clock),
  };
}

export type WalletProviders = ReturnType<typeof createWalletProviders>;
