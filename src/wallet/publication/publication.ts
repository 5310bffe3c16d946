// What happens to documents when DIDs and their keys change. Everything here runs within somebody's change.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { ownerTag } from '../access/index.ts';
import type { Change, DidRow, Reader } from '../database.ts';
import { fail } from '../faults.ts';
import type { PublicJwk } from '../jose/index.ts';
import type { KeyListener, Relationship } from '../keys/index.ts';
import { buildDocument, type DidDocument, type Service } from './document.ts';
import {
  addKey,
  type CarriedKey,
  didsOfKey,
  keysOfDids,
  moveCredentials,
  publishedUnder,
  putDocument,
  removeDocument,
  removeKey,
  updateDid,
} from './publication.store.ts';

/** Published documents are kept in memory under their name. */
export const documentTag = (name: string): string => `document:${name}`;

/** The node's own document is at another address than those of callers, and names of callers never have a dot. */
export const NODE_NAME = '.well-known';

export function createPublication({ clock }: { clock: Clock }) {
  /** Verifiers look for the relationship, not only for the key: a rotated key keeps both until its time is over. */
  const isShown = ({ state, verify_until: until }: CarriedKey): boolean =>
    state === 'active' || (state === 'rotated' && until !== null && until > clock.now());

  function documentOf(did: DidRow, keys: readonly CarriedKey[]): DidDocument {
    const shown = keys
      .filter((key) => key.did_id === did.id && isShown(key))
      .map((key) => ({
        kid: key.kid,
        jwk: JSON.parse(key.public_jwk) as PublicJwk,
        relationships: JSON.parse(key.uses) as Relationship[],
      }));
    return buildDocument(did.did, shown, {
      service: JSON.parse(did.service) as Service[],
      alsoKnownAs: JSON.parse(did.also_known_as) as string[],
    });
  }

  async function put({ tx, touch }: Change, did: DidRow): Promise<void> {
    const document = JSON.stringify(documentOf(did, await keysOfDids(tx, did.owner, [did.id])));
    await putDocument(tx, {
      did: did.did,
      name: did.name,
      document,
      etag: `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`,
      published_at: clock.now(),
    });
    touch(documentTag(did.name!));
  }

  /** The keys or services of a DID are others now: another version, and the world sees it if it saw the one before. */
  async function changed(inside: Change, did: DidRow): Promise<void> {
    await updateDid(inside.tx, did, { version: did.version + 1 });
    inside.touch(ownerTag(did.owner));
    if (did.state !== 'published' || did.method !== 'web') return;
    await put(inside, did);
    inside.audit('did.republished', { kind: 'did', id: did.id });
  }

  async function publish(inside: Change, did: DidRow): Promise<void> {
    // After the node got another address, one of the address before: there is one document at a place.
    for (const former of await publishedUnder(inside.tx, did)) await withdraw(inside, former);
    await updateDid(inside.tx, did, {
      state: 'published',
      is_default: did.is_default,
      published_at: did.state === 'published' ? did.published_at : clock.now(),
      unpublished_at: null,
    });
    await put(inside, did);
    inside.touch(ownerTag(did.owner));
  }

  async function withdraw(inside: Change, did: DidRow): Promise<void> {
    await updateDid(inside.tx, did, { state: 'unpublished', unpublished_at: clock.now() });
    await removeDocument(inside.tx, did.did);
    if (did.name !== null) inside.touch(documentTag(did.name));
    inside.touch(ownerTag(did.owner));
  }

  const webDidsOf = async (reader: Reader, owner: string, keyId: string): Promise<DidRow[]> =>
    (await didsOfKey(reader, owner, keyId)).filter(({ method }) => method === 'web');

  /** The key leaves the documents that can be changed. Tells which DIDs were published anew. */
  async function leave(inside: Change, owner: string, keyId: string): Promise<string[]> {
    const republished: string[] = [];
    for (const did of await webDidsOf(inside.tx, owner, keyId)) {
      await removeKey(inside.tx, owner, did.id, keyId);
      const other = (await keysOfDids(inside.tx, owner, [did.id])).findLast(({ state }) => state === 'active');
      if (other) await moveCredentials(inside.tx, did, keyId, { id: other.key_id, algorithm: other.algorithm });
      await changed(inside, did);
      if (did.state === 'published') republished.push(did.did);
    }
    return republished;
  }

  /** Published DIDs that would be left without any active key. */
  async function orphans(reader: Reader, owner: string, keyId: string): Promise<DidRow[]> {
    const dids = (await webDidsOf(reader, owner, keyId)).filter(({ state }) => state === 'published');
    const keys = await keysOfDids(
      reader,
      owner,
      dids.map(({ id }) => id),
    );
    const hasOther = (did: DidRow): boolean =>
      keys.some((key) => key.did_id === did.id && key.key_id !== keyId && key.state === 'active');
    return dids.filter((did) => !hasOther(did));
  }

  const keyListener: KeyListener = {
    /** The successor joins every document that carries the key. Those that are made from a key cannot carry another. */
    async onSucceeded(inside, { owner, id }, successor) {
      for (const did of await webDidsOf(inside.tx, owner, id)) {
        await addKey(inside.tx, { owner, didId: did.id, keyId: successor.id });
        await moveCredentials(inside.tx, did, id, successor);
        await changed(inside, did);
      }
    },

    /** The key leaves every document, and a DID made from it cannot be used any more. */
    async onEnded(inside, { owner, id }) {
      for (const did of await didsOfKey(inside.tx, owner, id)) if (did.method !== 'web') await withdraw(inside, did);
      return leave(inside, owner, id);
    },

    async onAbandoning(reader, { owner, id }) {
      if ((await orphans(reader, owner, id)).length > 0) fail('last-key-of-published-did');
    },
  };

  return {
    documentOf,
    changed,
    publish,
    withdraw,
    leave,
    keyListener,
    /** The keys DIDs carry, as documents show them. */
    keysOf: keysOfDids,
    /** A DID carries another key. Whoever adds it says when the document changes. */
    addKey: ({ tx }: Change, { owner, id }: DidRow, keyId: string) => addKey(tx, { owner, didId: id, keyId }),
  };
}

export type Publication = ReturnType<typeof createPublication>;
