// What goes wrong with an outgoing call, in words that may be shown: they name the host the caller named, and nothing else.

/** `blocked`: may not be called. `timeout`: took too long. `too-large`: answered too much. `failed`: everything else. */
export type OutboundErrorKind = 'blocked' | 'timeout' | 'too-large' | 'failed';

export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const TOO_LARGE = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW']);

/** Texts of lower errors hold addresses, so of those only the code is repeated; the rest is in `cause`. */
export function outboundErrorOf(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return new OutboundError('failed', `calling ${host} failed`, { cause: error });
  if (TOO_LARGE.has(code)) return new OutboundError('too-large', `the answer of ${host} is too large`, { cause: error });
  return new OutboundError(code === 'ETIMEDOUT' ? 'timeout' : 'failed', `calling ${host} failed: ${code}`, { cause: error });
}
