export type ResolutionCode = 'notFound' | 'invalidDid' | 'methodNotSupported' | 'invalidDidDocument' | 'relationship' | 'failed';

/** Why a DID, or a key in its document, is not to be had. `cause` may name hosts and addresses: for the log, not for callers. */
export class ResolutionError extends Error {
  readonly code: ResolutionCode;

  constructor(code: ResolutionCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ResolutionError';
    this.code = code;
  }
}

/** A key that we do not take, wherever it was found. */
export class InvalidKeyError extends Error {
  override name = 'InvalidKeyError';
}

/** Runs what reads a key; a key we do not take is then the fault of where it was found. */
export function withKeyFault<T>(code: ResolutionCode, subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new ResolutionError(code, `${subject}: ${error.message}`, { cause: error });
  }
}
