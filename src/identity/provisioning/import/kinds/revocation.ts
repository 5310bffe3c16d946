// Tokens that the source revoked, by the columns of Keystone's table `revocation_event`. They name ids of the source: so do its tokens.
import { t } from '../../../../platform/http/index.ts';
import { recordKind } from '../kind.ts';
import { key, seconds } from './fields.ts';

const id = t.string({ minLength: 1, maxLength: 64 });

/** `issued_before`: in seconds. */
const schema = t.object(
  { key, issued_before: seconds },
  {
    audit_id: id,
    audit_chain_id: id,
    user_id: id,
    project_id: id,
    domain_id: id,
    role_id: id,
    trust_id: id,
    consumer_id: id,
    access_token_id: id,
  },
);

export const revocation = recordKind({
  schema,
  words: ({ key: its }) => `revocation ${its}`,
  async make({ change, deps }, records) {
    // One that is ahead would end tokens that were not issued yet, whoever asks for new ones.
    const before = (at: number): number => Math.min(at * 1000, deps.clock.now());
    const ids = new Map<string, string>();
    for (const { key: its, ...event } of records) {
      const { taken } = await deps.takeOverRevocations(change, [
        {
          audit_id: event.audit_id ?? null,
          audit_chain_id: event.audit_chain_id ?? null,
          user_id: event.user_id ?? null,
          project_id: event.project_id ?? null,
          domain_id: event.domain_id ?? null,
          role_id: event.role_id ?? null,
          trust_id: event.trust_id ?? null,
          consumer_id: event.consumer_id ?? null,
          access_token_id: event.access_token_id ?? null,
          issued_before: before(event.issued_before),
        },
      ]);
      if (taken > 0) ids.set(its, its);
    }
    return ids;
  },
  update: async (_, here) => here,
});
