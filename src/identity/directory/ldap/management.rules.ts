// Looking after the directory of a domain: its state, reading it now, trying settings before they are stored.
import { isoTime } from '../../../platform/clock.ts';
import { notCounted } from '../../../platform/deadline.ts';
import { Throttle } from '../../../platform/limits/index.ts';
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { DomainSettingsModule, StoreRequest } from '../domain-settings/index.ts';
import { isDirectory } from './clients.ts';
import { countEntries, lastReading, lastSync } from './directories.store.ts';
import type { Readings } from './readings.ts';

/** Connections to addresses of the caller's choice are not for scanning a network. */
const TRIALS = { attempts: 20, perSeconds: 60 };

export interface DirectoryManagementDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly domainSettings: DomainSettingsModule;
  readonly freshLogin: FreshLogin;
  readonly rateLimits: boolean;
  readonly readings: Pick<Readings, 'readNow' | 'isReading'>;
}

type Texts = Readonly<Record<string, string | null>>;
/** The request that would store these settings. */
export type RequestOf = (caller: Caller, texts: Texts) => StoreRequest;

export function createDirectoryManagement(deps: DirectoryManagementDeps) {
  const { db, clock, change, domainSettings, freshLogin, readings } = deps;
  const throttle = new Throttle(deps.rateLimits ? TRIALS : undefined, clock);

  const requireDirectory = (domain: ProjectRow): void => {
    if (!isDirectory(domainSettings.ofDomain(domain))) fail('directory.none', { id: domain.id });
  };

  return {
    async show(domain: ProjectRow) {
      const { people, groups } = await countEntries(db.read, domain.id);
      const at = await lastSync(db.read, domain.id);
      const last = await lastReading(db.read, domain.id);
      const place = domainSettings.inForce(domain).places.get('identity.driver');
      return {
        connected: isDirectory(domainSettings.ofDomain(domain)),
        operated: place === 'domain_file',
        people,
        groups,
        last_read_at: at === undefined ? null : isoTime(at),
        reading: readings.isReading(domain.id),
        last_reading: last
          ? {
              began_at: isoTime(last.began_at),
              ended_at: isoTime(last.ended_at),
              failure: last.failure,
              people: last.users,
              groups: last.groups,
              left: last.closed,
            }
          : null,
      };
    },

    /** Begins, and does not wait. */
    async readNow(caller: Caller, domain: ProjectRow): Promise<void> {
      await freshLogin.requireInPerson(caller, 'identity:read_directory');
      requireDirectory(domain);
      throttle.take(caller.userId);
      await change(caller, async ({ audit }) => audit('domain.directory_read', { kind: 'domain', id: domain.id }));
      readings.readNow(domain.id);
    },

    async test(caller: Caller, domain: ProjectRow, texts: Texts, requestOf: RequestOf) {
      await freshLogin.requireInPerson(caller, 'identity:test_directory');
      const settings = await settingsFor(caller, domain, texts, requestOf);
      throttle.take(caller.userId);
      await change(caller, async ({ audit }) =>
        audit('domain.directory_tested', { kind: 'domain', id: domain.id }, { servers: settings.ldap.url }),
      );
      // The LDAP library is loaded only when there is a directory.
      const { tryDirectory } = await import('./trial.ts');
      return notCounted(() => tryDirectory(settings.ldap, clock.now()));
    },
  };

  /** As if they were stored and the directory connected. What the operator fixed is tried as it is. */
  async function settingsFor(caller: Caller, domain: ProjectRow, texts: Texts, requestOf: RequestOf) {
    const current = domainSettings.ofDomain(domain);
    if (isDirectory(current) && Object.keys(texts).length === 0) return current;
    return domainSettings.asIf(domain, requestOf(caller, { ...texts, 'identity.driver': 'ldap' }));
  }
}

export type DirectoryManagement = ReturnType<typeof createDirectoryManagement>;
