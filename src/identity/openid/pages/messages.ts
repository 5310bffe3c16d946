// What pages say about a refused form.
import { Fault } from '../../../platform/faults/index.ts';
import type { PageWords } from './words/index.ts';

/** The message for the person. `otherwise`: for a wrong password, code or passkey. Rethrows unexpected errors. */
export function messageFor(words: PageWords, error: unknown, otherwise: string): string {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429) return words.tooMany(Number(error.headers['Retry-After'] ?? 60));
  if (error.status === 503) return words.busy;
  if (error.status >= 500) throw error;
  return error.code === 'auth.required' ? otherwise : error.message;
}
