// Why answers may differ.
import type { Difference } from './compare.ts';

export interface Reason {
  readonly kind: Difference['kind'];
  /** Of `at keystone -> ours`. */
  readonly difference: RegExp;
  /** Of `METHOD path as persona body`, with names for ids. All requests if absent. */
  readonly request?: RegExp;
  readonly why: string;
  /** On every answer: answers that differ in nothing else count as the same. */
  readonly everywhere?: true;
}
