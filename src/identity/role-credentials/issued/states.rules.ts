// Changes the state of credentials, and of their entries in the lists.
import type { AuditAction, Change } from '../../ground/audit/index.ts';
import type { CredentialState, IssuedCredentialRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { testPoint } from '../../ground/test-points.ts';
import { tagOfList } from './addresses.ts';
import { findIssued, nextVersion, othersOfSeries, type Revocable, updateStates } from './issued-credentials.store.ts';
import { listsOf, type RevocationReason, type RevokedCredential, revokeSelected, type Selection } from './revocation.store.ts';

const LIST_STATES: Readonly<Record<CredentialState, number>> = { valid: 0, revoked: 1, suspended: 2 };
/** Revocation is for good. */
const FROM: Readonly<Record<CredentialState, readonly CredentialState[]>> = {
  revoked: ['valid', 'suspended'],
  suspended: ['valid'],
  valid: ['suspended'],
};

/** Beyond this, a change has one event with their number instead of one for each: the credentials themselves say when and why. */
const EVENTS = 1000;

const ACTIONS: Readonly<Record<CredentialState, AuditAction>> = {
  valid: 'issued_credential.resumed',
  suspended: 'issued_credential.suspended',
  revoked: 'issued_credential.revoked',
};

function tell(
  { audit }: Change,
  state: CredentialState,
  changed: readonly (Revocable & Pick<RevokedCredential, 'reason'>)[],
): void {
  for (const { id, user_id, application_id, type_id, reason } of changed.slice(0, EVENTS))
    audit(ACTIONS[state], { kind: 'issued_credential', id }, { user_id, application_id, type_id, reason });
  for (const some of Map.groupBy(changed.slice(EVENTS), (one) => `${one.type_id} ${one.reason}`).values()) {
    const { type_id, reason } = some[0]!;
    audit(ACTIONS[state], { kind: 'credential_type', id: type_id }, { count: some.length, reason });
  }
}

/** Locks a list before the credentials in it. Lists are locked in the order of their ids. */
async function beginVersion({ tx, invalidate }: Change, list: string): Promise<number> {
  invalidate(tagOfList({ id: list }));
  return nextVersion(tx, list);
}

/** Revokes all of a selection, however many they are. Nothing is added to it meanwhile: the caller has the locks that issuing shares. */
export async function revokeAll(change: Change, selection: Selection, reason: RevocationReason): Promise<void> {
  const revoked: (readonly RevokedCredential[])[] = [];
  for (const list of await listsOf(change.tx, selection)) {
    const to = { at: change.now, listState: LIST_STATES.revoked, listVersion: await beginVersion(change, list) };
    revoked.push(await revokeSelected(change.tx, selection, list, reason, to));
  }
  tell(change, 'revoked', revoked.flat());
}

/** Returns how many were changed: for those of one person. */
export async function changeStates(
  change: Change,
  credentials: readonly Revocable[],
  state: CredentialState,
  reason: string,
): Promise<number> {
  const { tx, now } = change;
  const byList = [...Map.groupBy(credentials, ({ list_id }) => list_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  const changed = new Set<string>();
  for (const [list, own] of byList) {
    const to = { state, reason: state === 'valid' ? null : reason, at: now, listState: LIST_STATES[state] };
    const listVersion = await beginVersion(change, list);
    const ids = own.map(({ id }) => id).sort();
    for (const id of await updateStates(tx, ids, FROM[state], { ...to, listVersion })) changed.add(id);
  }
  tell(
    change,
    state,
    credentials.filter(({ id }) => changed.has(id)).map((one) => ({ ...one, reason })),
  );
  return changed.size;
}

export interface StateChange {
  readonly reason: string;
  /** Also of everything else that the same wallet got of the type in this format. */
  readonly isForWallet?: boolean;
}

async function changeOne(
  change: Change,
  id: string,
  state: CredentialState,
  { reason, isForWallet = false }: StateChange,
): Promise<IssuedCredentialRow> {
  const found = (await findIssued(change.tx, id)) ?? fail('issued_credential.not_found', { id });
  await testPoint('credential-change.in-transaction');
  const others = isForWallet ? await othersOfSeries(change.tx, found, FROM[state], change.now) : [];
  const count = await changeStates(change, [found, ...others], state, reason);
  // On PostgreSQL the sweep may have removed it meanwhile.
  const row = (await findIssued(change.tx, id)) ?? fail('issued_credential.not_found', { id });
  if (row.state !== state) fail('issued_credential.revoked', { id });
  // Somebody else did it a moment before.
  if (count === 0)
    change.audit(
      ACTIONS[state],
      { kind: 'issued_credential', id },
      { user_id: row.user_id, application_id: row.application_id, type_id: row.type_id, reason: row.reason },
    );
  return row;
}

/** For good. */
export const revoke = (change: Change, id: string, why: StateChange) => changeOne(change, id, 'revoked', why);
export const suspend = (change: Change, id: string, why: StateChange) => changeOne(change, id, 'suspended', why);
export const resume = (change: Change, id: string, why: StateChange) => changeOne(change, id, 'valid', why);
