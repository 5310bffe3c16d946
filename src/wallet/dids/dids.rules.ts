// Lifecycle of DIDs: provisioned, published, unpublished, deleted. Each step has its own file.
import { type Caller, EVERYONE, readAs } from '../access/index.ts';
import type { DidRow, Reader } from '../ground/database.ts';
import type { IdempotentRequest, ListPage } from '../resource/index.ts';
import type { DidDeps } from './deps.ts';
import type { DidRequest } from './dids.schema.ts';
import { countDids, type DidFilter, findDid } from './dids.store.ts';
import { publishDid, removeDid, unpublishDid } from './lifecycle.ts';
import { ensureNode } from './node.ts';
import { createDid } from './provision.ts';
import { didTarget, listOwn, showDid } from './reading.ts';

type DidOptions = Omit<DidDeps, 'maxDids' | 'maxDidNames'> & Partial<Pick<DidDeps, 'maxDids' | 'maxDidNames'>>;

export function createDids(options: DidOptions) {
  const deps: DidDeps = { maxDids: Number.POSITIVE_INFINITY, maxDidNames: Number.POSITIVE_INFINITY, ...options };
  return {
    target: (caller: Caller, idOrDid: string) => didTarget(deps, caller, idOrDid),
    /** For other modules that have the id of a DID. */
    find: async (caller: Caller, idOrDid: string): Promise<DidRow> => (await didTarget(deps, caller, idOrDid)).get(),
    show: (row: DidRow) => showDid(deps, row),
    list: (caller: Caller, filter: DidFilter, page: ListPage) => listOwn(deps, caller, filter, page),
    create: (caller: Caller, request: DidRequest, once: IdempotentRequest) => createDid(deps, caller, request, once),
    publish: (caller: Caller, did: DidRow) => publishDid(deps, caller, did),
    unpublish: (caller: Caller, did: DidRow) => unpublishDid(deps, caller, did),
    remove: (caller: Caller, did: DidRow, force: boolean) => removeDid(deps, caller, did, force),
    ensureNode: (caller: Caller) => ensureNode(deps, caller),
    /** Whether the owner still has it, within a change of the caller. */
    has: async (reader: Reader, owner: string, id: string): Promise<boolean> => (await findDid(reader, owner, id)) !== undefined,
    /** For all owners. */
    countByState: () => readAs(deps.db, EVERYONE, countDids),
  };
}

export type Dids = ReturnType<typeof createDids>;
