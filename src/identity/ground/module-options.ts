// What the identity service is built from.

import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { ServiceSettings } from './service-settings/index.ts';
import type { IdentityConfig } from './settings/index.ts';

/** Replaces the master key while the service runs. */
export interface MasterKeyRotation {
  /** Returns the id of the new key when everything is sealed under it; undefined, and nothing is changed, if the file of the key is not the one in use. */
  rotate(reseal: () => Promise<number>): Promise<{ readonly id: string } | undefined>;
}

export interface AskedBackup {
  /** In milliseconds. */
  readonly startedAt: number;
  readonly outcome: 'running' | 'made' | 'failed';
  /** Why it failed, if that was noted. */
  readonly reason?: string | undefined;
}

export interface KeptBackup {
  /** Its name, without a folder. */
  readonly file: string;
  readonly madeAt: string;
  readonly bytes: number;
  /** Otherwise it is one of the schedule. */
  readonly isAsked: boolean;
}

/** Backups of the data folder (SQLite), by the process that has it. */
export interface DataBackups {
  /** Whether the operator has named a folder for them: without one, only those that are asked for are made. */
  readonly isScheduled: boolean;
  /** Begins one now, beside those on a schedule. False, and nothing is begun, while one is being made. */
  begin(): boolean;
  /** `asked`: the last that was asked for since this process started. */
  state(): { readonly isRunning: boolean; readonly asked: AskedBackup | undefined };
  /** Each was restored for a try before it got its name. */
  kept(): Promise<readonly KeptBackup[]>;
}

export interface ModuleOptions {
  readonly config: IdentityConfig;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal & { readonly keyId: string };
  /** Replaces the master key while the service runs; undefined if it is given by a setting. */
  readonly masterKey?: MasterKeyRotation | undefined;
  /** Undefined if other tools make them (PostgreSQL). */
  readonly backups?: DataBackups | undefined;
  readonly rateLimits: boolean;
  /** Whose header with the certificate of a client counts. */
  readonly trustedProxies: readonly string[];
  /** host[:port] that outgoing calls may reach even with plain http or at a private address. */
  readonly outboundAllow: readonly string[];
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly serviceSettings: ServiceSettings;
  /** The number of this process among the workers of its machine; undefined if it is the only one. */
  readonly worker?: number | undefined;
  /** A call to another service, for the metrics. */
  readonly onRequest: (kind: string, outcome: string) => void;
  /** The issuer in its OpenID tokens. Known once it listens. */
  issuer(): string;
}
