// A record of the OpenID provider: what it says, whose it is, the hash it is found by, and the tags caches know it by.
import { createHash } from 'node:crypto';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { OpenidRecordRow } from '../../../database.ts';

/** What the provider hands us; we look at the few fields that tie it to something. */
export interface Payload {
  readonly [name: string]: unknown;
  readonly accountId?: string;
  readonly clientId?: string;
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
  readonly exp?: number;
  /** Of an interaction. */
  readonly prompt?: { readonly name?: string };
  readonly session?: { readonly accountId?: string };
  readonly result?: Submission;
  readonly lastSubmission?: Submission;
}

/** What a person left with an interaction. */
interface Submission {
  readonly login?: { readonly accountId?: string };
}

/**
 * Whose it is. An interaction is someone's once they signed in, or when they are asked what they allow: a sign-in that is done and
 * waits to be collected ends with whatever ends their sessions.
 */
export function userOf({ accountId, result, lastSubmission, prompt, session }: Payload): string | undefined {
  return (
    accountId ??
    result?.login?.accountId ??
    lastSubmission?.login?.accountId ??
    (prompt?.name === 'consent' ? session?.accountId : undefined)
  );
}

export const hashOf = (model: string, id: string): string => createHash('sha256').update(`${model}\0${id}`).digest('base64url');

export const tagOfGrant = (grantId: string): string => `openid_grant:${hashOf('Grant', grantId)}`;
export const tagOfSession = (uid: string): string => `openid_session:${hashOf('uid', uid)}`;
export const tagOfRecord = (model: string, id: string): string => `openid_record:${hashOf(model, id)}`;

const placeOf = (id: string): string => `openid_records/${id}`;

export const sealPayload = (seal: Seal, id: string, payload: Payload): string =>
  seal.seal(Buffer.from(JSON.stringify(payload)), placeOf(id));

/** By the newest master key. */
export const resealPayload = (seal: Seal, id: string, payload: string): string =>
  seal.seal(seal.open(payload, placeOf(id)), placeOf(id));

export function openRecord(seal: Seal, row: OpenidRecordRow): Payload {
  const payload = JSON.parse(seal.open(row.payload, placeOf(row.id)).toString()) as Payload;
  return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
}
