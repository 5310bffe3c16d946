// What administrators and managers of a domain do with applications that registered themselves: look, keep, delete. What nobody uses is deleted.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, targetOf, visibleDomain } from '../../access/rules/index.ts';
import { serviceActor } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { foundPage, pageOf, readFlag, single } from '../../ground/resource/index.ts';
import { findConsumer, isStrangers } from '../consumers/index.ts';
import { expiredStrangers, listRegistered } from './client-registration.store.ts';
import type { ClientRegistrationDeps } from './deps.ts';

const SWEPT_AT_ONCE = 100;
const ORIGINS = ['token', 'open', 'document'];

/** Rolls a deletion back. */
class StillUsed extends Error {}

function originIn(query: Query): string | undefined {
  const origin = single(query, 'registered_by');
  if (origin !== undefined && !ORIGINS.includes(origin))
    fail('request.bad_value', { field: 'registered_by', why: `it must be one of ${ORIGINS.join(', ')}` });
  return origin;
}

/** What somebody looked at who vouches for it now. */
interface Seen {
  readonly name?: string | undefined;
  readonly redirect_uris?: readonly string[] | undefined;
}

/** It changes itself until somebody keeps it, also between the look and the act. */
const saysWhatWasSeen = (row: ConsumerRow, { name = row.name, redirect_uris: uris }: Seen): boolean =>
  row.name === name && (uris === undefined || JSON.stringify(uris) === row.redirect_uris);

export function createRegistered(deps: ClientRegistrationDeps) {
  const { db, clock, change, consumers } = deps;
  const missing = (id: string): never => fail('consumer.not_found', { id });

  /** Not if it was used or kept since it was looked for. */
  async function removeExpired(id: string): Promise<boolean> {
    try {
      await change(serviceActor, async (transaction) => {
        const current = await consumers.lock(transaction, id);
        const expires = current?.registration_expires_at ?? null;
        if (!current || expires === null || expires > seconds(clock)) throw new StillUsed();
        await consumers.removeRegistered(transaction, current, 'not_used');
      });
      return true;
    } catch (error) {
      if (error instanceof StillUsed) return false;
      throw error;
    }
  }

  return {
    target: async (id: string): Promise<IdentityTarget<ConsumerRow>> => {
      const row = await findConsumer(db.read, id);
      return targetOf(
        row?.registered_by == null ? undefined : row,
        ({ registration_domain_id: domainId }) => ({ domainId }),
        () => missing(id),
      );
    },

    async list(caller: Caller, query: Query) {
      const domainId = visibleDomain(caller) ?? single(query, 'domain_id');
      const kept = readFlag(query, 'kept');
      return foundPage(query, await listRegistered(db, pageOf(query), { domainId, origin: originIn(query), kept }));
    },

    /** It does not end any more, and only its managers change it: the caller becomes one. */
    async keep(caller: Caller, { id }: ConsumerRow, seen: Seen = {}): Promise<ConsumerRow> {
      return change(caller, async (transaction) => {
        const current = (await consumers.lock(transaction, id)) ?? missing(id);
        if (!isStrangers(current)) fail('consumer.kept_already', { id });
        if (!saysWhatWasSeen(current, seen)) fail('consumer.changed_itself', { id });
        const kept = { registration_expires_at: null, registration_access_hash: null };
        await consumers.noteRegistration(transaction, current, kept);
        await consumers.adopt(transaction, caller, id);
        transaction.audit('consumer.kept', { kind: 'consumer', id });
        return { ...current, ...kept };
      });
    },

    async remove(caller: Caller, { id }: ConsumerRow): Promise<void> {
      await change(caller, async (transaction) => {
        const current = (await consumers.lock(transaction, id)) ?? missing(id);
        // Others rely on it by now: whoever manages it deletes it as every application.
        if (!isStrangers(current)) fail('consumer.kept_already', { id });
        await consumers.removeRegistered(transaction, current, 'refused');
      });
    },

    /** Deletes those that nobody used or kept. Returns how many. */
    async sweep(): Promise<number> {
      const rows = await expiredStrangers(db.read, seconds(clock), SWEPT_AT_ONCE);
      const removed = await Promise.all(rows.map(({ id }) => removeExpired(id)));
      return removed.filter(Boolean).length;
    },
  };
}

export type RegisteredApplications = ReturnType<typeof createRegistered>;
