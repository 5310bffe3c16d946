// Why certificates prove nothing.
export class ChainError extends Error {}
