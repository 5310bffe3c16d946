// A record of the OpenID provider: its payload, its user, its hash, and its cache tags.
import type { Seal } from '../../../platform/seal/index.ts';
import type { OpenidRecordRow } from '../../ground/database/index.ts';
import { hashOf, hashOfSession } from '../../ground/resource/index.ts';

/** The payload from the library. We only use the fields that link it to other things. */
export interface RecordPayload {
  readonly [name: string]: unknown;
  readonly accountId?: string;
  readonly clientId?: string;
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
  readonly exp?: number;
  /** Only for interactions. */
  readonly prompt?: { readonly name?: string };
  readonly session?: { readonly accountId?: string };
  readonly result?: InteractionSubmission;
  readonly lastSubmission?: InteractionSubmission;
}

/** What a person submitted in an interaction. */
interface InteractionSubmission {
  readonly login?: { readonly accountId?: string };
}

/**
 * The user of a record. An interaction belongs to a user once they signed in, or when they are asked for consent: a completed
 * sign-in that the library has not picked up yet must end with the user's sessions.
 */
export function userOf({ accountId, result, lastSubmission, prompt, session }: RecordPayload): string | undefined {
  return (
    accountId ??
    result?.login?.accountId ??
    lastSubmission?.login?.accountId ??
    (prompt?.name === 'consent' ? session?.accountId : undefined)
  );
}

/** The id of what a person allowed an application beyond one session. */
export const consentIdOf = (userId: string, clientId: string): string => `${userId} ${clientId}`;

export const tagOfGrant = (grantId: string): string => `openid_grant:${hashOf('Grant', grantId)}`;
export const tagOfSession = (uid: string): string => `openid_session:${hashOfSession(uid)}`;
export const tagOfHash = (hash: string): string => `openid_record:${hash}`;
export const tagOfRecord = (model: string, id: string): string => tagOfHash(hashOf(model, id));

/** Of which caches remember something, by their tag. Records of other models are read each time. */
const CACHED_MODELS: readonly string[] = ['AccessToken', 'ApiToken', 'ClientCredentials', 'Grant', 'Session'];
export const isCached = (model: string): boolean => CACHED_MODELS.includes(model);

const sealContextOf = (id: string): string => `openid_records/${id}`;

export const sealPayload = (seal: Seal, id: string, payload: RecordPayload): string =>
  seal.seal(Buffer.from(JSON.stringify(payload)), sealContextOf(id));

export function openRecord(seal: Seal, row: OpenidRecordRow): RecordPayload {
  const payload = JSON.parse(seal.open(row.payload, sealContextOf(row.id)).toString()) as RecordPayload;
  return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
}

/** Skips records that cannot be opened: they are useless, and must not prevent the deletion of an account. */
export const openRecords = (seal: Seal, rows: readonly OpenidRecordRow[]): RecordPayload[] =>
  rows.flatMap((row) => {
    try {
      return [openRecord(seal, row)];
    } catch {
      return [];
    }
  });
