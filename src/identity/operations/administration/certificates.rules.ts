// The certificates that the service shows or trusts, with their end.
import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isoTime } from '../../../platform/clock.ts';
import { parseAnchors, readAnchors } from '../../../verifiable/trust/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Directories } from '../../directory/ldap/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { IssuerKeys, VerifierKeys } from '../../role-credentials/issuer/index.ts';
import { namesOfDomains } from './overview.store.ts';

const DAY_MS = 86_400_000;
export const WARN_DAYS = 30;
/** A directory may trust a whole bundle of authorities. */
const MAX_CERTIFICATES = 500;

export interface CertificateDeps extends Pick<Deps, 'db' | 'clock' | 'config'> {
  readonly tls?: { readonly certFile: string } | undefined;
  readonly issuerKeys: Pick<IssuerKeys, 'inUse'>;
  readonly verifierKeys: Pick<VerifierKeys, 'inUse'>;
  readonly directories: Pick<Directories, 'authorities'>;
  readonly federation: { readonly walletProviders: Pick<Federation['walletProviders'], 'authorities'> };
  readonly walletProviders: Pick<WalletProviders, 'authorities'>;
}

type OwnUse = 'tls' | 'issuer' | 'verifier';

interface Used<Use = OwnUse | 'directory' | 'identity_provider' | 'wallet_provider' | 'audit_syslog'> {
  readonly use: Use;
  readonly of: { readonly id: string; readonly name: string } | null;
  /** Whether the service makes the next one itself. */
  readonly renews: boolean;
  readonly certificates: readonly X509Certificate[];
}

/** Names of one line: Node gives each part a line of its own. */
const nameOf = (text: string | undefined): string => (text ?? '').trim().replaceAll('\n', ', ');

function stateOf({ validFromDate, validToDate }: X509Certificate, now: number) {
  if (validToDate.getTime() <= now) return 'expired';
  if (validFromDate.getTime() > now) return 'not_yet_valid';
  return validToDate.getTime() - now < WARN_DAYS * DAY_MS ? 'expiring' : 'valid';
}

export function createCertificates(deps: CertificateDeps) {
  const { db, clock, config, issuerKeys, verifierKeys, directories, federation, walletProviders } = deps;
  // Read once, as the server does: a file that was replaced since is used from the next start on.
  const tls = deps.tls ? readAnchors(deps.tls.certFile) : [];

  /** Read for each message. What cannot be read is told by the failures of the export. */
  function ofSyslog(): X509Certificate[] {
    if (config.auditSyslogCaFile === undefined) return [];
    try {
      return parseAnchors(readFileSync(config.auditSyslogCaFile, 'utf8'));
    } catch {
      return [];
    }
  }

  /** Those with which the service itself is known to others. */
  const own = async (): Promise<Used<OwnUse>[]> => [
    { use: 'tls', of: null, renews: false, certificates: tls },
    { use: 'issuer', of: null, ...(await issuerKeys.inUse()) },
    { use: 'verifier', of: null, ...(await verifierKeys.inUse()) },
  ];

  async function trusted(): Promise<Used[]> {
    const ofDirectories = await directories.authorities();
    const names = await namesOfDomains(
      db.read,
      ofDirectories.map(({ domainId }) => domainId),
    );
    return [
      ...ofDirectories.map(({ domainId: id, certificates }) => ({
        ...({ use: 'directory', renews: false, certificates } as const),
        of: { id, name: names.get(id) ?? id },
      })),
      ...(await federation.walletProviders.authorities()).map(({ id, name, certificates }) => ({
        ...({ use: 'identity_provider', renews: false, certificates } as const),
        of: { id, name },
      })),
      ...walletProviders.authorities.map(({ name, certificates }) => ({
        ...({ use: 'wallet_provider', renews: false, certificates } as const),
        of: { id: name, name },
      })),
      { use: 'audit_syslog', of: null, renews: false, certificates: ofSyslog() },
    ];
  }

  return {
    /** Those that end first come first. */
    async list() {
      const now = clock.now();
      const all = [...(await own()), ...(await trusted())].flatMap(({ certificates, use, of, renews }) =>
        certificates.map((certificate) => ({ certificate, use, of, renews })),
      );
      const shown = all
        .toSorted((a, b) => a.certificate.validToDate.getTime() - b.certificate.validToDate.getTime())
        .slice(0, MAX_CERTIFICATES);
      return {
        truncated: all.length > shown.length,
        certificates: shown.map(({ certificate, use, of, renews }) => ({
          use,
          of,
          subject: nameOf(certificate.subject),
          issuer: nameOf(certificate.issuer),
          fingerprint: certificate.fingerprint256,
          valid_from: isoTime(certificate.validFromDate.getTime()),
          expires_at: isoTime(certificate.validToDate.getTime()),
          state: stateOf(certificate, now),
          renews,
        })),
      };
    },

    /** In how many days the first of each chain ends that somebody has to replace. */
    async endings(): Promise<{ readonly use: OwnUse; readonly days: number }[]> {
      return (await own())
        .filter(({ renews, certificates }) => !renews && certificates.length > 0)
        .map(({ use, certificates }) => {
          const end = Math.min(...certificates.map(({ validToDate }) => validToDate.getTime()));
          return { use, days: Math.floor((end - clock.now()) / DAY_MS) };
        });
    },
  };
}
