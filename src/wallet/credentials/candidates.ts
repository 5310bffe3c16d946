// Credentials that may answer a verifier.
import { type Caller, readAs } from '../access/index.ts';
import type { CredentialRow } from '../database.ts';
import type { FormatName } from '../formats/index.ts';
import { type CandidateFilter, candidateRows } from './credentials.store.ts';
import type { HeldDeps } from './deps.ts';
import { type Held, ifWhole, openHeld } from './held.ts';

const CHUNK = 20;

/** A credential that may answer a verifier, opened. */
export interface Candidate {
  readonly row: CredentialRow;
  readonly held: Held;
  readonly format: FormatName;
  readonly authorityKeyIds: readonly string[];
}

export async function* candidates(
  { db, seal }: Pick<HeldDeps, 'db' | 'seal'>,
  { owner }: Caller,
  filter: CandidateFilter,
): AsyncGenerator<Candidate> {
  for (let before: string | undefined; ; ) {
    const rows = await readAs(db, owner, (reader) => candidateRows(reader, owner, filter, before, CHUNK));
    for (const row of rows) {
      const held = ifWhole(() => openHeld(seal, row));
      // One that is damaged answers nothing, and keeps no other from answering.
      if (held) yield { row, held, format: row.format as FormatName, authorityKeyIds: held.authorityKeyIds ?? [] };
    }
    if (rows.length < CHUNK) return;
    before = rows.at(-1)!.id;
  }
}
