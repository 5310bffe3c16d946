// Exchanges that wait for an issuer are gone on with by the node itself, also after a restart.
import { forEachConcurrently } from '../../platform/for-each-concurrently.ts';
import type { Log } from '../../platform/log/index.ts';
import type { ExchangeRow } from '../database.ts';
import type { Exchanges } from './exchanges.ts';

const BATCH = 100;
/** An issuer that answers slowly does not keep the others' credentials from coming. */
const AT_ONCE = 5;

/** Counts those it went on with. What goes wrong is in the log of the exchange. */
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
