// Copies of a credential: each is reserved while an answer is prepared, and consumed when it is sent.

import type { CredentialHolder } from '../../verifiable/formats/index.ts';
import type { PublicJwk } from '../../verifiable/jose/index.ts';
import { ownerTag, readAs } from '../access/index.ts';
import type { CredentialRow, Reader, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { methodId } from '../publication/index.ts';
import type { CredentialCandidate } from './candidates.ts';
import { type CopyKey, deleteInstance, instancesOf, signingKeys } from './copies.store.ts';
import { type CopyContent, openCopy, tryOpen } from './credential-content.ts';
import { forgetStatus } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';

/** A copy that is reserved for an answer, with the holder that signs for it. */
export interface ReservedCopy {
  readonly id: string;
  readonly raw: unknown;
  readonly holder: CredentialHolder | undefined;
}

/** A decrypted copy that can be shown, and the key it is bound to. */
interface UsableCopy {
  readonly id: string;
  readonly content: CopyContent;
  readonly key?: CopyKey;
}

type CopyReadDeps = Pick<StoredCredentialDeps, 'db' | 'seal' | 'reserved'>;

/** The key of a did:web may have been replaced since the credential was issued. Other DIDs have one fixed key. */
const methodOf = (didUrl: string, kid: string): string =>
  didUrl.startsWith('did:web:') ? methodId(didUrl.slice(0, didUrl.indexOf('#')), kid) : didUrl;

/**
 * Skips copies that are damaged or whose key was revoked. The other copies stay usable.
 */
async function usableCopies(
  { seal }: Pick<StoredCredentialDeps, 'seal'>,
  reader: Reader,
  row: CredentialRow,
): Promise<UsableCopy[]> {
  const copies = await instancesOf(reader, row.owner, [row.id]);
  const isBound = row.binding !== 'none';
  const ids = isBound ? copies.flatMap(({ key_id: id }) => id ?? []) : [];
  const found = await signingKeys(reader, row.owner, ids);
  return copies.flatMap((copy) => {
    const key = copy.key_id === null ? undefined : found.get(copy.key_id);
    if (isBound && (!key || key.state === 'revoked')) return [];
    const content = tryOpen(() => openCopy(seal, copy));
    return content ? { id: copy.id, content, ...(key ? { key } : {}) } : [];
  });
}

/** Prefers a copy that is not reserved for another answer. */
export async function nextCopy(deps: CopyReadDeps, row: CredentialRow): Promise<UsableCopy | undefined> {
  const usable = await readAs(deps.db, row.owner, (reader) => usableCopies(deps, reader, row));
  return usable.find(({ id }) => !deps.reserved.has(id)) ?? usable.at(-1);
}

/** The copy that would be shown next, and the algorithm of its key. Does not reserve it. */
export async function peekCopy(
  deps: CopyReadDeps,
  { row }: CredentialCandidate,
): Promise<{ readonly raw: unknown; readonly algorithm: string | undefined }> {
  const { content, key } = (await nextCopy(deps, row)) ?? fail('not-found', { kind: 'credential' });
  return { raw: content.raw, algorithm: key?.algorithm };
}

/**
 * Reserves the next copy. Nobody else in this process gets it until it is released. It is consumed later, when the answer is
 * ready to be sent.
 */
export async function reserveCopy(
  deps: CopyReadDeps & Pick<StoredCredentialDeps, 'keys'>,
  { row, content }: CredentialCandidate,
): Promise<ReservedCopy> {
  const { reserved, keys } = deps;
  const { id, content: copy, key } = (await nextCopy(deps, row)) ?? fail('not-found', { kind: 'credential' });
  const { raw } = copy;
  reserved.set(id, (reserved.get(id) ?? 0) + 1);
  if (!key) return { id, raw, holder: undefined };
  return {
    id,
    raw,
    holder: {
      algorithm: key.algorithm,
      jwk: JSON.parse(key.public_jwk) as PublicJwk,
      sign: (data) => keys.sign(row.owner, key.id, data, 'presentation'),
      ...(content.didUrl === undefined ? {} : { didUrl: methodOf(content.didUrl, key.kid) }),
    },
  };
}

export function releaseCopy({ reserved }: Pick<StoredCredentialDeps, 'reserved'>, { id }: Pick<ReservedCopy, 'id'>): void {
  const users = reserved.get(id) ?? 0;
  if (users > 1) reserved.set(id, users - 1);
  else reserved.delete(id);
}

/**
 * Deletes the copy before anything is sent, because two verifiers could link a copy that both have seen. The last usable copy is
 * kept. False if it can no longer be shown: another process consumed it, or its key was revoked.
 */
export async function consumeCopy(
  deps: Pick<StoredCredentialDeps, 'seal' | 'reserved'>,
  { tx, audit, invalidate }: WalletChange,
  { row }: CredentialCandidate,
  { id }: ReservedCopy,
): Promise<boolean> {
  const { owner } = row;
  const usable = await usableCopies(deps, tx, row);
  if (!usable.some((copy) => copy.id === id)) return false;
  // With more answers than copies, several answers share a copy. The last of them deletes it.
  const isShared = (deps.reserved.get(id) ?? 0) > 1;
  if (!isShared && usable.length > 1) {
    await deleteInstance(tx, owner, id);
    // The stored status belongs to the deleted copy.
    await forgetStatus(tx, owner, row.id);
    invalidate(ownerTag(owner));
  }
  audit('credential.shown', { kind: 'credential', id: row.id });
  return true;
}
