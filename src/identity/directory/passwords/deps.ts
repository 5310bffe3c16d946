// What the rules of passwords need.
import type { Gate } from '../../../platform/limits/index.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Hashing } from './hashing.ts';
import type { Pauses } from './pauses.ts';

export type PasswordDeps = Pick<Deps, 'db' | 'change' | 'clock' | 'config'> & {
  readonly notify: Notify;
  readonly gate: Gate;
  readonly hashing: Hashing;
  readonly pauses: Pauses;
  /** Lock-outs since the start. */
  readonly counts: { lockouts: number };
};
