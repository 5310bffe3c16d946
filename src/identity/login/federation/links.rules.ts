// The accounts at providers that a person has linked.
import { tagOf } from '../../access/context/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Actor, Change, RunChange } from '../../ground/audit/index.ts';
import type { Database, ProviderLinkRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { OPENID } from './assertion.ts';
import type { Entitlements } from './entitlement-changes.rules.ts';
import type { EntitlementRules } from './entitlements.rules.ts';
import { deleteLinks, hasWalletLink, listLinks, usableLinks } from './links.store.ts';
import type { ProviderSessions } from './provider-sessions.rules.ts';
import { isOfTrustedIssuer } from './wallet-providers.rules.ts';
import { usableWalletLinks, type WalletLink } from './wallet-settings.store.ts';

export interface LinkDeps {
  readonly db: Database;
  readonly change: RunChange;
  readonly entitlements: EntitlementRules;
  readonly sessions: ProviderSessions;
  readonly notify: Notify;
  readonly users: Pick<Users, 'lock'>;
  /** Whether people of this domain may sign in with a wallet. */
  hasWallets(tx: Tx, domainId: string): Promise<boolean>;
  /** Whether the account can be entered without a provider. */
  hasOtherWay(tx: Tx, userId: string): Promise<boolean>;
  onUnlinked(change: Change, about: { readonly userId: string; readonly provider: string }): Promise<void>;
}

export interface LinkedAccount extends Pick<ProviderLinkRow, 'id' | 'label' | 'created_at' | 'last_used_at'> {
  readonly provider: string;
}

interface EndedLink {
  readonly userId: string;
  readonly id: string;
  /** There is none any more. */
  missing(): never;
  /** Fails when it has to stay. */
  mayEnd?(): Promise<void>;
}

export function createLinks({
  db,
  change,
  entitlements,
  sessions,
  notify,
  users,
  hasWallets,
  hasOtherWay,
  onUnlinked,
}: LinkDeps) {
  /** Wallets are asked for what the provider trusts where its domain has wallets, and let in people of domains that have them. */
  async function walletLinks(tx: Tx, userId: string): Promise<WalletLink[]> {
    const links = (await usableWalletLinks(tx, userId)).filter(isOfTrustedIssuer);
    const usable: WalletLink[] = [];
    for (const link of links)
      if ((await hasWallets(tx, link.domain_id)) && (await hasWallets(tx, link.user_domain_id))) usable.push(link);
    return usable;
  }

  /** Not one by which the person would be asked to prove the account: they need another way for that. */
  async function hasUsable(tx: Tx, userId: string, exceptId?: string): Promise<boolean> {
    for (const link of [...(await usableLinks(tx, OPENID, userId)), ...(await walletLinks(tx, userId))])
      if (link.id !== exceptId && !(await entitlements.needsProof(tx, link, link))) return true;
    return false;
  }

  /** Ends the sessions begun through it, too, and what its mapping gave. */
  async function end(transaction: Change, { userId, id, missing, mayEnd = async () => {} }: EndedLink): Promise<void> {
    const { tx, audit } = transaction;
    // Locked, so that of two ways in that are removed at the same time the last one stays.
    await users.lock(tx, userId);
    const link = (await listLinks(tx, userId)).find((one) => one.id === id) ?? missing();
    await mayEnd();
    await entitlements.takeBack(transaction, [{ linkId: id, userId, entitlements: JSON.parse(link.given) as Entitlements }]);
    await sessions.end(transaction, { providerId: link.provider_id, linkId: id });
    await deleteLinks(tx, [id]);
    transaction.invalidate(tagOf.providerLink(id));
    transaction.invalidate(tagOf.user(userId));
    const detail = { identity_provider_id: link.provider_id, link_id: id };
    audit('user.provider_unlinked', { kind: 'user', id: userId }, detail);
    await notify(transaction, 'provider.unlinked', userId);
    await onUnlinked(transaction, { userId, provider: link.button_name ?? link.provider_id });
  }

  return {
    end,

    list: async (userId: string): Promise<LinkedAccount[]> =>
      (await listLinks(db.read, userId)).map(({ id, label, created_at, last_used_at, provider_id, button_name }) => ({
        id,
        label,
        created_at,
        last_used_at,
        provider: button_name ?? provider_id,
      })),

    /** For passkeys: whether the account can be entered through a provider. */
    hasUsable,

    /** The providers to which somebody can be sent, and which let this person in then. */
    async usableProviders(userId: string): Promise<ReadonlySet<string>> {
      const found = new Set<string>();
      for (const link of await usableLinks(db.read, OPENID, userId))
        if (!(await entitlements.needsProof(db.read, link, link))) found.add(link.provider_id);
      return found;
    },

    /** Whether what a provider vouched for may have been shown from a wallet. */
    mayBeByWallet: (userId: string): Promise<boolean> => hasWalletLink(db.read, userId),

    /** By the person: the last way in stays. */
    remove: (actor: Actor, userId: string, id: string): Promise<void> =>
      change(actor, (transaction) =>
        end(transaction, {
          userId,
          id,
          missing: () => fail('provider_link.not_found', { id }),
          mayEnd: async () => {
            if (!(await hasOtherWay(transaction.tx, userId)) && !(await hasUsable(transaction.tx, userId, id)))
              fail('provider_link.last_way_in');
          },
        }),
      ),
  };
}

export type ProviderLinks = ReturnType<typeof createLinks>;
