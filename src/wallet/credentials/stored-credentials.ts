// Stored credentials for issuance and presentation: stored when received, searched for a verifier's query, consumed when shown.
import { newUlid } from '../../platform/ids.ts';
import type { VerifiedCredential } from '../../verifiable/formats/index.ts';
import type { Caller } from '../access/index.ts';
import type { CredentialRow, WalletChange } from '../ground/database.ts';
import { type CredentialCandidate, candidates } from './candidates.ts';
import { consumeCopy, peekCopy, type ReservedCopy, releaseCopy, reserveCopy } from './copies.ts';
import type { CandidateFilter } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';
import { presentationStatusOf, refreshStatus } from './presentation-status.ts';
import { type ReceivedCredential, storeReceived } from './received-credential.ts';
import { describeCredential } from './type-metadata.ts';

export function createStoredCredentials(options: Omit<StoredCredentialDeps, 'reserved'>) {
  const deps: StoredCredentialDeps = { ...options, reserved: new Map() };
  return {
    newId: () => `cred_${newUlid(deps.clock.now())}`,
    describe: (configuration: Readonly<Record<string, unknown>>, credential: VerifiedCredential, credentialIssuer: string) =>
      describeCredential(deps.outbound, configuration, credential, credentialIssuer),
    store: (transaction: WalletChange, owner: string, received: ReceivedCredential) =>
      storeReceived(deps, transaction, owner, received),
    candidates: (caller: Caller, filter: CandidateFilter) => candidates(deps, caller, filter),
    presentationStatusOf: (candidate: CredentialCandidate) => presentationStatusOf(deps, candidate),
    peekCopy: (candidate: CredentialCandidate) => peekCopy(deps, candidate),
    reserveCopy: (candidate: CredentialCandidate) => reserveCopy(deps, candidate),
    releaseCopy: (copy: Pick<ReservedCopy, 'id'>) => releaseCopy(deps, copy),
    consumeCopy: (transaction: WalletChange, candidate: CredentialCandidate, copy: ReservedCopy) =>
      consumeCopy(deps, transaction, candidate, copy),
    refreshStatus: (rows: readonly CredentialRow[]) => refreshStatus(deps, rows),
  };
}

export type StoredCredentials = ReturnType<typeof createStoredCredentials>;
