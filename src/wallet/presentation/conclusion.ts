// Ends an exchange after the answer was sent.
import type { PresentationDeps, PresentationExchange } from './data.ts';
import type { PresentationAnswer } from './presentation.schema.ts';

export async function concludeExchange(
  { change, exchanges }: Pick<PresentationDeps, 'change' | 'exchanges'>,
  exchange: PresentationExchange,
  answer: PresentationAnswer & { status: 'submitted' | 'rejected' },
): Promise<PresentationAnswer> {
  const { uri, question } = exchange.data;
  exchange.data = { uri, question, answer };
  await change(exchange.caller, exchange.owner, (transaction) =>
    exchanges.end(exchange, answer.status, transaction, { keep: true }),
  );
  return answer;
}
