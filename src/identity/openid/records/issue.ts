// Tokens for what a request has found: a code, a refresh token, or the application itself.
import { isForeignKeyViolation } from '../../../platform/database/index.ts';
import { hashOf, hashOfSession } from '../../ground/resource/index.ts';
import { boundRowOf } from './save.ts';
import type { RecordToSave, SaveDeps } from './save-deps.ts';
import type { Together } from './together.ts';

export interface TokensToIssue {
  /** What is used up for them, once. */
  readonly uses: { readonly model: string; readonly id: string } | undefined;
  /** Under ids that nobody had before: no cache can know of them. */
  readonly saved: readonly Omit<RecordToSave, 'once' | 'copyOf'>[];
}

/** `used`: by another request. `gone`: the person or the application was deleted in the meantime. In both cases nothing is stored. */
export type Issued = 'issued' | 'used' | 'gone';

/** The session in which an application goes on. */
function sessionOf({ saved }: TokensToIssue): string | undefined {
  const uid = saved.find(({ model }) => model === 'RefreshToken')?.payload.sessionUid;
  return typeof uid === 'string' ? hashOfSession(uid) : undefined;
}

export async function issueTokens(
  deps: SaveDeps & { readonly together: Pick<Together, 'issue'> },
  tokens: TokensToIssue,
): Promise<Issued> {
  const { uses, saved } = tokens;
  try {
    const isIssued = await deps.together.issue({
      uses: uses && hashOf(uses.model, uses.id),
      rows: saved.map((one) => boundRowOf(deps, { ...one, once: false })),
      session: sessionOf(tokens),
    });
    return isIssued ? 'issued' : 'used';
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return 'gone';
  }
}
