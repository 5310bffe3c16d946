// Trusts, as Keystone has them. What a trust gives is read together with the roles that its trustor has now (delegation.ts).
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type DelegationRef, tagOf } from '../../access/context/index.ts';
import { actorAsVerified, type Caller, type IdentityTarget } from '../../access/rules/index.ts';
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { RoleRow, TrustRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { foundPage, pageOf, single, whereEquals } from '../../ground/resource/index.ts';
import { createCreateTrust, type TrustDeps, trustOfToken } from './create.rules.ts';
import {
  chainOf,
  deleteTrust,
  findTrust,
  listTrusts,
  markUsedUp,
  standingTrusts,
  sweepTrusts,
  type Trust,
  takeUse,
  trustsOf,
} from './trusts.store.ts';

const WEEK = 7 * 86_400;

/** Its tokens have ended, too. */
const isExpired = ({ expires_at }: TrustRow, now: number): boolean => expires_at !== null && expires_at <= now;
/** Nobody can log in with it any more. */
const isOver = (row: TrustRow, now: number): boolean =>
  isExpired(row, now) || (row.remaining_uses !== null && row.remaining_uses <= 0);

/** All that a user gave, or one of them, and what was passed on from these; returns how many. */
export async function endTrusts({ tx, audit, invalidate }: Change, userId: string, only?: string): Promise<number> {
  const ended = new Set<string>();
  for (const trust of await trustsOf(tx, userId, only)) for (const id of await deleteTrust(tx, trust)) ended.add(id);
  for (const id of ended) {
    invalidate(tagOf.delegation({ kind: 'trust', id }));
    audit('trust.deleted', { kind: 'trust', id }, { user_id: userId });
  }
  return ended.size;
}

export function createTrusts(deps: TrustDeps) {
  const { db, clock, change, config, users } = deps;

  /** As Keystone: everybody is told that there is no such trust. Ids are random, so that tells nobody which there are. */
  const targetUnless =
    (isMissing: typeof isOver) =>
    async (id: string): Promise<IdentityTarget<Trust>> => {
      const found = await findTrust(db.read, id);
      if (!found || isMissing(found.row, seconds(clock))) return fail('trust.not_found', { id });
      const { trustor_user_id: userId, trustee_user_id: trusteeId } = found.row;
      return { facts: { userId, trusteeId }, get: () => found };
    };

  const create = createCreateTrust(deps);

  /** The token of a last use outlives the trust's uses by this. */
  const tokenLife = config.tokenSeconds + config.allowExpiredSeconds;

  return {
    target: targetUnless(isOver),
    /** Also one that is used up: the tokens of its last uses end with it, and in no other way. */
    targetToRemove: targetUnless(isExpired),
    create,

    /** Facts of a list: for the trustor or the trustee whom it is limited to. */
    listTarget(query: Query): IdentityTarget<undefined> {
      const [userId, trusteeId] = [single(query, 'trustor_user_id'), single(query, 'trustee_user_id')];
      return { facts: { userId, trusteeId }, get: () => undefined };
    },

    async list(query: Query) {
      const criteria = (['trustor_user_id', 'trustee_user_id'] as const).flatMap((name) =>
        whereEquals(`trusts.${name}`, single(query, name)),
      );
      return foundPage(query, await listTrusts(db, pageOf(query), criteria));
    },

    /** By which others can act for this user, the newest first: also those that are used up, as long as a token of the last use may be good. */
    standing(userId: string, limit: number): Promise<TrustRow[]> {
      const now = seconds(clock);
      return standingTrusts(db.read, userId, { now, usedUpAfter: now - tokenLife, limit });
    },

    roleOf: ({ roles }: Trust, roleId: string): RoleRow =>
      roles.find(({ id }) => id === roleId) ?? fail('role.not_found', { id: roleId }),

    async remove(caller: Caller, { row }: Trust): Promise<void> {
      const used = trustOfToken(caller);
      // With a token of a trust, only what was passed on from it: the trustor's other trusts are none of its business.
      if (used !== undefined) {
        const above = (await chainOf(db.read, row))?.slice(1) ?? [];
        if (!above.some(({ id }) => id === used)) fail('auth.forbidden', { action: 'identity:delete_trust' });
      }
      await change(actorAsVerified(caller, row.trustor_user_id), async ({ tx, audit, invalidate }) => {
        const ids = await deleteTrust(tx, row.id);
        if (ids.length === 0) fail('trust.not_found', { id: row.id });
        for (const id of ids) {
          invalidate(tagOf.delegation({ kind: 'trust', id }));
          audit('trust.deleted', { kind: 'trust', id }, { user_id: row.trustor_user_id });
        }
      });
    },

    /** For a login of this user to a trust. `others`: who else it depends on. As Keystone: 401 when it has ended, 403 for others. */
    async forLogin(id: string, user: { readonly id: string }): Promise<{ delegation: DelegationRef; others: UserWithExpiry[] }> {
      const found = await findTrust(db.read, id);
      if (!found || isOver(found.row, seconds(clock))) throw loginRefused('trust unknown, ended or used up');
      if (found.row.trustee_user_id !== user.id) fail('trust.not_trustee');
      const chain = (await chainOf(db.read, found.row)) ?? fail('trust.gives_nothing');
      const ids = new Set(chain.flatMap((one) => [one.trustor_user_id, one.trustee_user_id]));
      ids.delete(user.id);
      const others: UserWithExpiry[] = [];
      for (const other of ids) others.push((await users.find(other)) ?? fail('trust.gives_nothing'));
      return { delegation: { kind: 'trust', id }, others };
    },

    /** The last step of that login. It fails if the trustee changed since they were checked, or if no use is left. */
    async use(id: string, user: { readonly id: string; readonly epoch: number }, { requestId }: LoginAttempt): Promise<void> {
      await change({ userId: user.id, requestId, epoch: user.epoch }, async ({ tx, audit }) => {
        const row = (await findTrust(tx, id))?.row;
        if (!row || (row.remaining_uses !== null && !(await takeUse(tx, id))))
          throw loginRefused('trust unknown, ended or used up');
        audit('trust.used', { kind: 'trust', id }, { user_id: row.trustor_user_id, trustee_user_id: user.id });
      });
    },

    /** Trusts that ended a week ago, or longer if tokens live longer. */
    async sweep(): Promise<number> {
      const now = seconds(clock);
      await markUsedUp(db, now);
      return sweepTrusts(db, { expiredBefore: now - WEEK, usedUpBefore: now - Math.max(WEEK, tokenLife) });
    },
  };
}

export type Trusts = ReturnType<typeof createTrusts>;
