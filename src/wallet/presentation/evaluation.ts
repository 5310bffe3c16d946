// Evaluates a request before credentials are selected: query, transaction data, and encryption of the answer.
import { fail } from '../ground/faults.ts';
import { answerKeyOf } from './answer.ts';
import type { EvaluatedRequest, PresentationDeps } from './data.ts';
import type { Verifier } from './presentation.schema.ts';
import { parseQuery } from './query.ts';
import type { VerifierRequest } from './request.ts';
import { readTransactionData } from './transaction-data.ts';
import { createVerifierFormats } from './vp-formats.ts';

export async function evaluateRequest(
  { formats, storedCredentials, rules }: Pick<PresentationDeps, 'formats' | 'storedCredentials' | 'rules'>,
  request: VerifierRequest,
  verifier: Verifier,
): Promise<EvaluatedRequest> {
  const { resolved } = request;
  if (!resolved.dcql) fail('invalid-presentation-request', { why: 'it does not ask with DCQL' });
  const query = await parseQuery(resolved.dcql.query);
  return {
    request,
    verifier,
    query,
    transactionData: readTransactionData(
      resolved.authorizationRequestPayload as Record<string, unknown>,
      rules.transactionDataTypes,
      query.credentials.map(({ id }) => id),
    ),
    key: await answerKeyOf(request),
    verifierFormats: createVerifierFormats({ formats, storedCredentials })(request),
  };
}
