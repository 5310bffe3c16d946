// The settings for credentials from wallets in the database.
import type { IdentityProviderRow, Reader, Tx, WalletProviderRow } from '../../ground/database/index.ts';
import { OPENID, OPENID4VP, type ServedProtocol } from './assertion.ts';
import { findUsableProvider, type TrustedProvider } from './openid-settings.store.ts';

export const findWalletSettings = (db: Reader, providerId: string): Promise<WalletProviderRow | undefined> =>
  db.selectFrom('wallet_providers').where('provider_id', '=', providerId).selectAll().executeTakeFirst();

export async function putWalletSettings(tx: Tx, row: WalletProviderRow): Promise<void> {
  const { provider_id: _, ...values } = row;
  await tx
    .insertInto('wallet_providers')
    .values(row)
    .onConflict((conflict) => conflict.column('provider_id').doUpdateSet(values))
    .execute();
}

export async function deleteWalletSettings(tx: Tx, providerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('wallet_providers').where('provider_id', '=', providerId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** One that people sign in by with credentials from their wallets. */
export interface UsableWalletProvider extends WalletProviderRow, TrustedProvider {
  domain_id: IdentityProviderRow['domain_id'];
}

const usableWallets = (db: Reader) =>
  db
    .selectFrom('wallet_providers')
    .innerJoin('identity_providers as provider', 'provider.id', 'wallet_providers.provider_id')
    .innerJoin('projects as domain', 'domain.id', 'provider.domain_id')
    .innerJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').on('protocol.id', '=', OPENID4VP),
    )
    .innerJoin('mappings', 'mappings.id', 'protocol.mapping_id')
    .where('provider.enabled', '=', 1)
    .where('domain.enabled', '=', 1);

const wholeRows = (db: Reader) =>
  usableWallets(db)
    .selectAll('wallet_providers')
    .select(['wallet_providers.name as button_name'])
    .select(['provider.domain_id', 'provider.authorization_ttl', 'mappings.rules', 'mappings.schema_version']);

export const findUsableWalletProvider = (db: Reader, id: string): Promise<UsableWalletProvider | undefined> =>
  wholeRows(db).where('provider.id', '=', id).executeTakeFirst();

/** By either protocol: its settings, and the mapping of this protocol. */
export const findTrustedProvider = (db: Reader, protocol: ServedProtocol, id: string): Promise<TrustedProvider | undefined> =>
  protocol === OPENID ? findUsableProvider(db, OPENID, id) : findUsableWalletProvider(db, id);

/** Those that wallets are asked for; in the order of their names, as people know them. */
export const listShownWalletProviders = (db: Reader, limit: number): Promise<UsableWalletProvider[]> =>
  wholeRows(db)
    .where('wallet_providers.shown', '=', 1)
    .orderBy((eb) => eb.fn.coalesce('wallet_providers.name', 'wallet_providers.provider_id'))
    .orderBy('wallet_providers.provider_id')
    .limit(limit)
    .execute();

/** The authorities that providers trust, whether or not people sign in by them now. */
export const listRootCertificates = (db: Reader) =>
  db
    .selectFrom('wallet_providers')
    .where('root_certificates', '!=', '[]')
    .orderBy('provider_id')
    .select(['provider_id', 'name', 'root_certificates'])
    .execute();

export interface WalletLink {
  readonly id: string;
  readonly user_id: string;
  readonly by_address: number;
  readonly issuer: string;
  readonly may_give_admin: number;
  /** JSON */
  readonly issuers: string;
  /** JSON */
  readonly root_certificates: string;
  /** Of the provider. */
  readonly domain_id: string;
  readonly user_domain_id: string;
}

/** The links of a person with providers of this kind that can be signed in by, and that are for accounts of their domain. */
export const usableWalletLinks = (db: Reader, userId: string): Promise<WalletLink[]> =>
  usableWallets(db)
    .innerJoin('provider_links as link', (join) =>
      join.onRef('link.provider_id', '=', 'provider.id').on('link.protocol_id', '=', OPENID4VP),
    )
    .innerJoin('users', 'users.id', 'link.user_id')
    .where('users.id', '=', userId)
    .where('wallet_providers.shown', '=', 1)
    .where((eb) =>
      eb.or([eb('wallet_providers.whole_service', '=', 1), eb('provider.domain_id', '=', eb.ref('users.domain_id'))]),
    )
    .select(['link.id', 'link.user_id', 'link.by_address', 'link.issuer'])
    .select(['wallet_providers.may_give_admin', 'wallet_providers.issuers', 'wallet_providers.root_certificates'])
    .select(['provider.domain_id', 'users.domain_id as user_domain_id'])
    .execute();
