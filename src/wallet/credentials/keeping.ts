// Credentials kept, looked up and used up: what receiving and showing need of the store.
import { newUlid } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { Change, CredentialRow } from '../database.ts';
import { type Candidate, candidates, type KeepingDeps, refreshStatus, standingOf } from './candidates.ts';
import { type Copy, peek, putBack, setAside, take } from './copies.ts';
import type { CandidateFilter } from './keeping.store.ts';
import { keep, type Received } from './receiving.ts';

export function createKeeping(given: Omit<KeepingDeps, 'aside'>) {
  const deps: KeepingDeps = { ...given, aside: new Map() };
  return {
    newId: () => `cred_${newUlid(deps.clock.now())}`,
    keep: (inside: Change, owner: string, received: Received) => keep(deps, inside, owner, received),
    candidates: (caller: Caller, filter: CandidateFilter) => candidates(deps, caller, filter),
    standingOf: (candidate: Candidate) => standingOf(deps, candidate),
    peek: (candidate: Candidate) => peek(deps, candidate),
    setAside: (candidate: Candidate) => setAside(deps, candidate),
    putBack: (copy: Pick<Copy, 'id'>) => putBack(deps, copy),
    take: (inside: Change, candidate: Candidate, copy: Copy) => take(deps, inside, candidate, copy),
    refresh: (rows: readonly CredentialRow[]) => refreshStatus(deps, rows),
  };
}

export type Keeping = ReturnType<typeof createKeeping>;
