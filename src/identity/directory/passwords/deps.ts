// What the rules of passwords need.
import type { Gate } from '../../../platform/limits/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { DomainSettings } from '../domain-settings/index.ts';
import type { Hashing } from './hashing.ts';
import type { Pauses } from './pauses.ts';
import type { StandIns } from './stand-in.ts';

export type PasswordRules = DomainSettings['passwords'];
export type LockOutRules = DomainSettings['lock_out'];

/** When wrong passwords lock somebody out, which each domain may have for itself. */
export interface LockOuts {
  /** In no domain that exists: as the service has it. */
  of(domainId: string | undefined, reader?: Reader): Promise<LockOutRules>;
  /** Whether anybody can be locked out, in whatever domain. */
  exist(): boolean;
  /** The rules of the service, and the domains with others. */
  all(): Promise<{ readonly service: LockOutRules; readonly own: ReadonlyMap<string, LockOutRules> }>;
}

export type PasswordDeps = Pick<Deps, 'db' | 'change' | 'clock' | 'config'> & {
  readonly notify: Notify;
  /** The rules of passwords of a domain. */
  rulesOf(domainId: string): Promise<PasswordRules>;
  readonly lockOuts: LockOuts;
  readonly gate: Gate;
  readonly hashing: Hashing;
  readonly pauses: Pauses;
  readonly standIns: StandIns;
  /** Lock-outs since the start. */
  readonly counts: { lockouts: number };
};
