// A session and how it is stored: sealed, and found by the hash of its id.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/index.ts';
import type { ProviderGrant } from '../../platform/openid-client/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { ownerOf } from '../access/index.ts';
import type { SessionRow } from '../ground/database.ts';

export interface SessionRules {
  readonly idleMs: number;
  readonly lifeMs: number;
}

/**
 * The content of the sealed column. The plain columns are only for finding and deleting rows: somebody with write access to the
 * table can change them.
 */
export interface SessionContent extends Omit<ProviderGrant, 'expiresAt'> {
  readonly authTime: number;
  readonly endsAt: number;
  /** When the access token expires. After that the provider cannot be asked about it. */
  readonly accessEndsAt: number | undefined;
}

export interface Session extends SessionContent {
  readonly idHash: string;
  readonly owner: string;
  usedAt: number;
  readonly refreshAt: number | null;
}

export const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

export const sessionTag = (idHash: string): string => `session:${idHash}`;

/** A hash, so that the row does not reveal the session id at the provider. */
export const sidHashOf = (issuer: string, sid: string | undefined): string | null =>
  sid === undefined
    ? null
    : createHash('sha256')
        .update(JSON.stringify([issuer, sid]))
        .digest('base64url');

export const sessionSealContext = (idHash: string): string => `wallet session ${idHash}`;

export const sealSession = (seal: Seal, idHash: string, content: SessionContent): string =>
  seal.seal(Buffer.from(JSON.stringify(content)), sessionSealContext(idHash));

/** Undefined if the row was changed or damaged. */
export function openSession({ seal, log }: { readonly seal: Seal; readonly log: Log }, row: SessionRow): Session | undefined {
  let content: SessionContent;
  try {
    content = JSON.parse(seal.open(row.sealed, sessionSealContext(row.id_hash)).toString()) as SessionContent;
  } catch (error) {
    log.warn({ err: error }, 'a session cannot be opened; it counts as ended');
    return undefined;
  }
  const owner = ownerOf(content.issuer, content.subject);
  if (owner !== row.owner || sidHashOf(content.issuer, content.sid) !== row.sid_hash) {
    log.warn('the row of a session names another owner, or session, than its sealed content; it counts as ended');
    return undefined;
  }
  return {
    ...content,
    idHash: row.id_hash,
    owner,
    // Rows of earlier versions have it only in the column.
    endsAt: Math.min(content.endsAt ?? row.ends_at, row.ends_at),
    usedAt: row.used_at,
    refreshAt: row.refresh_at,
  };
}

export const isExpired = (
  { clock, rules }: { readonly clock: Clock; readonly rules: SessionRules },
  { endsAt, usedAt }: Session,
): boolean => clock.now() >= endsAt || clock.now() >= usedAt + rules.idleMs;
