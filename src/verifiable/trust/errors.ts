// Why a certificate chain, or a signer, is not accepted.
export class ChainError extends Error {}

/** `untrusted`: neither listed nor under an anchor. `unreachable`: no key could be fetched. `mismatch`: the key is not the signer's. */
export class TrustError extends Error {
  readonly code: 'untrusted' | 'unreachable' | 'mismatch';
  constructor(code: TrustError['code'], why: string, cause?: unknown) {
    super(why, { cause });
    this.code = code;
  }
}
