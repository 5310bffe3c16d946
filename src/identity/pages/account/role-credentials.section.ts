// A person takes their roles along as credentials in a wallet, sees what was issued, and revokes it.
import { seconds } from '../../../platform/clock.ts';
import type { IssuedFormatName } from '../../../verifiable/issuing/index.ts';
import { namesOfConsumers } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { IssuedCredentials } from '../../role-credentials/issued/index.ts';
import type { CredentialType, CredentialTypes } from '../../role-credentials/types/index.ts';
import { type IssuedOnPage, offerSection, roleCredentialsSections } from './role-credentials.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

/** Offers for wallets. */
export interface CredentialOffers {
  /** Types of which the person has a role. */
  available(userId: string): Promise<
    readonly {
      readonly type: CredentialType;
      readonly configurations: readonly { readonly id: string; readonly format: IssuedFormatName }[];
    }[]
  >;
  /** Fails for what the person cannot receive now. `expiresAt` in seconds. */
  make(
    caller: { readonly userId: string },
    actor: Actor,
    userId: string,
    wish: {
      readonly configurationIds: readonly string[];
      readonly grant: 'pre-authorized_code';
      readonly hasTxCode: boolean;
      /** Where the person finds the code. */
      readonly txCodeHint: string;
    },
  ): Promise<{ readonly uri: string; readonly txCode: string | undefined; readonly expiresAt: number }>;
}

export interface RoleCredentialDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly credentialTypes: Pick<CredentialTypes, 'find' | 'list'>;
  readonly issuedCredentials: Pick<IssuedCredentials, 'ofUser' | 'rolesOf' | 'revoke'>;
  readonly credentialOffers: CredentialOffers;
  readonly records: Records;
  readonly walletProviders: Pick<WalletProviders, 'wallet'>;
  /** Where people open the wallet node that runs with the service, if one does and they can. */
  walletAddress(): string | undefined;
}

type IssuedRow = Awaited<ReturnType<IssuedCredentials['ofUser']>>[number];
type Run = AccountStep['run'];

/** Of those that cannot be used any more, the page shows the latest. */
const MOST_ENDED = 10;

/**
 * A wallet gets several copies at once, each for another key, and gets new ones from time to time: they are one for the person, unless somebody
 * changed one of them alone. The newest first.
 */
const ofWallets = (rows: readonly IssuedRow[]): IssuedRow[][] => [
  ...Map.groupBy(rows, ({ series_id, batch_id, state }) => `${series_id ?? batch_id} ${state}`).values(),
];

/** The address of a wallet takes offers, too. Undefined for a scheme, which is for one kind of link only. */
function openedBy(walletLink: string, uri: string): string | undefined {
  const wallet = URL.parse(walletLink);
  if (wallet?.protocol !== 'https:' && wallet?.protocol !== 'http:') return undefined;
  for (const [name, value] of new URL(uri).searchParams) wallet.searchParams.set(name, value);
  return wallet.href;
}

/** Whoever has the link and the code gets credentials of the person. */
const offer =
  ({ credentialOffers, config, walletAddress }: RoleCredentialDeps): Run =>
  async (visit, form) => {
    const { user, actor } = visit.person;
    const made = await credentialOffers.make({ userId: user.id }, actor, user.id, {
      configurationIds: [form.text('configuration')],
      grant: 'pre-authorized_code',
      hasTxCode: true,
      txCodeHint: visit.look.words.offerCodeHint(visit.look.brand.name),
    });
    const link = openedBy(config.walletLink, made.uri);
    // By HAIP, the wallet node of this installation receives nothing.
    const node = link === undefined && !config.haip ? walletAddress() : undefined;
    const beside = node === undefined ? undefined : openedBy(`${node}/open`, made.uri);
    return { show: offerSection(visit, { ...made, link: link ?? made.uri, beside }) };
  };

