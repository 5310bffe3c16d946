// Credentials that may answer a verifier: looked up, opened, and asked whether they still hold.
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Caller, ownerTag, readAs } from '../access/index.ts';
import type { Change, CredentialRow, Database } from '../database.ts';
import type { Dids } from '../dids/index.ts';
import type { FormatName } from '../formats/index.ts';
import type { Keys } from '../keys/index.ts';
import type { Status, StatusReference } from '../status/index.ts';
import type { SetAside } from './copies.ts';
import { nextCopy } from './copies.ts';
import { type Held, ifWhole, openHeld } from './held.ts';
import { type CandidateFilter, candidateRows, writeStatus } from './keeping.store.ts';

const CHUNK = 20;
/** How old a status may be when a credential is shown. */
const STATUS_MS = 5 * 60_000;
/** Nobody waits longer for lists that were asked for again. */
const REFRESH_MS = 15_000;

export interface KeepingDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly keys: Keys;
  readonly dids: Pick<Dids, 'has'>;
  readonly status: Status;
  readonly change: (caller: Caller, owner: string, work: (inside: Change) => Promise<void>) => Promise<void>;
  readonly aside: SetAside;
}

/** A credential that may answer a verifier, opened. */
export interface Candidate {
  readonly row: CredentialRow;
  readonly held: Held;
  readonly format: FormatName;
  readonly authorityKeyIds: readonly string[];
}

export async function* candidates(
  { db, seal }: Pick<KeepingDeps, 'db' | 'seal'>,
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

/** Who may say what became of it: its issuer, or somebody of the same authority. */
const signerOf = ({ issuer, authorityKeyIds }: Held) => ({
  issuer: issuer.id,
  ...(authorityKeyIds ? { authorityKeyIds } : {}),
});

/** Writes down what a list says. Not knowing changes nothing. */
async function noteStatus({ clock, change }: KeepingDeps, row: CredentialRow, found: string): Promise<string> {
  if (found === 'unknown') return row.status;
  const caller = { userId: row.owner, owner: row.owner, requestId: null, isAdministrator: false };
  await change(caller, row.owner, async ({ tx, audit, touch }) => {
    await writeStatus(tx, row.owner, row.id, found, clock.now());
    if (found !== row.status) audit('credential.status', { kind: 'credential', id: row.id }, { status: found });
    else audit('credential.checked', { kind: 'credential', id: row.id });
    touch(ownerTag(row.owner));
  });
  return found;
}

/** Of one that can be shown: within its time, not withdrawn as far as is known, and with a key that may still sign for it. */
export async function standingOf(deps: KeepingDeps, { row, held }: Candidate): Promise<'valid' | 'unknown' | undefined> {
  const now = deps.clock.now();
  if ((row.valid_until !== null && row.valid_until <= now) || (row.valid_from !== null && row.valid_from > now)) return undefined;
  const next = await nextCopy(deps, row);
  if (!next) return undefined;
  const reference = next.content.status;
  if (!reference) return 'valid';
  const isFresh = row.status_checked_at !== null && now - row.status_checked_at < STATUS_MS;
  const found = isFresh ? row.status : await noteStatus(deps, row, await deps.status.of(reference, signerOf(held)));
  return found === 'valid' || found === 'unknown' ? found : undefined;
}

/** Lists read again, whatever they were a moment ago. */
export async function refreshStatus(deps: KeepingDeps, rows: readonly CredentialRow[]): Promise<void> {
  const looks: ({ row: CredentialRow; reference: StatusReference } & ReturnType<typeof signerOf>)[] = [];
  for (const row of rows) {
    const next = await nextCopy(deps, row);
    const look = ifWhole(() => ({ reference: next?.content.status, ...signerOf(openHeld(deps.seal, row)) }));
    if (look?.reference) looks.push({ row, ...look, reference: look.reference });
  }
  const found = await deps.status.ofAll(looks, { fresh: true, deadlineMs: REFRESH_MS });
  for (const [at, { row }] of looks.entries()) await noteStatus(deps, row, found[at]!);
}
