// The overview of the service: counts, health, and what needs attention.
import { seconds } from '../../../platform/clock.ts';
import type { LastBackup } from '../../../platform/last-backup.ts';
import { version } from '../../../version.ts';
import { unprotectedAdministrators } from '../../access/context/index.ts';
import { type Caller, isAdministrator, visibleDomain } from '../../access/rules/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import {
  type Attention,
  aboutBackup,
  aboutCertificate,
  aboutConnection,
  aboutPasswordFile,
  administratorWithoutFactor,
  backupFailed,
  deliveriesFailed,
  directoryAway,
  hashesImported,
  registrationsWait,
  replicasSilent,
} from './attention.ts';
import { connectionStates, countThings, MAX_COUNT } from './overview.store.ts';

const DAY = 86_400;
const MAX_ADMINISTRATORS = 50;
const MIN_DIRECTORY_MS = 900_000;
const SEVERITIES = ['critical', 'warning', 'info'];

export interface OverviewDeps extends Pick<Deps, 'db' | 'clock' | 'config'> {
  readonly dataDir: string;
  /** Domains with a directory, and when it was last read (milliseconds). */
  lastReadings(): Promise<readonly { readonly domainId: string; readonly at: number | undefined }[]>;
  /** In how many days certificates of the service end that somebody has to replace. */
  certificateEndings(): Promise<readonly { readonly use: 'tls' | 'issuer' | 'verifier'; readonly days: number }[]>;
  /** Messages that were given up, by queue. */
  queues(): Promise<Readonly<Record<string, { readonly failed: number }>>>;
  /** How many registered and wait for approval: in one domain, or in all. */
  waitingRegistrations(domainId: string | undefined): Promise<number>;
  /** People whose hash is still that of another system: in one domain, or in all. */
  importedHashes(domainId: string | undefined): Promise<number>;
  /** How many processes fell silent, and were not forgotten yet. */
  silentReplicas(): Promise<number>;
  /** The last backup; null: never; undefined: not known, because other tools make them. */
  lastBackup(): LastBackup | null | undefined;
  /** Whether the last attempt at one failed. */
  hasBackupFailed(): boolean;
}

export function createOverview(deps: OverviewDeps) {
  const { db, clock, config } = deps;

  async function awayDirectories(): Promise<Attention[]> {
    const longest = Math.max(config.directorySyncSeconds * 3000, MIN_DIRECTORY_MS);
    const readings = await deps.lastReadings();
    return readings
      .filter(({ at }) => at === undefined || clock.now() - at > longest)
      .map(({ domainId }) => directoryAway(domainId));
  }

  async function ofDomain(domainId: string | undefined): Promise<Attention[]> {
    const now = seconds(clock);
    const isHere = (id: string | undefined): boolean => domainId === undefined || id === domainId;
    const waiting = await deps.waitingRegistrations(domainId);
    const imported = await deps.importedHashes(domainId);
    const connections = await connectionStates(db.read, now - DAY);
    return [
      ...(waiting > 0 ? [registrationsWait(waiting)] : []),
      ...(imported > 0 ? [hashesImported(imported)] : []),
      ...(await awayDirectories()).filter(({ target }) => isHere(target?.id)),
      ...connections.filter((one) => isHere(one.domain_id)).flatMap((one) => aboutConnection(one, now)),
    ];
  }

  async function ofService(caller: Caller): Promise<Attention[]> {
    // Whether somebody uses a second factor is for administrators (is_two_factor_auth_enabled), not for readers of the system.
    const administrators = isAdministrator(caller) ? await unprotectedAdministrators(db.read, MAX_ADMINISTRATORS) : [];
    const failed = Object.entries(await deps.queues()).flatMap(([kind, { failed: count }]) =>
      count > 0 ? [[kind, count] as const] : [],
    );
    const silent = await deps.silentReplicas();
    return [
      ...administrators.map(administratorWithoutFactor),
      ...(await deps.certificateEndings()).flatMap(({ use, days }) => aboutCertificate(use, days)),
      ...aboutPasswordFile(deps.dataDir),
      ...aboutBackup(deps.lastBackup(), clock.now()),
      ...(deps.hasBackupFailed() ? [backupFailed()] : []),
      ...(silent > 0 ? [replicasSilent(silent)] : []),
      ...failed.map(([queue, count]) => deliveriesFailed(queue, count)),
    ];
  }

  async function health() {
    const begun = performance.now();
    const isUp = await db.ping().then(
      () => true,
      () => false,
    );
    return {
      status: isUp ? 'ok' : 'unavailable',
      database: { status: isUp ? 'ok' : 'unavailable', latency_ms: Math.round(performance.now() - begun) },
    };
  }

  /** With a token for a domain: what concerns the domain. */
  return async (caller: Caller) => {
    const domainId = visibleDomain(caller);
    const { applications, ...others } = await countThings(db.lists, domainId);
    const counts = domainId === undefined ? { ...others, applications } : others;
    const attention = [...(domainId === undefined ? await ofService(caller) : []), ...(await ofDomain(domainId))];
    return {
      version,
      health: await health(),
      counts: Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [
          name,
          { count: Math.min(count, MAX_COUNT), is_exact: count <= MAX_COUNT },
        ]),
      ),
      attention: attention.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
    };
  };
}
