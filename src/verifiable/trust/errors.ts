// Why a certificate chain is not accepted.
export class ChainError extends Error {}
