// What the rules of passwords need.
import type { Gate } from '../../../platform/limits/index.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { DomainSettings } from '../domain-settings/index.ts';
import type { Hashing } from './hashing.ts';
import type { Pauses } from './pauses.ts';

export type PasswordRules = DomainSettings['passwords'];

export type PasswordDeps = Pick<Deps, 'db' | 'change' | 'clock' | 'config'> & {
  readonly notify: Notify;
  /** The rules of passwords of a domain. */
  rulesOf(domainId: string): Promise<PasswordRules>;
  readonly gate: Gate;
  readonly hashing: Hashing;
  readonly pauses: Pauses;
  /** Lock-outs since the start. */
  readonly counts: { lockouts: number };
};
