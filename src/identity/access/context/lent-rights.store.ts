// Reads what providers gave to a user, and whether they may make people administrators.
import { sql } from 'kysely';
import type { Reader } from '../../ground/database/index.ts';

/** What one link with a provider gave (login/federation/entitlement-changes.rules.ts). */
export interface LinkRights {
  readonly providerId: string;
  readonly groups: readonly string[];
  readonly roles: readonly { readonly projectId: string; readonly roleId: string }[];
  /** As the provider is trusted now. A link of an issuer that its settings do not name any more gives nothing of that kind. */
  readonly mayGiveAdmin: boolean;
}

export async function lentTo(db: Reader, userId: string): Promise<LinkRights[]> {
  const rows = await db
    .selectFrom('provider_links as link')
    .leftJoin('openid_providers as openid', (join) =>
      join
        .onRef('openid.provider_id', '=', 'link.provider_id')
        .on('link.protocol_id', '=', 'openid')
        .on(sql<boolean>`rtrim(openid.issuer, '/') = rtrim(link.issuer, '/')`),
    )
    .leftJoin('wallet_providers as wallet', (join) =>
      join.onRef('wallet.provider_id', '=', 'link.provider_id').on('link.protocol_id', '=', 'openid4vp'),
    )
    .where('link.user_id', '=', userId)
    .select(['link.provider_id', 'link.given', 'openid.may_give_admin as by_openid', 'wallet.may_give_admin as by_wallet'])
    .execute();
  return rows.map(({ provider_id, given, by_openid, by_wallet }) => ({
    providerId: provider_id,
    ...(JSON.parse(given) as Pick<LinkRights, 'groups' | 'roles'>),
    mayGiveAdmin: (by_openid ?? by_wallet) === 1,
  }));
}

/** The groups in which somebody else than a provider put the user. */
export async function keptGroups(db: Reader, userId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('group_members')
    .where('user_id', '=', userId)
    .where('kept', '=', 1)
    .select('group_id')
    .execute();
  return new Set(rows.map(({ group_id }) => group_id));
}
