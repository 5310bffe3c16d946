// Links between accounts here and people at providers, and what is needed to find an account.
import { sql } from 'kysely';
import { lockRows } from '../../../platform/database/index.ts';
import type { KeystoneLogin } from '../../access/context/index.ts';
import type { Database, GroupRow, OpenidProviderRow, ProviderLinkRow, Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { OPENID, OPENID4VP } from './assertion.ts';
import { usable } from './openid-settings.store.ts';

/** A link that was made in advance has the issuer of the settings, which may differ by a slash at the end. */
export const namesOfIssuer = (issuer: string): string[] => {
  const bare = issuer.replace(/\/$/, '');
  return [bare, `${bare}/`];
};

export async function findLink(
  db: Reader,
  { providerId, issuer, subject }: { readonly providerId: string; readonly issuer: string; readonly subject: string },
): Promise<ProviderLinkRow | undefined> {
  const rows = await db
    .selectFrom('provider_links')
    .where('provider_id', '=', providerId)
    .where('issuer', 'in', namesOfIssuer(issuer))
    .where('subject', '=', subject)
    .selectAll()
    .execute();
  return rows.find((row) => row.issuer === issuer) ?? rows[0];
}

/** Links that were made before the provider had OpenID settings are of the issuer that these name. */
export async function nameIssuer(tx: Tx, providerId: string, issuer: string): Promise<void> {
  await sql`update provider_links set issuer = ${issuer}
    where provider_id = ${providerId} and issuer = '' and not exists (
      select 1 from provider_links as named
      where named.provider_id = ${providerId} and named.issuer = ${issuer} and named.subject = provider_links.subject
    )`.execute(tx);
}

export async function insertLink(tx: Tx, row: ProviderLinkRow): Promise<void> {
  await tx.insertInto('provider_links').values(row).execute();
}

export async function updateLink(
  tx: Tx,
  id: string,
  values: Pick<ProviderLinkRow, 'given' | 'label' | 'by_address' | 'last_used_at'>,
): Promise<void> {
  await tx.updateTable('provider_links').set(values).where('id', '=', id).execute();
}

/** The links of one issuer that a provider has or had, in the order of an index. */
export interface LinkSelection {
  readonly providerId: string;
  readonly issuer: string;
  /** Only those that gave something: `given` is not this. */
  readonly nothing?: string | undefined;
  /** The subject of the last one that was read. */
  readonly after?: string | undefined;
}

export function someLinks(db: Reader, selection: LinkSelection, limit: number): Promise<ProviderLinkRow[]> {
  const { providerId, issuer, nothing, after } = selection;
  let query = db.selectFrom('provider_links').where('provider_id', '=', providerId).where('issuer', '=', issuer);
  if (nothing !== undefined) query = query.where('given', '<>', nothing);
  if (after !== undefined) query = query.where('subject', '>', after);
  return query.orderBy('subject').selectAll().limit(limit).execute();
}

/** Providers may write a slash at the end of their issuer that the settings do not have, or the other way round. */
const isSameIssuer = (one: string, other: string) => sql<boolean>`rtrim(${sql.ref(one)}, '/') = rtrim(${sql.ref(other)}, '/')`;

const DUE = sql`(settings.provider_id is null or settings.taking_back is not null)
  and (wallet.provider_id is null or wallet.taking_back is not null)`;

export interface LinkIssuer {
  readonly providerId: string;
  readonly issuer: string;
}

/**
 * The issuers that links name: of one provider or of all. `due`: only those that are not in the settings of their provider, or whose provider
 * is trusted less: what they gave is taken back. Those with a fragment are issuers of credentials (wallet-providers.rules.ts), whose
 * settings are all trusted or none. Each costs one look into the index, however many people it has.
 */
export async function issuersOfLinks(
  db: Reader,
  { providerId, due }: { readonly providerId?: string | undefined; readonly due: boolean },
): Promise<LinkIssuer[]> {
  const providers = providerId === undefined ? sql`1 = 1` : sql`provider.id = ${providerId}`;
  const { rows } = await sql<LinkIssuer>`
    with recursive issuers (provider_id, issuer) as (
      select provider.id, (select min(link.issuer) from provider_links link where link.provider_id = provider.id)
      from identity_providers provider where ${providers}
      union all
      select issuers.provider_id,
        (select min(link.issuer) from provider_links link where link.provider_id = issuers.provider_id and link.issuer > issuers.issuer)
      from issuers where issuers.issuer is not null
    )
    select issuers.provider_id as "providerId", issuers.issuer from issuers
    left join openid_providers settings
      on settings.provider_id = issuers.provider_id and ${isSameIssuer('settings.issuer', 'issuers.issuer')}
    left join wallet_providers wallet on wallet.provider_id = issuers.provider_id and issuers.issuer like '%#%'
    where issuers.issuer is not null and ${due ? DUE : sql`1 = 1`}`.execute(db);
  return rows;
}

export const findLinks = (tx: Tx, ids: readonly string[]): Promise<ProviderLinkRow[]> =>
  tx
    .selectFrom('provider_links')
    .where('id', 'in', [...ids])
    .selectAll()
    .execute();

export async function replaceGiven(tx: Tx, ids: readonly string[], given: string): Promise<void> {
  await tx
    .updateTable('provider_links')
    .set({ given })
    .where('id', 'in', [...ids])
    .execute();
}

export const linksOfUsers = (tx: Tx, userIds: readonly string[]): Promise<Pick<ProviderLinkRow, 'id' | 'user_id' | 'given'>[]> =>
  inChunks(userIds, (chunk) =>
    tx.selectFrom('provider_links').where('user_id', 'in', chunk).select(['id', 'user_id', 'given']).execute(),
  );

export const findLinkOfUser = (db: Reader, userId: string, id: string): Promise<ProviderLinkRow | undefined> =>
  db.selectFrom('provider_links').where('user_id', '=', userId).where('id', '=', id).selectAll().executeTakeFirst();

export async function deleteLinks(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('provider_links')
    .where('id', 'in', [...ids])
    .execute();
}

/** With the name of the provider, as people know it. */
export const listLinks = (db: Reader, userId: string): Promise<(ProviderLinkRow & { button_name: string | null })[]> =>
  db
    .selectFrom('provider_links')
    .leftJoin('openid_providers as openid', (join) =>
      join.onRef('openid.provider_id', '=', 'provider_links.provider_id').on('protocol_id', '=', OPENID),
    )
    .leftJoin('wallet_providers as wallet', (join) =>
      join.onRef('wallet.provider_id', '=', 'provider_links.provider_id').on('protocol_id', '=', OPENID4VP),
    )
    .where('user_id', '=', userId)
    .orderBy('provider_links.created_at')
    .orderBy('provider_links.id')
    .selectAll('provider_links')
    .select((eb) => eb.fn.coalesce('openid.button_name', 'wallet.name').as('button_name'))
    .execute();

/** Whether a person has signed in with credentials of others. */
export async function hasWalletLink(db: Reader, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom('provider_links')
    .where('user_id', '=', userId)
    .where('protocol_id', '=', OPENID4VP)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The providers that an account is linked with. */
export async function linkedProviderIds(db: Reader, userId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('provider_links').where('user_id', '=', userId).select('provider_id').distinct().execute();
  return new Set(rows.map((row) => row.provider_id));
}

export type UsableLink = Pick<ProviderLinkRow, 'id' | 'provider_id' | 'user_id' | 'by_address'> &
  Pick<OpenidProviderRow, 'may_give_admin'>;

/** The links of a person with providers that can be signed in by, and that are for accounts of their domain. */
export const usableLinks = (db: Reader, protocol: string, userId: string): Promise<UsableLink[]> =>
  usable(db, protocol)
    .clearSelect()
    .innerJoin('provider_links as link', (join) =>
      join.onRef('link.provider_id', '=', 'provider.id').on(isSameIssuer('link.issuer', 'openid_providers.issuer')),
    )
    .innerJoin('users', 'users.id', 'link.user_id')
    .where('users.id', '=', userId)
    .where((eb) =>
      eb.or([eb('openid_providers.whole_service', '=', 1), eb('provider.domain_id', '=', eb.ref('users.domain_id'))]),
    )
    .select(['link.id', 'link.provider_id', 'link.user_id', 'link.by_address', 'openid_providers.may_give_admin'])
    .execute();

/** A link by which tokens were made, with what they depend on. */
export interface TokenLink
  extends Pick<ProviderLinkRow, 'id' | 'provider_id' | 'protocol_id' | 'user_id' | 'given' | 'by_address'>,
    Pick<OpenidProviderRow, 'may_give_admin'> {
  domain_id: string;
  domain_epoch: number;
  domain_tokens_ended_at?: number | null | undefined;
  mapping_id: string;
}

/** The link of a person with a provider that is enabled, whether one can sign in by it here or not. */
export const findLinkAtProvider = (
  db: Reader,
  { userId, providerId, protocolId }: KeystoneLogin,
): Promise<TokenLink | undefined> =>
  db
    .selectFrom('provider_links as link')
    .innerJoin('identity_providers as provider', 'provider.id', 'link.provider_id')
    .innerJoin('projects as domain', 'domain.id', 'provider.domain_id')
    .innerJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').onRef('protocol.id', '=', 'link.protocol_id'),
    )
    .leftJoin('openid_providers as openid', 'openid.provider_id', 'provider.id')
    .where('link.user_id', '=', userId)
    .where('link.provider_id', '=', providerId)
    .where('link.protocol_id', '=', protocolId)
    .where('provider.enabled', '=', 1)
    .where('domain.enabled', '=', 1)
    .orderBy('link.id')
    .limit(1)
    .select(['link.id', 'link.provider_id', 'link.protocol_id', 'link.user_id', 'link.given', 'link.by_address'])
    .select(['provider.domain_id', 'domain.epoch as domain_epoch', 'protocol.mapping_id'])
    .select('domain.tokens_ended_at as domain_tokens_ended_at')
    .select(sql<number>`coalesce(openid.may_give_admin, 0)`.as('may_give_admin'))
    .executeTakeFirst();

/** The link of a session at the API. Undefined when either or the provider has ended, or the provider's tokens are not accepted any more. */
export const findLinkOfApiSession = (db: Reader, protocol: string, sessionId: string): Promise<TokenLink | undefined> =>
  usable(db, protocol)
    .clearSelect()
    .innerJoin('provider_links as link', (join) =>
      join.onRef('link.provider_id', '=', 'provider.id').on(isSameIssuer('link.issuer', 'openid_providers.issuer')),
    )
    .innerJoin('users', 'users.id', 'link.user_id')
    .innerJoin('provider_sessions as session', 'session.link_id', 'link.id')
    .where('session.id', '=', sessionId)
    .where('session.for_api', '=', 1)
    .where('openid_providers.accepts_tokens', '=', 1)
    .where((eb) =>
      eb.or([eb('openid_providers.whole_service', '=', 1), eb('provider.domain_id', '=', eb.ref('users.domain_id'))]),
    )
    .select(['link.id', 'link.provider_id', 'link.protocol_id', 'link.user_id', 'link.given', 'link.by_address'])
    .select(['openid_providers.may_give_admin', 'provider.domain_id', 'domain.epoch as domain_epoch', 'protocol.mapping_id'])
    .executeTakeFirst();

/** Up to `limit` accounts with this address; in all domains when none is named. */
export function usersWithEmail(
  db: Reader,
  key: string,
  { domainId, limit }: { readonly domainId: string | undefined; readonly limit: number },
): Promise<UserRow[]> {
  let query = db
    .selectFrom('users')
    .innerJoin('user_emails', 'user_emails.user_id', 'users.id')
    .where('user_emails.value_key', '=', key);
  if (domainId !== undefined) query = query.where('users.domain_id', '=', domainId);
  return query.selectAll('users').limit(limit).execute();
}

/** The row is locked so that two sign-ins do not give and take groups at the same time. */
export const lockUsers = (db: Database, tx: Tx, ids: readonly string[]): Promise<void> => lockRows(db, tx, 'users', ids);

/** Databases limit the number of parameters in a statement. */
const CHUNK = 500;

async function inChunks<T>(values: readonly string[], read: (chunk: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < values.length; at += CHUNK) found.push(...(await read(values.slice(at, at + CHUNK))));
  return found;
}

/** Which of these groups are in the domain. */
export function groupsOfDomain(
  db: Reader,
  domainId: string,
  by: 'id' | 'name',
  values: readonly string[],
): Promise<Pick<GroupRow, 'id' | 'name'>[]> {
  return inChunks(values, (chunk) =>
    db.selectFrom('groups').where('domain_id', '=', domainId).where(by, 'in', chunk).select(['id', 'name']).execute(),
  );
}

export const grantsOfGroups = (db: Reader, groupIds: readonly string[]) =>
  inChunks(groupIds, (chunk) =>
    db.selectFrom('grants').where('group_id', 'in', chunk).select(['group_id', 'role_id', 'target_id']).execute(),
  );
