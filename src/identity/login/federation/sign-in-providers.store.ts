// Identity providers with what people see of them, and the people who are linked with them, in the database.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type {
  Database,
  IdentityProviderRow,
  OpenidProviderRow,
  ProviderLinkRow,
  Reader,
  UserRow,
} from '../../ground/database/index.ts';
import { OPENID, OPENID4VP } from './assertion.ts';
import type { TrustedProvider } from './openid-settings.store.ts';

/** Null: it has no settings of this kind. */
export interface SignInProviderRow extends IdentityProviderRow {
  readonly issuer: string | null;
  readonly button_name: string | null;
  readonly button_order: number | null;
  readonly email_domains: string | null;
  readonly wallet_name: string | null;
  /** The provider itself, where it has settings for wallets. */
  readonly wallet_id: string | null;
  readonly openid_mapping: string | null;
  readonly wallet_mapping: string | null;
}

const signInProviders = (db: Reader) =>
  db
    .selectFrom('identity_providers')
    .leftJoin('openid_providers as openid', 'openid.provider_id', 'identity_providers.id')
    .leftJoin('wallet_providers as wallet', 'wallet.provider_id', 'identity_providers.id')
    .leftJoin('federation_protocols as by_openid', (join) =>
      join.onRef('by_openid.provider_id', '=', 'identity_providers.id').on('by_openid.id', '=', OPENID),
    )
    .leftJoin('federation_protocols as by_wallet', (join) =>
      join.onRef('by_wallet.provider_id', '=', 'identity_providers.id').on('by_wallet.id', '=', OPENID4VP),
    )
    .selectAll('identity_providers')
    .select(['openid.issuer', 'openid.button_name', 'openid.button_order', 'openid.email_domains'])
    .select(['wallet.name as wallet_name', 'wallet.provider_id as wallet_id'])
    .select(['by_openid.mapping_id as openid_mapping', 'by_wallet.mapping_id as wallet_mapping']);

export function listSignInProviders(db: Database, page: PageRequest): Promise<RowPage<SignInProviderRow> | undefined> {
  const all = signInProviders(db.read);
  return readPage(all, { table: 'identity_providers' }, page, all);
}

export const findSignInProvider = (db: Reader, id: string): Promise<SignInProviderRow | undefined> =>
  signInProviders(db).where('identity_providers.id', '=', id).executeTakeFirst();

/** With its settings and, where there is one, its mapping, whether people can sign in by it or not. */
export interface TriedProvider extends OpenidProviderRow {
  readonly domain_id: string;
  readonly authorization_ttl: number | null;
  readonly enabled: number;
  readonly rules: string | null;
  readonly schema_version: string | null;
}

export const findTriedProvider = (db: Reader, id: string): Promise<TriedProvider | undefined> =>
  db
    .selectFrom('openid_providers')
    .innerJoin('identity_providers as provider', 'provider.id', 'openid_providers.provider_id')
    .leftJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').on('protocol.id', '=', OPENID),
    )
    .leftJoin('mappings', 'mappings.id', 'protocol.mapping_id')
    .where('provider.id', '=', id)
    .selectAll('openid_providers')
    .select(['provider.domain_id', 'provider.authorization_ttl', 'provider.enabled'])
    .select(['mappings.rules', 'mappings.schema_version'])
    .executeTakeFirst();

type Tried = Omit<TrustedProvider, 'rules' | 'schema_version'> & Pick<TriedProvider, 'rules' | 'schema_version'>;

/** Of a provider whose people show credentials. */
export const findTriedWalletProvider = (db: Reader, id: string): Promise<Tried | undefined> =>
  db
    .selectFrom('wallet_providers')
    .innerJoin('identity_providers as provider', 'provider.id', 'wallet_providers.provider_id')
    .leftJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').on('protocol.id', '=', OPENID4VP),
    )
    .leftJoin('mappings', 'mappings.id', 'protocol.mapping_id')
    .where('provider.id', '=', id)
    .select(['wallet_providers.provider_id', 'wallet_providers.name as button_name', 'wallet_providers.email_domains'])
    .select(['wallet_providers.trusts_email', 'wallet_providers.whole_service', 'wallet_providers.may_give_admin'])
    .select(['wallet_providers.version', 'provider.domain_id', 'provider.authorization_ttl'])
    .select(['mappings.rules', 'mappings.schema_version'])
    .executeTakeFirst();

export interface LinkedPerson extends ProviderLinkRow {
  readonly user_name: string;
  readonly user_domain_id: string;
  /** That have not ended. */
  readonly sessions: number | string | bigint;
}

export function listLinkedPeople(
  db: Database,
  { providerId, now }: { readonly providerId: string; readonly now: number },
  page: PageRequest,
): Promise<RowPage<LinkedPerson> | undefined> {
  const all = db.lists
    .selectFrom('provider_links')
    .innerJoin('users', 'users.id', 'provider_links.user_id')
    .where('provider_links.provider_id', '=', providerId)
    .selectAll('provider_links')
    .select(['users.name as user_name', 'users.domain_id as user_domain_id'])
    .select((eb) =>
      eb
        .selectFrom('provider_sessions as session')
        .whereRef('session.link_id', '=', 'provider_links.id')
        .where('session.expires_at', '>', now)
        .where((either) => either.or([either('session.session_hash', 'is not', null), either('session.for_api', '=', 1)]))
        .select((counted) => counted.fn.countAll().as('count'))
        .as('sessions'),
    )
    .$castTo<LinkedPerson>();
  return readPage(all, { table: 'provider_links' }, page, all);
}

export const findLinkOfProvider = (db: Reader, providerId: string, id: string): Promise<ProviderLinkRow | undefined> =>
  db.selectFrom('provider_links').where('provider_id', '=', providerId).where('id', '=', id).selectAll().executeTakeFirst();

export const nameOfUser = (db: Reader, id: string): Promise<Pick<UserRow, 'id' | 'name' | 'domain_id'> | undefined> =>
  db.selectFrom('users').where('id', '=', id).select(['id', 'name', 'domain_id']).executeTakeFirst();
