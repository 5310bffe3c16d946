// Copies of a credential: which one is shown next, set aside while an answer is made, and used up when it is sent.
import { ownerTag, readAs } from '../access/index.ts';
import type { CredentialRow, Reader, WalletChange } from '../database.ts';
import { fail } from '../faults.ts';
import type { CredentialHolder } from '../formats/index.ts';
import type { PublicJwk } from '../jose/index.ts';
import { methodId } from '../publication/index.ts';
import type { CredentialCandidate } from './candidates.ts';
import { deleteInstance, instancesOf, type SigningKey, signingKeys } from './copies.store.ts';
import { type CopyContent, openCopy, tryOpen } from './credential-content.ts';
import { forgetStatus } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';

/** One copy, set aside for an answer, and who signs for it. */
export interface ReservedCopy {
  readonly id: string;
  readonly raw: unknown;
  readonly holder: CredentialHolder | undefined;
}

/** A copy that can be shown, opened, and the key it is bound to. */
interface UsableCopy {
  readonly id: string;
  readonly content: CopyContent;
  readonly key?: SigningKey;
}

type CopyReadDeps = Pick<StoredCredentialDeps, 'db' | 'seal' | 'reserved'>;

/** In a document that changes, what was asked for with may have moved on to another key; the others have the one for ever. */
const methodOf = (didUrl: string, kid: string): string =>
  didUrl.startsWith('did:web:') ? methodId(didUrl.slice(0, didUrl.indexOf('#')), kid) : didUrl;

/**
 * Copies stand for themselves: one that is damaged, or whose key was revoked, is passed over, the others are as good as before.
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

/** One that is about to be shown to somebody else is passed over, too, while there is another. */
export async function nextCopy(deps: CopyReadDeps, row: CredentialRow): Promise<UsableCopy | undefined> {
  const usable = await readAs(deps.db, row.owner, (reader) => usableCopies(deps, reader, row));
  return usable.find(({ id }) => !deps.reserved.has(id)) ?? usable.at(-1);
}

/** The copy that would be shown next, as it is held, and the algorithm of the key that signs for it. */
export async function peekCopy(
  deps: CopyReadDeps,
  { row }: CredentialCandidate,
): Promise<{ readonly raw: unknown; readonly algorithm: string | undefined }> {
  const { content, key } = (await nextCopy(deps, row)) ?? fail('not-found', { kind: 'credential' });
  return { raw: content.raw, algorithm: key?.algorithm };
}

/**
 * The copy that is shown next, and who holds it. Nobody else in this process is given it until it is put back; it is used up
 * when it is taken, which is when everything else is ready.
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
 * Uses it up, before a byte of it is sent: a copy that two verifiers see lets them compare. The last one that can
 * be shown is kept. False when it can no longer be shown: another process took it, or its key was revoked.
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
  // Where there were more answers than copies, several have the same: the last of them uses it up.
  const isShared = (deps.reserved.get(id) ?? 0) > 1;
  if (!isShared && usable.length > 1) {
    await deleteInstance(tx, owner, id);
    // What was known was known of this copy.
    await forgetStatus(tx, owner, row.id);
    invalidate(ownerTag(owner));
  }
  audit('credential.shown', { kind: 'credential', id: row.id });
  return true;
}
