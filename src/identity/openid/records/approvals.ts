// Grants that a person gave an application elsewhere than in a sign-in to it (CIBA). No session lists them among its applications, so what is
// stored beside each says in which session, and by which means, it was given: it ends as the others of that session do.
import { lockRow } from '../../../platform/database/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { hashOfSession } from '../../ground/resource/index.ts';
import type { FindDeps } from './find.ts';
import { openRecords, type RecordPayload } from './record.ts';
import { findSession, recordsOfUser } from './records.store.ts';
import { addRecord } from './save.ts';
import type { SaveDeps } from './save-deps.ts';

export const APPROVAL_MODEL = 'Approval';

/** How a grant was given. */
export interface Approval {
  /** The hash of the uid of the session. */
  readonly session: string;
  readonly amr: readonly string[];
  /** The application may go on without the person (`offline_access`), also when they sign out. */
  readonly outlivesSignOut: boolean;
}

export interface NewApproval extends Omit<Approval, 'session'> {
  readonly sessionUid: string;
  /** The id of the session in the tokens of the application, by which it is told of the end (OpenID Connect Back-Channel Logout 1.0). */
  readonly sid: string;
  /** As it is stored. */
  readonly grant: RecordPayload & { readonly jti: string };
  readonly lifetime: number;
}

/** Stores a grant that is given in this session. False, and nothing is stored, when the session has ended; else it ends after the transaction. */
export async function addApproved(
  deps: SaveDeps,
  transaction: Change,
  userId: string,
  { sessionUid, sid, amr, outlivesSignOut, grant, lifetime }: NewApproval,
): Promise<boolean> {
  const { tx } = transaction;
  const session = hashOfSession(sessionUid);
  const row = await findSession(tx, userId, session);
  if (!row || !(await lockRow(deps.db, tx, 'openid_records', row.id, 'share'))) return false;
  // Of the generation of the session: if its domain is disabled in this very moment, what is given in it is over as the session is.
  const { generation } = row;
  await addRecord(deps, transaction, { model: 'Grant', id: grant.jti, payload: grant, lifetime }, generation);
  const approval: Approval = { session, amr, outlivesSignOut };
  const payload = { accountId: userId, clientId: grant.clientId!, grantId: grant.jti, sid, approval };
  await addRecord(deps, transaction, { model: APPROVAL_MODEL, id: grant.jti, payload, lifetime }, generation);
  return true;
}

/** What is stored beside a grant. */
export interface StoredApproval extends RecordPayload {
  readonly grantId: string;
  readonly approval: Approval;
}

/**
 * What is stored beside the grants that were given so. After the sessions are deleted: what was still allowed in them is stored then. A person answers
 * a limited number of requests (sign-in-requests/receive.ts), so all are read.
 */
export async function approvalsOf(
  { seal }: Pick<FindDeps, 'seal'>,
  { tx }: Change,
  userId: string,
  isMeant: (approval: Approval) => boolean,
): Promise<StoredApproval[]> {
  const all = openRecords(seal, await recordsOfUser(tx, userId, APPROVAL_MODEL)) as StoredApproval[];
  return all.filter(({ approval }) => isMeant(approval));
}
