// Background job: continues exchanges that wait for an issuer, also after a restart.
import { forEachConcurrently } from '../../platform/for-each-concurrently.ts';
import type { Log } from '../../platform/log/index.ts';
import type { ExchangeRow } from '../ground/database.ts';
import type { Exchanges } from './exchanges.ts';

const BATCH = 100;
/** Several at the same time, so that a slow issuer does not block the others. */
const AT_ONCE = 5;

/** Returns how many were due. Errors are recorded in the steps of the exchange. */
export async function continueExchanges(
  exchanges: Exchanges,
  issuance: () => Promise<{ poll(row: ExchangeRow): Promise<void> }>,
  log: Log,
): Promise<number> {
  const due = await exchanges.due(BATCH);
  if (due.length === 0) return 0;
  const { poll } = await issuance();
  await forEachConcurrently(AT_ONCE, due, (row) =>
    poll(row).catch((error: unknown) => log.info({ exchange: row.id, err: error }, 'a waiting exchange could not be continued')),
  );
  return due.length;
}
