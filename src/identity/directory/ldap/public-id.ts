// Ids of users and groups in a directory, made like Keystone's sha256 generator makes them, so that they stay the same after a move.
import { createHash } from 'node:crypto';

export type EntryKind = 'user' | 'group';

/** Keystone hashes the values of domain_id, entity_type and local_id, in this order. */
export const publicId = (domainId: string, kind: EntryKind, localId: string): string =>
  createHash('sha256').update(domainId).update(kind).update(localId).digest('hex');
