// Held credentials as issuance and presentation use them: stored when they are received, chosen when a verifier asks, used up when
// they are shown.
import { newUlid } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { Change, CredentialRow } from '../database.ts';
import { type Candidate, candidates } from './candidates.ts';
import { type Copy, peek, putBack, setAside, take } from './copies.ts';
import type { CandidateFilter } from './credentials.store.ts';
import type { HeldDeps } from './deps.ts';
import { type ReceivedCredential, storeReceived } from './received.ts';
import { refreshStatus, standingOf } from './standing.ts';

export function createHeldCredentials(given: Omit<HeldDeps, 'reserved'>) {
  const deps: HeldDeps = { ...given, reserved: new Map() };
  return {
    newId: () => `cred_${newUlid(deps.clock.now())}`,
    store: (transaction: Change, owner: string, received: ReceivedCredential) =>
      storeReceived(deps, transaction, owner, received),
    candidates: (caller: Caller, filter: CandidateFilter) => candidates(deps, caller, filter),
    standingOf: (candidate: Candidate) => standingOf(deps, candidate),
    peek: (candidate: Candidate) => peek(deps, candidate),
    setAside: (candidate: Candidate) => setAside(deps, candidate),
    putBack: (copy: Pick<Copy, 'id'>) => putBack(deps, copy),
    take: (transaction: Change, candidate: Candidate, copy: Copy) => take(deps, transaction, candidate, copy),
    refreshStatus: (rows: readonly CredentialRow[]) => refreshStatus(deps, rows),
  };
}

export type HeldCredentials = ReturnType<typeof createHeldCredentials>;