/** What is revoked already counts as revoked by this. Credentials of others are none of the person's: there is no such credential. */
const revoke =
  ({ change, issuedCredentials, records, walletProviders }: RoleCredentialDeps): Run =>
  async ({ person: { user, actor, session } }, form) => {
    const id = form.text('credential');
    const own = await issuedCredentials.ofUser(user.id);
    const chosen = own.find((row) => row.id === id) ?? fail('issued_credential.not_found', { id });
    if (chosen.state !== 'revoked')
      await change(actor, async (transaction) => {
        await issuedCredentials.revoke(transaction, id, { reason: 'holder', isForWallet: true });
        await records.endWalletSessions(transaction, user.id, session);
        // The wallet may have several authorizations. Each of them is good for the next credential.
        if (chosen.client_id !== null && walletProviders.wallet(chosen.client_id))
          await records.endWallet(transaction, user.id, chosen.client_id);
      });
    return { done: 'credentialIsRevoked' };
  };

/** By batch, such as `Orders: buyer, reader`. An application that was deleted has no name any more. */
async function rolesTextOf({ db, issuedCredentials }: RoleCredentialDeps, batchIds: readonly string[]) {
  const said = await issuedCredentials.rolesOf(batchIds);
  const names = await namesOfConsumers(db.read, [...new Set(said.map((role) => role.application_id))]);
  const text = (all: typeof said): string =>
    [...Map.groupBy(all, ({ application_id }) => application_id)]
      .map(([id, own]) => {
        const roles = [...new Set(own.map(({ name }) => name))].join(', ');
        return names.has(id) ? `${names.get(id)}: ${roles}` : roles;
      })
      .join('; ');
  return new Map([...Map.groupBy(said, ({ batch_id }) => batch_id)].map(([id, all]) => [id, text(all)]));
}

async function issuedTo(deps: RoleCredentialDeps, rows: readonly IssuedRow[]): Promise<IssuedOnPage[]> {
  const now = seconds(deps.clock);
  const wallets = ofWallets(rows);
  const roles = await rolesTextOf(
    deps,
    wallets.map(([row]) => row!.batch_id),
  );
  const shown = await Promise.all(
    wallets.map(async (all): Promise<IssuedOnPage> => {
      const row = all[0]!;
      const firstAt = row.first_issued_at ?? row.issued_at;
      return {
        id: row.id,
        // The type, or the application, may be deleted.
        name: (await deps.credentialTypes.find(row.type_id))?.name ?? row.type_id,
        roles: roles.get(row.batch_id),
        copies: all.filter(({ batch_id }) => batch_id === row.batch_id).length,
        issuedAt: firstAt,
        refreshedAt: row.issued_at > firstAt ? row.issued_at : undefined,
        expiresAt: row.expires_at,
        changedAt: row.changed_at,
        state: row.state !== 'revoked' && row.expires_at <= now ? 'expired' : row.state,
      };
    }),
  );
  const [ended, usable] = [true, false].map((isOver) =>
    shown.filter(({ state }) => (state === 'revoked' || state === 'expired') === isOver),
  ) as [IssuedOnPage[], IssuedOnPage[]];
  return [...usable, ...ended.slice(0, MOST_ENDED)];
}

export const createRoleCredentialsSection = (deps: RoleCredentialDeps): AccountSection => ({
  page: 'applications',
  async show(visit) {
    const { credentialOffers, credentialTypes, issuedCredentials, db } = deps;
    const { id } = visit.person.user;
    const rows = await issuedCredentials.ofUser(id);
    if (rows.length === 0 && (await credentialTypes.list({ enabled: true })).length === 0) return undefined;
    const available = await credentialOffers.available(id);
    const names = await namesOfConsumers(
      db.read,
      available.map(({ type }) => type.applicationId),
    );
    return roleCredentialsSections(
      visit,
      available.map(({ type, configurations }) => ({
        name: type.name,
        description: type.description,
        application: names.get(type.applicationId),
        configurations,
      })),
      await issuedTo(deps, rows),
    );
  },
  steps: {
    'credential-offer': { needs: 'fresh sign-in', run: offer(deps) },
    'credential-revoke': { run: revoke(deps) },
  },
});
