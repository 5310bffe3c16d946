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

export interface ModuleOptions {
  readonly config: IdentityConfig;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal & { readonly keyId: string };
  /** Replaces the master key while the service runs; undefined if it is given by a setting. */
  readonly masterKey?: MasterKeyRotation | undefined;
  readonly rateLimits: boolean;
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
