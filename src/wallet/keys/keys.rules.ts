// Lifecycle of a key: registered, rotated, revoked, purged. No step can be undone. Each step has its own file.
import { type Caller, EVERYONE, readAs } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import type { IdempotentRequest, ListPage } from '../resource/index.ts';
import type { KeyDeps } from './deps.ts';
import { createDrafts, type KeyDraft } from './drafts.ts';
import type { NewKey, Revocation, Rotation } from './keys.schema.ts';
import { countKeys, type KeyFilter } from './keys.store.ts';
import { nodeKey } from './node-key.ts';
import { purgeKey } from './purge.ts';
import { keyTarget, listOwn, showKey } from './reading.ts';
import { addKey, createKey } from './registration.ts';
import { destroyPending, revokeKey } from './revocation.ts';
import { rotateKey } from './rotation.ts';
import { activeKeys, isActive, nodeKeyCreatedAt, type SigningPurpose, sign, tryNodeKey } from './signing.ts';

export type { KeyWithUse } from './reading.ts';

export function createKeys(options: Omit<KeyDeps, 'drafts' | 'maxKeys'> & { readonly maxKeys?: number }) {
  const deps: KeyDeps = { ...options, maxKeys: options.maxKeys ?? Number.POSITIVE_INFINITY, drafts: createDrafts(options) };
  return {
    target: (caller: Caller, id: string) => keyTarget(deps, caller, id),
    /** For other modules that have the id of a key. */
    find: async (caller: Caller, id: string): Promise<KeyRow> => (await keyTarget(deps, caller, id)).get(),
    show: (row: KeyRow) => showKey(deps, row),
    list: (caller: Caller, filter: KeyFilter, page: ListPage) => listOwn(deps, caller, filter, page),
    create: (caller: Caller, body: NewKey, once: IdempotentRequest, signal?: AbortSignal) =>
      createKey(deps, caller, body, once, signal),
    rotate: (caller: Caller, key: KeyRow, body: Rotation, signal?: AbortSignal) => rotateKey(deps, caller, key, body, signal),
    revoke: (caller: Caller, key: KeyRow, body: Revocation, force: boolean, signal?: AbortSignal) =>
      revokeKey(deps, caller, key, body, force, signal),
    purge: (caller: Caller, key: KeyRow, force: boolean) => purgeKey(deps, caller, key, force),
    /** For other modules that create a key together with something else: drafted before their change, added within it. */
    draft: (owner: string) => deps.drafts.generate({ owner }, 'ES256', 'software'),
    add: (transaction: WalletChange, owner: string, draft: KeyDraft, body: Pick<NewKey, 'alias' | 'use' | 'default'>) =>
      addKey(deps, transaction, owner, draft, body),
    active: activeKeys,
    /** The key of the node that has this task. */
    ofNode: (alias: string) => nodeKey(deps, alias),
    /** Whether keys can be made in a device. */
    hasDevice: deps.stores.pkcs11 !== undefined,
    isActive: (owner: string, id: string) => isActive(deps, owner, id),
    sign: (owner: string, id: string, data: Buffer, purpose: SigningPurpose = 'any') => sign(deps, owner, id, data, purpose),
    tryNodeKey: () => tryNodeKey(deps),
    destroyPending: () => destroyPending(deps),
    /** When the key of the node itself was made (seconds). */
    nodeKeyCreatedAt: () => nodeKeyCreatedAt(deps),
    /** For all owners. */
    countByState: () => readAs(deps.db, EVERYONE, countKeys),
  };
}

export type Keys = ReturnType<typeof createKeys>;
