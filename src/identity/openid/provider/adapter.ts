// The store of the OpenID provider, as it wants to see one.
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Payload } from './records/record.ts';
import type { Records } from './records/records.ts';
import type { Unfinished } from './unfinished.ts';

export interface AdapterDeps {
  readonly records: Records;
  readonly unfinished: Unfinished;
  client(id: string): Promise<AdapterPayload | undefined>;
  /** Whether a sign-in that waits to be collected is still enough to come in. */
  suffices(login: { readonly accountId: string; readonly amr?: readonly string[] }): Promise<boolean>;
  /** What to throw when a proof of a key comes again. */
  replayed(): Error;
  /** What to throw when a code or token was used by somebody else in the same moment. */
  alreadyUsed(): Error;
}

/** What may come once only: proofs of a key. */
const ONCE = 'ReplayDetection';

export const createAdapter = (deps: AdapterDeps) => {
  const { records, client, unfinished, alreadyUsed } = deps;

  async function findInteraction(id: string): Promise<Payload | undefined> {
    const found = await records.find('Interaction', id);
    const login = found?.result?.login as Parameters<AdapterDeps['suffices']>[0] | undefined;
    return login && !(await deps.suffices(login)) ? undefined : found;
  }

  /** The library would say that the grant is invalid; it is the proof (RFC 9449, 5). */
  async function neverFound(id: string): Promise<undefined> {
    if (await records.find(ONCE, id)) throw deps.replayed();
  }

  function find(model: string, id: string): Promise<AdapterPayload | undefined> {
    if (model === 'Client') return client(id);
    if (model === ONCE) return neverFound(id);
    return (model === 'Interaction' ? findInteraction(id) : records.find(model, id)) as Promise<AdapterPayload | undefined>;
  }

  return (model: string): Adapter => ({
    async upsert(id, payload, expiresIn) {
      if (!records.wasFound(model, id)) unfinished.take(model, payload as Payload);
      const kept = await records.save(model, id, payload as Payload, expiresIn, model === ONCE);
      if (!kept) throw deps.replayed();
    },
    find: (id) => find(model, id),
    findByUid: (uid) => records.findByUid(uid) as Promise<AdapterPayload | undefined>,
    findByUserCode: (code) => records.findByUserCode(code) as Promise<AdapterPayload | undefined>,
    async consume(id) {
      if (!(await records.consume(model, id))) throw alreadyUsed();
    },
    async destroy(id) {
      await records.destroy(model, id);
      unfinished.giveBack(model);
    },
    revokeByGrantId: (grantId) => records.revokeGrant(grantId),
  });
};
