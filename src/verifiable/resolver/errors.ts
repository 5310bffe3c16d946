export type ResolutionCode = 'notFound' | 'invalidDid' | 'methodNotSupported' | 'invalidDidDocument' | 'relationship' | 'failed';

/** Why a DID, or a key in its document, cannot be resolved. `cause` may contain hosts and addresses: only for the log. */
export class ResolutionError extends Error {
  readonly code: ResolutionCode;

  constructor(code: ResolutionCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ResolutionError';
    this.code = code;
  }
}

/** A key that is not accepted. */
export class InvalidKeyError extends Error {
  override name = 'InvalidKeyError';
}

/** Reads a key, and reports a key that is not accepted as an error of its source. */
export function withKeyFault<T>(code: ResolutionCode, subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new ResolutionError(code, `${subject}: ${error.message}`, { cause: error });
  }
}
