// What an administrator should look at, from facts that are read elsewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WARN_DAYS } from './certificates.rules.ts';
import type { QuietConnection } from './overview.store.ts';

const DAY = 86_400;
const QUIET_DAYS = 7;
const BACKUP_DAYS = 7;

/** A sentence for those who read no code of the kind. Pages have texts of their own. */
export interface Attention {
  readonly kind: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly target: { readonly type: string; readonly id: string; readonly name?: string } | null;
  readonly count?: number;
  readonly text: string;
}

export const administratorWithoutFactor = ({ id, name }: { id: string; name: string }): Attention => ({
  kind: 'administrator_without_factor',
  severity: 'warning',
  target: { type: 'user', id, name },
  text: 'This administrator has neither a second factor nor a passkey.',
});

export function aboutConnection(connection: QuietConnection & { created_at: number }, now: number): Attention[] {
  const { id, name, failures, last_used_at, created_at } = connection;
  const target = { type: 'scim_connection', id, name };
  const quietDays = Math.floor((now - (last_used_at ?? created_at)) / DAY);
  return [
    ...(failures > 0
      ? [
          {
            ...({ kind: 'scim_connection_fails', severity: 'warning', target, count: failures } as const),
            text: 'Requests of this provisioning connection were refused in the last day.',
          },
        ]
      : []),
    ...(quietDays >= QUIET_DAYS
      ? [
          {
            ...({ kind: 'scim_connection_quiet', severity: 'info', target, count: quietDays } as const),
            text: 'This provisioning connection has not been used for days.',
          },
        ]
      : []),
  ];
}

export const directoryAway = (domainId: string): Attention => ({
  kind: 'directory_away',
  severity: 'critical',
  target: { type: 'domain', id: domainId },
  text: 'The directory (LDAP) of this domain was not read for longer than three intervals.',
});

const CERTIFICATE_KINDS = {
  tls: ['certificate_expires', 'The TLS certificate expires soon.'],
  issuer: ['issuer_certificate_expires', 'The certificate of the issuer of credentials expires soon.'],
  verifier: ['verifier_certificate_expires', 'The certificate of requests to wallets expires soon.'],
} as const;

/** A certificate with which the service itself is known to others. */
export function aboutCertificate(use: keyof typeof CERTIFICATE_KINDS, days: number): Attention[] {
  if (days >= WARN_DAYS) return [];
  const [kind, text] = CERTIFICATE_KINDS[use];
  return [{ kind, severity: days < 7 ? 'critical' : 'warning', target: { type: 'certificate', id: use }, count: days, text }];
}

export function aboutPasswordFile(folder: string): Attention[] {
  if (!existsSync(join(folder, 'admin-password'))) return [];
  return [
    {
      kind: 'password_file',
      severity: 'warning',
      target: null,
      text: 'The file admin-password is still in the data folder. Read it and remove it.',
    },
  ];
}

/** Undefined when backups are made by other tools. */
export function aboutBackup(backup: { readonly madeAt: string } | null | undefined, nowMs: number): Attention[] {
  if (backup === undefined) return [];
  const days = backup === null ? undefined : Math.floor((nowMs - Date.parse(backup.madeAt)) / (DAY * 1000));
  if (days !== undefined && days < BACKUP_DAYS) return [];
  const text = days === undefined ? 'No backup was made with `gatehouse backup`.' : 'The last backup is old.';
  return [{ kind: 'no_backup', severity: 'warning', target: null, ...(days === undefined ? {} : { count: days }), text }];
}

/** Somebody has to decide. */
export const registrationsWait = (count: number): Attention => ({
  kind: 'registrations_wait',
  severity: 'warning',
  target: null,
  count,
  text: 'People registered and wait for approval.',
});

/** They log in once, and have one of ours. */
export const hashesImported = (count: number): Attention => ({
  kind: 'imported_hashes',
  severity: 'info',
  target: null,
  count,
  text: 'People still have the hash of the system that they came from.',
});

/** Processes that were there within the last hour. */
export const replicasSilent = (count: number): Attention => ({
  kind: 'replica_silent',
  severity: 'warning',
  target: null,
  count,
  text: 'Processes that use this database do not say any more that they are there: they were killed, hang, or do not reach it.',
});

export const backupFailed = (): Attention => ({
  kind: 'backup_failed',
  severity: 'critical',
  target: null,
  text: 'The last attempt at a backup failed. `gatehouse doctor` says why.',
});

/** Of messages that were given up. */
export const deliveriesFailed = (queue: string, count: number): Attention => ({
  kind: 'delivery_failed',
  severity: 'warning',
  target: { type: 'queue', id: queue },
  count,
  text: 'Messages could not be delivered and were given up.',
});
