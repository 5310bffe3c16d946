// The token by which somebody changed their second factor stays good, though the change ended all tokens of the person.

export interface KeptToken {
  readonly auditId: string;
  /** How many epochs of the person are later than the token. */
  readonly lag: number;
}

interface TokenLineage {
  readonly auditId: string;
  readonly parentAuditId: string | undefined;
  readonly generation: number;
}

/** Whether nothing has ended the token since it was issued. `now`: the context of its user. */
export const isCurrent = (
  { auditId, generation }: Omit<TokenLineage, 'parentAuditId'>,
  now: { readonly generation: number; readonly keptToken?: KeptToken | undefined },
): boolean => now.generation - generation === (now.keptToken?.auditId === auditId ? now.keptToken.lag : 0);

/** A token that is to be kept. */
export interface TokenToKeep extends KeptToken {
  /** The token, or the session of a browser, from which it was made. */
  readonly madeFrom: string | undefined;
}

/** How to keep a token when a change ends all others of its user: that adds one epoch. */
export const keptBy = (token: TokenLineage, now: { readonly generation: number }): TokenToKeep => ({
  auditId: token.auditId,
  madeFrom: token.parentAuditId,
  lag: now.generation - token.generation + 1,
});
