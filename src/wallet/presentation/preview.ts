// What would be shown, and what the verifier would learn from it, for people who look before they answer.
import { type Asked, type PresentationDeps, type Running, selectionOf } from './data.ts';
import type { Told } from './disclosed.ts';
import { createPauses } from './pauses.ts';
import type { PresentationAnswer, PresentationRequest } from './presentation.schema.ts';
import { chooseQueries, isRequired, type QueryMatches } from './query.ts';
import { createVpTokens } from './vp-token.ts';

/** Paths a preview names before it leaves matches out. */
const MAX_TOLD = 20_000;

type Previewing = Pick<PresentationDeps, 'clock' | 'exchanges' | 'formats' | 'heldCredentials' | 'matching'>;

interface Foreseen {
  readonly credentialId: string;
  readonly disclosed: Told;
}

/** One match for each query, others while there is room. */
async function foreseen(deps: Previewing, asked: Asked, results: readonly QueryMatches[]): Promise<Foreseen[][]> {
  const { disclosedIn } = createVpTokens(deps);
  const pause = createPauses();
  const seen: Foreseen[][] = [];
  let told = 0;
  for (const { matches } of results) {
    const own: Foreseen[] = [];
    for (const match of matches) {
      if (told > MAX_TOLD && own.length > 0) break;
      await pause();
      const disclosed = await disclosedIn(asked, match);
      told += disclosed.length;
      own.push({ credentialId: match.candidate.row.id, disclosed });
    }
    seen.push(own);
  }
  return seen;
}

export async function previewPresentation(
  deps: Previewing,
  exchange: Running,
  asked: Asked,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  const { exchanges, matching } = deps;
  const { query, verifier, transactionData, understood } = asked;
  const results = await matching.match(exchange.caller, query, selectionOf(body), false, understood);
  const seen = await foreseen(deps, asked, results);
  exchange.data = { ...exchange.data, isPreviewed: true };
  exchanges.step(exchange, 'preview shown');
  await exchanges.release(exchange);
  return {
    status: 'preview',
    exchangeId: exchange.id,
    verifier,
    query: results.map(({ id, format, claims }, at) => ({
      id,
      format,
      required: isRequired(query, id),
      claims: claims.map((path) => [...path]),
      matches: seen[at]!,
    })),
    ...(transactionData ? { transactionData: [...transactionData.shown] } : {}),
    satisfiable: chooseQueries(query, results, []) !== undefined,
  };
}
