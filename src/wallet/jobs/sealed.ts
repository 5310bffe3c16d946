// Every column of this service with sealed secrets. A secret is bound to its owner and row.
import type { SealedColumn, SealedRow } from '../../platform/sealed/index.ts';
import { credentialSealContext, instanceSealContext } from '../credentials/index.ts';
import { exchangeSealContext, summarySealContext } from '../exchanges/index.ts';
import { dataKeySealContext } from '../keys/index.ts';
import { sessionSealContext } from '../session/index.ts';

/** A row with its owner and id. */
type OwnedRow = { readonly owner: string; readonly id: string };

const column = (table: string, name: string, context: (row: OwnedRow) => string): SealedColumn => ({
  table,
  key: 'id',
  column: name,
  needs: ['owner'],
  context: (row: SealedRow) => context(row as OwnedRow),
});

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  column('keys', 'wrapped_key', ({ owner, id }) => dataKeySealContext({ owner, keyId: id })),
  column('credentials', 'sealed', credentialSealContext),
  column('credential_instances', 'sealed', instanceSealContext),
  column('exchanges', 'sealed', exchangeSealContext),
  column('exchanges', 'summary', summarySealContext),
  { table: 'sessions', key: 'id_hash', column: 'sealed', context: (row) => sessionSealContext(row.id_hash!) },
];
