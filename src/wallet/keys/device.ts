// Turns errors of a key device into faults of their own, so that callers know they can try again.
import { Fault } from '../../platform/faults/index.ts';
import { fault } from '../ground/faults.ts';
import type { KeyStore } from './key-store.ts';
import { CKR, isCode } from './pkcs11/constants.ts';

/** Error codes of tokens for a curve they do not support. */
const CURVE_UNSUPPORTED = [
  CKR.ATTRIBUTE_VALUE_INVALID,
  CKR.TEMPLATE_INCONSISTENT,
  CKR.DOMAIN_PARAMS_INVALID,
  CKR.CURVE_NOT_SUPPORTED,
] as const;

const asFault = (error: unknown): unknown =>
  error instanceof Fault ? error : fault('key-store-unavailable', undefined, { reason: (error as Error).message });

export function withDeviceFaults(store: KeyStore): KeyStore {
  const answered = <T>(work: Promise<T>): Promise<T> => work.catch((error: unknown) => Promise.reject(asFault(error)));
  return {
    ...store,
    generate: (algorithm, identity) =>
      answered(
        store.generate(algorithm, identity).catch((error: unknown) => {
          if (isCode(error, ...CURVE_UNSUPPORTED)) throw fault('unsupported-algorithm', { algorithm, why: ' by this device' });
          throw error;
        }),
      ),
    sign: (...args) => answered(store.sign(...args)),
    destroy: (...args) => answered(store.destroy(...args)),
  };
}
