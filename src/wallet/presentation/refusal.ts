// Error responses to the verifier: the user rejected the request, or it is invalid (OID4VP, 8.5).
import { Fault } from '../../platform/faults/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { sendRefusal } from './answer.ts';
import { concludeExchange } from './conclusion.ts';
import type { PresentationDeps, PresentationExchange } from './data.ts';
import type { PresentationAnswer, Verifier } from './presentation.schema.ts';
import type { VerifierRequest } from './request.ts';

/** The error code of the protocol by our fault code. */
const WORDS: Readonly<Record<string, string>> = {
  'no-matching-credential': 'access_denied',
  'unsupported-transaction-data': 'invalid_transaction_data',
  'invalid-presentation-request': 'invalid_request',
};

export const protocolErrorOf = ({ code, detail }: Fault): string | undefined =>
  Object.hasOwn(WORDS, code)
    ? ((detail as { protocol?: { error?: string } } | undefined)?.protocol?.error ?? WORDS[code])
    : undefined;

/** Use it only after the verifier is authenticated, when response_uri is known to belong to it. */
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
  // Saved first, so that a worker that lost its claim does not reject what another one answers.
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
