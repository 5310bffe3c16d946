// Revocations that a Keystone recorded, in its table `revocation_event`. Tokens that it issued are good here, so what it ended must have ended
// here, too. Called again with the same events, it changes nothing.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { endProjectTokensBefore } from '../../directory/projects/index.ts';
import { endUserTokensBefore } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { KEYSTONE_CLOCK_MS } from '../keystone-tokens/index.ts';
import type { Revocations } from '../tokens/index.ts';

/** A row of the table, by the names of its columns. */
export interface KeystoneRevocation {
  readonly audit_id: string | null;
  readonly audit_chain_id: string | null;
  readonly user_id: string | null;
  readonly project_id: string | null;
  readonly domain_id: string | null;
  readonly role_id: string | null;
  readonly trust_id: string | null;
  readonly consumer_id: string | null;
  readonly access_token_id: string | null;
  /** In milliseconds. */
  readonly issued_before: number;
}

export interface TakenRevocations {
  readonly taken: number;
  /** They need no event here: roles, trusts and the like are looked at whenever a token is used. */
  readonly live: number;
  /** The user, the project or the domain is not here. */
  readonly unknown: number;
}

/** An event does not say how long its token would have lived. Keystone deletes it when that is over; its tokens live for hours, or days. */
const KEPT_SECONDS = 31 * 86_400;

const isAuditId = (id: string): boolean => /^[\w-]{22}$/.test(id);

export function createRevocationTakeOver({
  revocations,
  clock,
}: {
  readonly revocations: Pick<Revocations, 'takeOver'>;
  readonly clock: Clock;
}) {
  return async function takeOverRevocations(
    transaction: Change,
    events: readonly KeystoneRevocation[],
  ): Promise<TakenRevocations> {
    const [tokens, chains]: [string[], string[]] = [[], []];
    const counts = { taken: 0, live: 0, unknown: 0 };
    for (const event of events) {
      const { audit_id, audit_chain_id, user_id, project_id, domain_id, issued_before } = event;
      const targets = [user_id, project_id, domain_id].filter((id) => id !== null);
      const isOfToken = audit_id !== null || audit_chain_id !== null;
      const isLive = [event.role_id, event.trust_id, event.consumer_id, event.access_token_id].some((id) => id !== null);
      if (isOfToken) {
        if (audit_id !== null && isAuditId(audit_id)) tokens.push(audit_id);
        // Also one that is narrowed to a project: ending more of a chain that somebody revoked is the safe side. So is the first token of it.
        else if (audit_chain_id !== null && isAuditId(audit_chain_id)) {
          chains.push(audit_chain_id);
          tokens.push(audit_chain_id);
        }
        const isKnown = isAuditId((audit_id ?? audit_chain_id)!);
        counts[isKnown ? 'taken' : 'unknown']++;
        continue;
      }
      // A user and a project: the user lost a role there.
      if (isLive || targets.length !== 1) {
        counts.live++;
        continue;
      }
      // By Keystone's own clock, so that no other one is allowed for.
      const at = issued_before - KEYSTONE_CLOCK_MS;
      const isHere =
        user_id === null
          ? await endProjectTokensBefore(transaction, (project_id ?? domain_id)!, at)
          : await endUserTokensBefore(transaction, user_id, at);
      counts[isHere ? 'taken' : 'unknown']++;
    }
    await revocations.takeOver(transaction, { tokens, chains }, seconds(clock) + KEPT_SECONDS);
    return counts;
  };
}

export type TakeOverRevocations = ReturnType<typeof createRevocationTakeOver>;
