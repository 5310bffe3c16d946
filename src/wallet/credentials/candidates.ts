// Credentials that may match a verifier's query.

import type { FormatName } from '../../verifiable/formats/index.ts';
import { type Caller, readAs } from '../access/index.ts';
import type { CredentialRow } from '../ground/database.ts';
import { type CredentialContent, openContent, tryOpen } from './credential-content.ts';
import { type CandidateFilter, candidateRows } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';

const CHUNK = 20;

/** A decrypted credential that may match a verifier's query. */
export interface CredentialCandidate {
  readonly row: CredentialRow;
  readonly content: CredentialContent;
  readonly format: FormatName;
  readonly authorityKeyIds: readonly string[];
}

export async function* candidates(
  { db, seal }: Pick<StoredCredentialDeps, 'db' | 'seal'>,
  { owner }: Caller,
  filter: CandidateFilter,
): AsyncGenerator<CredentialCandidate> {
  for (let before: string | undefined; ; ) {
    const rows = await readAs(db, owner, (reader) => candidateRows(reader, owner, filter, before, CHUNK));
    for (const row of rows) {
      const content = tryOpen(() => openContent(seal, row));
      // Damaged credentials are skipped.
      if (content) yield { row, content, format: row.format as FormatName, authorityKeyIds: content.authorityKeyIds ?? [] };
    }
    if (rows.length < CHUNK) return;
    before = rows.at(-1)!.id;
  }
}
