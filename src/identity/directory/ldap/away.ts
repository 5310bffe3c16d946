// The fault for a directory that does not answer.
import type { Fault } from '../../../platform/faults/index.ts';
import { fault } from '../../ground/faults.ts';

export const away = (domainId: string, cause: unknown): Fault =>
  fault('directory.unavailable', undefined, {
    headers: { 'Retry-After': '5' },
    reason: `directory of ${domainId}: ${cause instanceof Error ? cause.message.split('\n')[0] : 'no answer'}`,
  });
