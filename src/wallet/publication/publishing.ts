// Publishes and withdraws DID documents, within a change of the caller.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { PublicJwk } from '../../verifiable/jose/index.ts';
import { ownerTag } from '../access/index.ts';
import type { DidRow, WalletChange } from '../ground/database.ts';
import type { Relationship } from '../keys/index.ts';
import { buildDocument, type DidDocument, type DidService } from './document.ts';
import { type CarriedKey, keysOfDids, publishedUnder, putDocument, removeDocument, updateDid } from './publication.store.ts';

/** Published documents are cached by name. */
export const documentTag = (name: string): string => `document:${name}`;

/** The name of the node's own document. Names of users never contain a dot. */
export const NODE_NAME = '.well-known';

/** A rotated key stays in the document, with its relationships, until the grace period ends. */
const isShown = ({ state, verify_until: until }: CarriedKey, now: number): boolean =>
  state === 'active' || (state === 'rotated' && until !== null && until > now);

export function documentOf(clock: Clock, did: DidRow, keys: readonly CarriedKey[]): DidDocument {
  const now = clock.now();
  const shown = keys
    .filter((key) => key.did_id === did.id && isShown(key, now))
    .map((key) => ({
      kid: key.kid,
      jwk: JSON.parse(key.public_jwk) as PublicJwk,
      relationships: JSON.parse(key.uses) as Relationship[],
    }));
  return buildDocument(did.did, shown, {
    service: JSON.parse(did.service) as DidService[],
    alsoKnownAs: JSON.parse(did.also_known_as) as string[],
  });
}

async function put(clock: Clock, { tx, invalidate }: WalletChange, did: DidRow): Promise<void> {
  const document = JSON.stringify(documentOf(clock, did, await keysOfDids(tx, did.owner, [did.id])));
  await putDocument(tx, {
    did: did.did,
    name: did.name,
    document,
    etag: `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`,
    published_at: clock.now(),
  });
  invalidate(documentTag(did.name!));
}

/** Increases the version after a change of keys or services, and republishes the document if it is published. */
export async function documentChanged(clock: Clock, transaction: WalletChange, did: DidRow): Promise<void> {
  await updateDid(transaction.tx, did, { version: did.version + 1 });
  transaction.invalidate(ownerTag(did.owner));
  if (did.state !== 'published' || did.method !== 'web') return;
  await put(clock, transaction, did);
  transaction.audit('did.republished', { kind: 'did', id: did.id });
}

export async function publish(clock: Clock, transaction: WalletChange, did: DidRow): Promise<void> {
  // There is one document per name. After the address of the node changed, the DID of the old address is withdrawn.
  for (const former of await publishedUnder(transaction.tx, did)) await withdraw(clock, transaction, former);
  await updateDid(transaction.tx, did, {
    state: 'published',
    is_default: did.is_default,
    published_at: did.state === 'published' ? did.published_at : clock.now(),
    unpublished_at: null,
  });
  await put(clock, transaction, did);
  transaction.invalidate(ownerTag(did.owner));
}

export async function withdraw(clock: Clock, transaction: WalletChange, did: DidRow): Promise<void> {
  await updateDid(transaction.tx, did, { state: 'unpublished', unpublished_at: clock.now() });
  await removeDocument(transaction.tx, did.did);
  if (did.name !== null) transaction.invalidate(documentTag(did.name));
  transaction.invalidate(ownerTag(did.owner));
}
