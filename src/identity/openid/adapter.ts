// The store of the OpenID provider, as it wants to see one.
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Payload, Records } from './records.ts';

export interface AdapterDeps {
  readonly records: Records;
  client(id: string): Promise<AdapterPayload | undefined>;
  /** What to throw when a code or token was used by somebody else in the same moment. */
  alreadyUsed(): Error;
}

export const createAdapter =
  ({ records, client, alreadyUsed }: AdapterDeps) =>
  (model: string): Adapter => ({
    upsert: (id, payload, expiresIn) => records.save(model, id, payload as Payload, expiresIn),
    find: (id) => (model === 'Client' ? client(id) : (records.find(model, id) as Promise<AdapterPayload | undefined>)),
    findByUid: (uid) => records.findByUid(uid) as Promise<AdapterPayload | undefined>,
    findByUserCode: (code) => records.findByUserCode(code) as Promise<AdapterPayload | undefined>,
    async consume(id) {
      if (!(await records.consume(model, id))) throw alreadyUsed();
    },
    destroy: (id) => records.destroy(model, id),
    revokeByGrantId: (grantId) => records.revokeGrant(grantId),
  });
