// What a verifier asks for, read before anything is chosen: its query, what it wants confirmed, how the answer is encrypted.
import { fail } from '../faults.ts';
import { answerKeyOf } from './answer.ts';
import type { Asked, PresentationDeps } from './data.ts';
import type { Verifier } from './presentation.schema.ts';
import { parseQuery } from './query.ts';
import type { Opened } from './request.ts';
import { readTransactionData } from './transaction-data.ts';
import { createUnderstood } from './vp-formats.ts';

export async function evaluateRequest(
  { formats, heldCredentials, rules }: Pick<PresentationDeps, 'formats' | 'heldCredentials' | 'rules'>,
  opened: Opened,
  verifier: Verifier,
): Promise<Asked> {
  const { resolved } = opened;
  if (!resolved.dcql) fail('invalid-presentation-request', { why: 'it does not ask with DCQL' });
  const query = await parseQuery(resolved.dcql.query);
  return {
    opened,
    verifier,
    query,
    transactionData: readTransactionData(
      resolved.authorizationRequestPayload as Record<string, unknown>,
      rules.transactionDataTypes,
      query.credentials.map(({ id }) => id),
    ),
    key: await answerKeyOf(opened),
    understood: createUnderstood({ formats, heldCredentials })(opened),
  };
}
