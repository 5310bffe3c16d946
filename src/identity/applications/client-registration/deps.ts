// What the rules of self-registration need.
import type { Gate, Throttle } from '../../../platform/limits/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Consumers } from '../consumers/index.ts';

export interface ClientRegistrationDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly consumers: Consumers;
  readonly domainSettings: Pick<DomainSettingsOf, 'of' | 'ofUser' | 'defaults' | 'domains'>;
  readonly gate: Gate;
  /** Limits registrations without a token, by address. */
  readonly registrations: Throttle;
}

/** Registrations without a token, from one address. */
export const REGISTRATIONS_LIMIT = { attempts: 20, perSeconds: 3600 };

/** Where a request comes from, for limits and audit events. */
export interface Stranger {
  readonly address: string;
  readonly requestId: string;
  readonly userAgent: string;
  readonly authorization: string | undefined;
}
