// Whether a credential can be shown, including its status list.

import type { StatusReference } from '../../verifiable/status/index.ts';
import { ownerTag } from '../access/index.ts';
import type { CredentialRow } from '../ground/database.ts';
import type { CredentialCandidate } from './candidates.ts';
import { nextCopy } from './copies.ts';
import { type CredentialContent, openContent, tryOpen } from './credential-content.ts';
import { writeStatus } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';

/** How old a status may be when a credential is shown. */
const STATUS_MS = 5 * 60_000;
/** The maximum time to wait for refreshed lists. */
const REFRESH_MS = 15_000;

type StatusDeps = Pick<StoredCredentialDeps, 'db' | 'clock' | 'seal' | 'status' | 'change' | 'reserved'>;

/** Who may sign its status list: its issuer, or a signer under the same authority. */
const signerOf = ({ issuer, authorityKeyIds }: CredentialContent) => ({
  issuer: issuer.id,
  ...(authorityKeyIds ? { authorityKeyIds } : {}),
});

/** Stores the status. An unknown status changes nothing. */
async function recordStatus(
  { clock, change }: Pick<StatusDeps, 'clock' | 'change'>,
  row: CredentialRow,
  found: string,
): Promise<string> {
  if (found === 'unknown') return row.status;
  const caller = { userId: row.owner, owner: row.owner, requestId: null, isAdministrator: false };
  await change(caller, row.owner, async ({ tx, audit, invalidate }) => {
    await writeStatus(tx, row.owner, row.id, found, clock.now());
    if (found !== row.status) audit('credential.status', { kind: 'credential', id: row.id }, { status: found });
    else audit('credential.checked', { kind: 'credential', id: row.id });
    invalidate(ownerTag(row.owner));
  });
  return found;
}

/** The status of a credential that can be shown: valid now, not known to be revoked, and with a usable key. Undefined for others. */
export async function presentationStatusOf(
  deps: StatusDeps,
  { row, content }: CredentialCandidate,
): Promise<'valid' | 'unknown' | undefined> {
  const now = deps.clock.now();
  if ((row.valid_until !== null && row.valid_until <= now) || (row.valid_from !== null && row.valid_from > now)) return undefined;
  const next = await nextCopy(deps, row);
  if (!next) return undefined;
  const reference = next.content.status;
  if (!reference) return 'valid';
  const isFresh = row.status_checked_at !== null && now - row.status_checked_at < STATUS_MS;
  const found = isFresh ? row.status : await recordStatus(deps, row, await deps.status.of(reference, signerOf(content)));
  return found === 'valid' || found === 'unknown' ? found : undefined;
}

/** Fetches the status lists again, bypassing the cache. */
export async function refreshStatus(deps: StatusDeps, rows: readonly CredentialRow[]): Promise<void> {
  const looks: ({ row: CredentialRow; reference: StatusReference } & ReturnType<typeof signerOf>)[] = [];
  for (const row of rows) {
    const next = await nextCopy(deps, row);
    const look = tryOpen(() => ({ reference: next?.content.status, ...signerOf(openContent(deps.seal, row)) }));
    if (look?.reference) looks.push({ row, ...look, reference: look.reference });
  }
  const found = await deps.status.ofAll(looks, { fresh: true, deadlineMs: REFRESH_MS });
  for (const [at, { row }] of looks.entries()) await recordStatus(deps, row, found[at]!);
}
