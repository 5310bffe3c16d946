// Ids of users and groups that are in a directory: as Keystone makes them (its sha256 generator), so that whoever moves here keeps them.
import { createHash } from 'node:crypto';

export type EntryKind = 'user' | 'group';

/** Keystone hashes the values of domain_id, entity_type and local_id, in the order of these names. */
export const publicId = (domainId: string, kind: EntryKind, localId: string): string =>
  createHash('sha256').update(domainId).update(kind).update(localId).digest('hex');
