// The service as its administrators see it.
import { lastBackupFailure, lastBackup as readLastBackup } from '../../../platform/last-backup.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { MasterKeyRotation } from '../../ground/module-options.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { TokenKeys } from '../../login/tokens/index.ts';
import type { OpenidKeys } from '../../openid/provider/index.ts';
import type { Waiting } from '../../provisioning/registration/index.ts';
import type { IssuerKeys, VerifierKeys } from '../../role-credentials/issuer/index.ts';
import type { Replicas } from '../replicas/index.ts';
import { type BackupDeps, createBackups } from './backups.rules.ts';
import { type CertificateDeps, createCertificates } from './certificates.rules.ts';
import { createDeliveries } from './deliveries.rules.ts';
import { createKeys, type ServiceKeys } from './keys.rules.ts';
import { createOverview, type OverviewDeps } from './overview.rules.ts';
import { createTestMail } from './test-mail.rules.ts';

export interface AdministrationDeps
  extends Deps,
    CertificateDeps,
    Pick<BackupDeps, 'rateLimits' | 'backups'>,
    Pick<OverviewDeps, 'dataDir' | 'lastReadings'> {
  readonly waiting: Pick<Waiting, 'count'>;
  readonly replicas: Pick<Replicas, 'countSilent'>;
  readonly passwords: Pick<Passwords, 'countImported'>;
  readonly tokenKeys: TokenKeys;
  readonly openidKeys: OpenidKeys;
  readonly issuerKeys: IssuerKeys;
  readonly verifierKeys: VerifierKeys;
  readonly masterKey?: MasterKeyRotation | undefined;
  readonly freshLogin: FreshLogin;
  /** Public address of the service. */
  issuer(): string;
  /** Seals every secret again under the current master key. */
  reseal(actor: Actor): Promise<number>;
}

const keysOf = ({ tokenKeys, openidKeys, issuerKeys, verifierKeys }: AdministrationDeps): ServiceKeys => ({
  token: { ...tokenKeys, rotate: (actor) => tokenKeys.rotate({ force: true, actor }) },
  openid: {
    ...openidKeys,
    rotate: (actor) => openidKeys.rotate({ actor, unlessAnnounced: true }),
    rotatesAt: () => undefined,
  },
  issuer: {
    ...issuerKeys,
    rotate: (actor) => issuerKeys.rotate({ actor, unlessAnnounced: true }),
    rotatesAt: () => undefined,
  },
  verifier: { ...verifierKeys, rotatesAt: () => undefined },
});

export function createAdministration(deps: AdministrationDeps) {
  const { clock, config, dataDir } = deps;
  const lastBackup = () => (config.databaseUrl === undefined ? (readLastBackup(dataDir, clock.now()) ?? null) : undefined);
  const failure = () => (config.databaseUrl === undefined ? lastBackupFailure(dataDir) : undefined);
  const deliveries = createDeliveries(deps);
  const certificates = createCertificates(deps);
  return {
    overview: createOverview({
      ...deps,
      certificateEndings: certificates.endings,
      lastBackup,
      hasBackupFailed: () => failure() !== undefined,
      queues: deliveries.states,
      waitingRegistrations: deps.waiting.count,
      importedHashes: (domainId) => deps.passwords.countImported(deps.db.read, domainId),
      silentReplicas: deps.replicas.countSilent,
    }),
    keys: createKeys({ ...deps, keys: keysOf(deps) }),
    certificates: certificates.list,
    deliveries,
    sendTestMail: createTestMail(deps),

    backups: createBackups({ ...deps, lastBackup }),
  };
}

export type Administration = ReturnType<typeof createAdministration>;
