// Provisions a DID: checks the request, finds or generates its keys, and takes its name.
import { randomBytes } from 'node:crypto';
import { Fault } from '../../platform/faults/index.ts';
import { newUlid } from '../../platform/ids.ts';
import type { PublicJwk } from '../../verifiable/jose/index.ts';
import { didJwkOf, didKeyOf, didWebOf } from '../../verifiable/resolver/index.ts';
import { type Caller, NODE, ownerTag } from '../access/index.ts';
import type { DidMethod, DidRow, KeyRow, WalletChange } from '../ground/database.ts';
import { fail, fault } from '../ground/faults.ts';
import type { IdempotentRequest } from '../resource/index.ts';
import type { DidDeps } from './deps.ts';
import type { DidDetails, DidRequest } from './dids.schema.ts';
import { clearDefault, countDidsOf, findDid, hasAlias, hasDids, insertDid, takeName } from './dids.store.ts';
import { hostOf } from './hosting.ts';
import { getDid } from './reading.ts';
import { isAddress, servicesOf } from './services.ts';

const METHODS = ['web', 'key', 'jwk'] as const;
const NAME = /^[a-z0-9-]{1,63}$/;

const newName = (): string => randomBytes(10).toString('hex');
export const newDidId = (now: number): string => `did_${newUlid(now)}`;

/** The requested method. Throws if other parts of the request do not fit it. */
export function readMethod({ method, domain, path, keyIds, service, alsoKnownAs }: DidRequest, publicUrl: string): DidMethod {
  const supported = METHODS.find((one) => one === method);
  if (!supported) fail('unsupported-did-method', { method, why: `; there are ${METHODS.join(', ')}` });
  const host = hostOf(publicUrl);
  // The port may be encoded, as in a DID.
  if (domain !== undefined && domain.replace(/%3a/i, ':').toLowerCase() !== host) fail('domain-not-hosted', { host });
  if (!alsoKnownAs.every(isAddress)) fail('invalid-request', { why: 'alsoKnownAs must have absolute addresses or DIDs' });
  if (supported === 'web') {
    if (path !== undefined && !NAME.test(path)) fail('invalid-request', { why: 'path must be 1 to 63 of a-z, 0-9 and -' });
    return supported;
  }
  if (path !== undefined || service.length > 0 || alsoKnownAs.length > 0)
    fail('invalid-request', { why: `a did:${supported} is made of its key: it has no path, services or other names` });
  if (keyIds && keyIds.length > 1) fail('invalid-request', { why: `a did:${supported} has one key` });
  return supported;
}

function didOf(method: DidMethod, name: string, key: KeyRow, publicUrl: string): string {
  if (method === 'web') return didWebOf(hostOf(publicUrl), 'dids', name);
  const jwk = JSON.parse(key.public_jwk) as PublicJwk;
  return method === 'key' ? didKeyOf(jwk) : didJwkOf(jwk);
}

/** Changes of one owner run one after another. A new name is already counted. */
async function checkQuota(
  { maxDids, maxDidNames }: DidDeps,
  { tx }: WalletChange,
  owner: string,
  method: DidMethod,
): Promise<void> {
  if (owner === NODE) return;
  const { dids, names } = await countDidsOf(tx, owner);
  if (dids >= maxDids) fail('quota-exceeded', { what: 'DIDs', most: String(maxDids) });
  if (method === 'web' && names > maxDidNames) fail('quota-exceeded', { what: 'names of documents', most: String(maxDidNames) });
}

interface DidDraft {
  readonly id: string;
  readonly owner: string;
  readonly method: DidMethod;
  readonly carried: readonly KeyRow[];
}

async function insert(
  deps: DidDeps,
  transaction: WalletChange,
  request: DidRequest,
  { id, owner, method, carried }: DidDraft,
): Promise<void> {
  const { tx, audit, invalidate } = transaction;
  const { path: name = newName(), alias } = request;
  const now = deps.clock.now();
  const isHosted = method === 'web';
  const did = didOf(method, name, carried[0]!, deps.publicUrl());
  if (await findDid(tx, owner, did)) fail('did-exists', { did });
  if (isHosted && !(await takeName(tx, owner, name))) fail('did-exists', { did });
  await checkQuota(deps, transaction, owner, method);
  if (alias !== undefined && (await hasAlias(tx, owner, alias))) fail('alias-taken', { kind: 'DID', alias });
  const isDefault = request.isDefault ?? !(await hasDids(tx, owner));
  if (isDefault) await clearDefault(tx, owner);
  const row: DidRow = {
    id,
    owner,
    did,
    method,
    name: isHosted ? name : null,
    alias: alias ?? null,
    state: isHosted ? 'draft' : 'published',
    is_default: isDefault ? 1 : 0,
    service: JSON.stringify(servicesOf(did, request.service)),
    also_known_as: JSON.stringify(request.alsoKnownAs),
    version: 1,
    created_at: now,
    published_at: isHosted ? null : now,
    unpublished_at: null,
  };
  await insertDid(tx, row);
  for (const key of carried) await deps.publication.addKey(transaction, row, key.id);
  audit('did.created', { kind: 'did', id }, { did });
  invalidate(ownerTag(owner));
}

export async function createDid(
  deps: DidDeps,
  caller: Caller,
  request: DidRequest,
  once: IdempotentRequest,
): Promise<DidDetails> {
  const { clock, change, keys } = deps;
  const { owner } = caller;
  const method = readMethod(request, deps.publicUrl());
  const earlier = await once.earlierResult();
  if (earlier !== undefined)
    return getDid(deps, owner, earlier).catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'not-found' ? fault('idempotent-result-gone') : error;
    });
  const id = newDidId(clock.now());
  const draft = request.keyIds ? undefined : await keys.draft(owner);
  const didId = await change(caller, owner, async (transaction) => {
    const before = await once.claim(transaction, id);
    if (before !== undefined) {
      transaction.audit('did.repeated', { kind: 'did', id: before });
      return before;
    }
    const carried = draft
      ? [await keys.add(transaction, owner, draft, {})]
      : await keys.active(transaction, owner, request.keyIds!);
    await insert(deps, transaction, request, { id, owner, method, carried });
    return id;
  });
  return getDid(deps, owner, didId);
}
