// The inviter, with the rights that they have now.
import type { Access, Scope } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { InvitationRow, Tx } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';

export const scopeText = (scope: Scope): string => JSON.stringify(scope);

/**
 * Read in the transaction that gives something on their behalf. Undefined if they were deleted or disabled, or have no role in the scope
 * in which they sent the invitation.
 */
export async function inviterOf(
  access: Pick<Access, 'readIn'>,
  tx: Tx,
  { inviter_id: userId, inviter_scope }: InvitationRow,
  requestId: string,
): Promise<Caller | undefined> {
  const scope = parseJson<Scope>(inviter_scope);
  const authContext = await access.readIn(tx, userId, scope);
  if (!authContext) return undefined;
  // There is no token. Rules look at the methods only: applications that act for a person cannot invite.
  const token = {
    userId,
    methods: [],
    scope,
    issuedAt: 0,
    expiresAt: 0,
    generation: authContext.generation,
    auditId: '',
    parentAuditId: undefined,
  };
  return { userId, requestId, token, tokenText: '', authContext };
}
