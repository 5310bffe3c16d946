// Ends what a provider gave when it is deleted, is another one or is trusted less, and with a deletion its links: for any number of people, in
// batches. Each batch is a transaction of its own, so that none takes long and sign-ins at other providers go on. What remains after a crash
// is found again.
import { withDeadline } from '../../../platform/deadline.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Actor, type Change, type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database, ProviderLinkRow } from '../../ground/database/index.ts';
import type { Entitlements } from './entitlement-changes.rules.ts';
import { type EntitlementRules, NO_ENTITLEMENTS } from './entitlements.rules.ts';
import { holdIdentityProvider } from './identity-providers.store.ts';
import { deleteLinks, findLinks, issuersOfLinks, type LinkIssuer, lockUsers, replaceGiven, someLinks } from './links.store.ts';
import { endTakingBack, findTakingBack } from './openid-settings.store.ts';

/** The names of so many users fit into one message that other processes get about a change. */
const BATCH = 150;
const NOTHING = JSON.stringify(NO_ENTITLEMENTS);

export interface LinkBatchesDeps {
  readonly db: Database;
  readonly change: RunChange;
  readonly entitlements: Pick<EntitlementRules, 'takeBack'>;
}

export function createLinkBatches({ db, change, entitlements }: LinkBatchesDeps) {
  /** Users are locked first, so that no sign-in gives something meanwhile. Links that ended since are skipped. */
  async function takeBack(transaction: Change, links: readonly ProviderLinkRow[]): Promise<string[]> {
    const { tx, invalidate } = transaction;
    if (links.length === 0) return [];
    await lockUsers(
      db,
      tx,
      links.map((link) => link.user_id),
    );
    const current = await findLinks(
      tx,
      links.map((link) => link.id),
    );
    const taken = current.map((link) => ({
      linkId: link.id,
      userId: link.user_id,
      entitlements: JSON.parse(link.given) as Entitlements,
    }));
    await entitlements.takeBack(transaction, taken);
    // They show the accounts that they have at providers.
    for (const link of current) invalidate(tagOf.user(link.user_id));
    return current.map((link) => link.id);
  }

  /** The links of a provider that is closed. Returns how many there were. */
  const deleteBatch = (actor: Actor, { providerId, issuer }: LinkIssuer): Promise<number> =>
    change(actor, async (transaction) => {
      const { tx, audit } = transaction;
      const provider = await holdIdentityProvider(db, tx, providerId);
      const links = provider?.enabled === 0 ? await someLinks(tx, { providerId, issuer }, BATCH) : [];
      const ids = await takeBack(transaction, links);
      if (ids.length > 0) await deleteLinks(tx, ids);
      transaction.invalidate(tagOf.identityProvider(providerId));
      audit('identity_provider.links_deleted', { kind: 'identity_provider', id: providerId }, { links: ids.length });
      return links.length;
    });

  /** Of an issuer that the provider had before, or has and is trusted less with. Returns the last subject, or undefined at the end. */
  const takeBackBatch = (actor: Actor, { providerId, issuer }: LinkIssuer, after: string | undefined) =>
    change(actor, async (transaction) => {
      const { tx, audit } = transaction;
      await holdIdentityProvider(db, tx, providerId);
      const due = await issuersOfLinks(tx, { providerId, due: true });
      const isDue = due.some((one) => one.issuer === issuer);
      const links = isDue ? await someLinks(tx, { providerId, issuer, nothing: NOTHING, after }, BATCH) : [];
      const ids = await takeBack(transaction, links);
      if (ids.length > 0) await replaceGiven(tx, ids, NOTHING);
      transaction.invalidate(tagOf.identityProvider(providerId));
      audit('identity_provider.given_taken_back', { kind: 'identity_provider', id: providerId }, { links: ids.length });
      return links.length < BATCH ? undefined : links.at(-1)!.subject;
    });

  /** What issuers gave that are not those of their provider any more, and what providers gave that are trusted less since. */
  async function takeBackDue(actor: Actor, providerId?: string): Promise<void> {
    // Read before the links: what becomes due meanwhile stays due.
    const started = await findTakingBack(db.read, providerId);
    for (const of of await issuersOfLinks(db.read, { providerId, due: true })) {
      if ((await someLinks(db.read, { ...of, nothing: NOTHING }, 1)).length === 0) continue;
      let after: string | undefined;
      do after = await withDeadline(() => takeBackBatch(actor, of, after));
      while (after !== undefined);
    }
    for (const one of started) await withDeadline(() => endTakingBack(db, one));
  }

  return {
    /** After the issuer was replaced or removed (its people are others), or the provider is trusted less. */
    takeBackDue,

    /** In the background: finishes what was interrupted. */
    sweep: (): Promise<void> => takeBackDue(serviceActor),

    /** In the transaction that deletes the provider. False if there are too many links for it; then it must be closed, for `deleteAll`. */
    async deleteFew(transaction: Change, providerId: string): Promise<boolean> {
      const links: ProviderLinkRow[] = [];
      for (const of of await issuersOfLinks(transaction.tx, { providerId, due: false }))
        links.push(...(await someLinks(transaction.tx, of, BATCH + 1)));
      if (links.length > BATCH) return false;
      const ids = await takeBack(transaction, links);
      if (ids.length > 0) await deleteLinks(transaction.tx, ids);
      return true;
    },

    /** The links of a provider that is disabled. Stops when it is enabled again. */
    async deleteAll(actor: Actor, providerId: string): Promise<void> {
      for (const of of await issuersOfLinks(db.read, { providerId, due: false }))
        while ((await withDeadline(() => deleteBatch(actor, of))) === BATCH);
    },
  };
}

export type LinkBatches = ReturnType<typeof createLinkBatches>;
