// The OpenID settings of identity providers in the database.
import { sql } from 'kysely';
import type { Database, IdentityProviderRow, MappingRow, OpenidProviderRow, Reader, Tx } from '../../ground/database/index.ts';

export const findOpenidSettings = (db: Reader, providerId: string): Promise<OpenidProviderRow | undefined> =>
  db.selectFrom('openid_providers').where('provider_id', '=', providerId).selectAll().executeTakeFirst();

export async function putOpenidSettings(tx: Tx, row: OpenidProviderRow): Promise<void> {
  const { provider_id: _, ...values } = row;
  await tx
    .insertInto('openid_providers')
    .values(row)
    .onConflict((conflict) => conflict.column('provider_id').doUpdateSet(values))
    .execute();
}

/** Clients of processes are made anew, and sign-ins that are going on do not go on with it. */
export async function setVersion(tx: Tx, providerId: string, version: number): Promise<void> {
  await tx.updateTable('openid_providers').set({ version }).where('provider_id', '=', providerId).execute();
}

export async function deleteOpenidSettings(tx: Tx, providerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('openid_providers').where('provider_id', '=', providerId).executeTakeFirst();
  return numDeletedRows > 0n;
}

const SETTINGS = ['openid_providers', 'wallet_providers'] as const;

export interface TakingBack extends Pick<OpenidProviderRow, 'provider_id' | 'taking_back'> {
  readonly settings: (typeof SETTINGS)[number];
}

/** Where what was given is to be taken back from everybody: at one provider or at all. */
export async function findTakingBack(db: Reader, providerId: string | undefined): Promise<TakingBack[]> {
  const found: TakingBack[] = [];
  for (const settings of SETTINGS) {
    const query = db.selectFrom(settings).where('taking_back', 'is not', null).select(['provider_id', 'taking_back']);
    const rows = await (providerId === undefined ? query : query.where('provider_id', '=', providerId)).execute();
    found.push(...rows.map((row) => ({ ...row, settings })));
  }
  return found;
}

/** It is done, unless the provider is trusted still less since. */
export async function endTakingBack(db: Database, { provider_id, taking_back, settings }: TakingBack): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable(settings)
      .set({ taking_back: null })
      .where('provider_id', '=', provider_id)
      .where('taking_back', '=', taking_back)
      .execute(),
  );
}

/** A provider that people can sign in by, whatever its protocol: enabled, in an enabled domain, with settings and a mapping. */
export interface TrustedProvider
  extends Pick<
      OpenidProviderRow,
      'provider_id' | 'button_name' | 'email_domains' | 'trusts_email' | 'whole_service' | 'may_give_admin' | 'version'
    >,
    Pick<IdentityProviderRow, 'domain_id' | 'authorization_ttl'>,
    Pick<MappingRow, 'rules' | 'schema_version'> {}

/** One that people sign in by with OpenID Connect. */
export interface UsableProvider extends OpenidProviderRow, TrustedProvider {
  button_name: string | null;
}

/** Providers that people can sign in by. */
export const usable = (db: Reader, protocol: string) =>
  db
    .selectFrom('openid_providers')
    .innerJoin('identity_providers as provider', 'provider.id', 'openid_providers.provider_id')
    .innerJoin('projects as domain', 'domain.id', 'provider.domain_id')
    .innerJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').on('protocol.id', '=', protocol),
    )
    .innerJoin('mappings', 'mappings.id', 'protocol.mapping_id')
    .where('provider.enabled', '=', 1)
    .where('domain.enabled', '=', 1)
    .selectAll('openid_providers')
    .select(['provider.domain_id', 'provider.authorization_ttl', 'mappings.rules', 'mappings.schema_version']);

export const findUsableProvider = (db: Reader, protocol: string, id: string): Promise<UsableProvider | undefined> =>
  usable(db, protocol).where('provider.id', '=', id).executeTakeFirst();

export type OfferedProvider = Pick<OpenidProviderRow, 'provider_id' | 'button_name' | 'email_domains'>;

/** After every button with a place. */
const UNPLACED = 1_000_000;

const offered = (db: Reader, protocol: string) =>
  usable(db, protocol)
    .clearSelect()
    .select(['openid_providers.provider_id', 'openid_providers.button_name', 'openid_providers.email_domains'])
    .orderBy(sql`coalesce(openid_providers.button_order, ${UNPLACED})`)
    .orderBy('openid_providers.button_name')
    .orderBy('openid_providers.provider_id');

/** For the sign-in page; in their order. */
export const listUsableProviders = (db: Reader, protocol: string, limit: number): Promise<OfferedProvider[]> =>
  offered(db, protocol).limit(limit).execute();

/** The first whose e-mail domains have this one. It has only letters, digits, dots and hyphens: no wildcard. */
export const findByEmailDomain = (db: Reader, protocol: string, domain: string): Promise<OfferedProvider | undefined> =>
  offered(db, protocol).where('openid_providers.email_domains', 'like', `%"${domain}"%`).limit(1).executeTakeFirst();
