// Errors of outgoing calls. Their messages may be shown: they contain only the host that the caller named.

/** `blocked`: may not be called. `timeout`: took too long. `too-large`: the answer is too large. `failed`: everything else. */
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

/** Messages of underlying errors contain addresses, so only their code is repeated. The rest is in `cause`. */
export function outboundErrorOf(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return new OutboundError('failed', `calling ${host} failed`, { cause: error });
  if (TOO_LARGE.has(code)) return new OutboundError('too-large', `the answer of ${host} is too large`, { cause: error });
  return new OutboundError(code === 'ETIMEDOUT' ? 'timeout' : 'failed', `calling ${host} failed: ${code}`, { cause: error });
}
