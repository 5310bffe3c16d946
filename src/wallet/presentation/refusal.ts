// The verifier is told that nothing is shown: because the person says so, or because its request is wrong (OID4VP, 8.5).
import { Fault } from '../../platform/faults/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { sendRefusal } from './answer.ts';
import { concludeExchange } from './conclusion.ts';
import type { PresentationDeps, PresentationExchange } from './data.ts';
import type { PresentationAnswer, Verifier } from './presentation.schema.ts';
import type { VerifierRequest } from './request.ts';

/** What a refusal of ours is called in the protocol. */
const WORDS: Readonly<Record<string, string>> = {
  'no-matching-credential': 'access_denied',
  'unsupported-transaction-data': 'invalid_transaction_data',
  'invalid-presentation-request': 'invalid_request',
};

export const protocolErrorOf = ({ code, detail }: Fault): string | undefined =>
  Object.hasOwn(WORDS, code)
    ? ((detail as { protocol?: { error?: string } } | undefined)?.protocol?.error ?? WORDS[code])
    : undefined;

/** Only when it is known that the answer's address is the verifier's: it may be told what is wrong. */
export async function reportErrorsToVerifier<T>(
  outbound: Outbound,
  request: VerifierRequest,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const word = error instanceof Fault ? protocolErrorOf(error) : undefined;
    if (word !== undefined) await sendRefusal(outbound, request, word);
    throw error;
  }
}

export async function rejectRequest(
  deps: Pick<PresentationDeps, 'change' | 'exchanges' | 'outbound'>,
  exchange: PresentationExchange,
  request: VerifierRequest,
  verifier: Verifier,
): Promise<PresentationAnswer> {
  const { exchanges, outbound } = deps;
  // Written down first, as an answer is: whoever lost the exchange to another does not refuse what that one answers.
  exchange.state = 'answering';
  await exchanges.save(exchange);
  const redirectUri = await sendRefusal(outbound, request, 'access_denied');
  exchanges.step(exchange, 'rejected');
  return concludeExchange(deps, exchange, {
    status: 'rejected',
    exchangeId: exchange.id,
    verifier,
    ...(redirectUri === undefined ? {} : { redirectUri }),
  });
}
