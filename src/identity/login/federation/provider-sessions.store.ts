// Sign-ins through a provider in the database.
import { sql } from 'kysely';
import type {
  Database,
  OpenidProviderRow,
  ProviderLinkRow,
  ProviderSessionRow,
  Reader,
  Tx,
} from '../../ground/database/index.ts';
import { OPENID, OPENID4VP } from './assertion.ts';
import { namesOfIssuer, type TokenLink } from './links.store.ts';

export async function insertProviderSession(tx: Tx, row: ProviderSessionRow): Promise<void> {
  await tx.insertInto('provider_sessions').values(row).execute();
}

/** False when it has ended, or belongs to another session. */
export async function bindProviderSession(
  tx: Tx,
  id: string,
  values: { readonly session_hash: string; readonly expires_at: number },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('provider_sessions')
    .set(values)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('session_hash', 'is', null), eb('session_hash', '=', values.session_hash)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const mayGiveAdmin = sql<number>`coalesce(openid.may_give_admin, wallet.may_give_admin)`.as('may_give_admin');

/** Of providers that are enabled, in enabled domains, and have the protocol and its settings. */
const enabled = (db: Reader) =>
  db
    .selectFrom('provider_sessions')
    .innerJoin('provider_links as link', 'link.id', 'provider_sessions.link_id')
    .innerJoin('identity_providers as provider', 'provider.id', 'link.provider_id')
    .innerJoin('projects as domain', 'domain.id', 'provider.domain_id')
    .innerJoin('federation_protocols as protocol', (join) =>
      join.onRef('protocol.provider_id', '=', 'provider.id').onRef('protocol.id', '=', 'link.protocol_id'),
    )
    .leftJoin('openid_providers as openid', (join) =>
      join.onRef('openid.provider_id', '=', 'provider.id').on('link.protocol_id', '=', OPENID),
    )
    .leftJoin('wallet_providers as wallet', (join) =>
      join.onRef('wallet.provider_id', '=', 'provider.id').on('link.protocol_id', '=', OPENID4VP),
    )
    .where((eb) => eb.or([eb('openid.provider_id', 'is not', null), eb('wallet.provider_id', 'is not', null)]))
    .where('provider.enabled', '=', 1)
    .where('domain.enabled', '=', 1);

export type LiveSession = ProviderSessionRow &
  Pick<ProviderLinkRow, 'provider_id' | 'user_id' | 'subject' | 'by_address'> &
  Pick<OpenidProviderRow, 'may_give_admin'>;

/** The newest of this session that has not ended. */
export const findLiveSession = (db: Reader, sessionHash: string, now: number): Promise<LiveSession | undefined> =>
  enabled(db)
    .where('provider_sessions.session_hash', '=', sessionHash)
    .where('provider_sessions.expires_at', '>', now)
    .orderBy('provider_sessions.created_at', 'desc')
    .orderBy('provider_sessions.id')
    .selectAll('provider_sessions')
    .select(['link.provider_id', 'link.user_id', 'link.subject', 'link.by_address'])
    .select(mayGiveAdmin)
    .limit(1)
    .executeTakeFirst();

/** The link of a session of a browser. Its tokens end before it does. */
export const findLinkOfBrowserSession = (db: Reader, id: string): Promise<TokenLink | undefined> =>
  enabled(db)
    .where('provider_sessions.id', '=', id)
    .where('provider_sessions.for_api', '=', 0)
    .select(['link.id', 'link.provider_id', 'link.protocol_id', 'link.user_id', 'link.given', 'link.by_address'])
    .select(['provider.domain_id', 'domain.epoch as domain_epoch', 'protocol.mapping_id'])
    .select(mayGiveAdmin)
    .executeTakeFirst();

/** Those of a person that have not ended and belong to a session here. */
export const liveSessionsOf = (db: Reader, userId: string, now: number): Promise<LiveSession[]> =>
  enabled(db)
    .where('link.user_id', '=', userId)
    .where('provider_sessions.session_hash', 'is not', null)
    .where('provider_sessions.expires_at', '>', now)
    .selectAll('provider_sessions')
    .select(['link.provider_id', 'link.user_id', 'link.subject', 'link.by_address'])
    .select(mayGiveAdmin)
    .execute();

/** Only one of several processes uses the refresh token. */
export async function claimRefresh(db: Database, { id, refresh_at }: ProviderSessionRow, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db.write((tx) =>
    tx
      .updateTable('provider_sessions')
      .set({ refresh_at: until })
      .where('id', '=', id)
      .where('refresh_at', '=', refresh_at)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

type SessionChanges = Partial<Pick<ProviderSessionRow, 'sealed' | 'refresh_at' | 'expires_at'>>;

export async function updateProviderSessionIn(tx: Tx, id: string, values: SessionChanges): Promise<void> {
  await tx.updateTable('provider_sessions').set(values).where('id', '=', id).execute();
}

export const updateProviderSession = (db: Database, id: string, values: SessionChanges): Promise<void> =>
  db.write((tx) => updateProviderSessionIn(tx, id, values));

interface EndedSession {
  readonly id: string;
  readonly userId: string;
  readonly sessionHash: string | null;
}

export interface SessionSelection {
  readonly providerId: string;
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  readonly sidHash?: string | undefined;
  readonly linkId?: string | undefined;
  readonly id?: string | undefined;
}

/** Deletes the sessions of a provider that match all of what is named. */
export async function deleteProviderSessions(tx: Tx, selection: SessionSelection): Promise<EndedSession[]> {
  const { providerId, issuer, subject, sidHash, linkId, id } = selection;
  let query = tx
    .selectFrom('provider_sessions')
    .innerJoin('provider_links as link', 'link.id', 'provider_sessions.link_id')
    .where('link.provider_id', '=', providerId);
  if (issuer !== undefined) query = query.where('link.issuer', 'in', namesOfIssuer(issuer));
  if (subject !== undefined) query = query.where('link.subject', '=', subject);
  if (sidHash !== undefined)
    query = query.where((eb) => {
      const named = eb('provider_sessions.sid_hash', '=', sidHash);
      // A session of the person that the provider gave no id may be the one it means.
      return subject === undefined ? named : eb.or([named, eb('provider_sessions.sid_hash', 'is', null)]);
    });
  if (linkId !== undefined) query = query.where('link.id', '=', linkId);
  if (id !== undefined) query = query.where('provider_sessions.id', '=', id);
  const rows = await query.select(['provider_sessions.id', 'link.user_id', 'provider_sessions.session_hash']).execute();
  for (let at = 0; at < rows.length; at += 500)
    await tx
      .deleteFrom('provider_sessions')
      .where(
        'id',
        'in',
        rows.slice(at, at + 500).map((row) => row.id),
      )
      .execute();
  return rows.map((row) => ({ id: row.id, userId: row.user_id, sessionHash: row.session_hash }));
}

const allOf = (tx: Tx, providerId: string) =>
  tx
    .deleteFrom('provider_sessions')
    .where('link_id', 'in', (eb) => eb.selectFrom('provider_links').where('provider_id', '=', providerId).select('id'));

/** This and `deleteApiSessionsOf` do not read them: there may be many. */
export async function deleteAllSessionsOf(tx: Tx, providerId: string): Promise<void> {
  await allOf(tx, providerId).execute();
}

export async function deleteApiSessionsOf(tx: Tx, providerId: string): Promise<void> {
  await allOf(tx, providerId).where('for_api', '=', 1).execute();
}

/** That of logins at the API by this session at the provider, or by tokens that name none. */
export const findApiSession = (
  tx: Tx,
  linkId: string,
  sidHash: string | null,
  now: number,
): Promise<ProviderSessionRow | undefined> =>
  tx
    .selectFrom('provider_sessions')
    .where('link_id', '=', linkId)
    .where('for_api', '=', 1)
    .where('sid_hash', sidHash === null ? 'is' : '=', sidHash)
    .where('expires_at', '>', now)
    .selectAll()
    .limit(1)
    .executeTakeFirst();

/** What was signed out, and when; the latest time counts. */
export async function rememberLogout(tx: Tx, key: string, issuedAt: number, expiresAt: number): Promise<void> {
  await tx
    .insertInto('used_logout_tokens')
    .values({ token_hash: key, issued_at: issuedAt, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('token_hash')
        .doUpdateSet((eb) => ({ issued_at: eb.ref('excluded.issued_at'), expires_at: eb.ref('excluded.expires_at') }))
        .whereRef('used_logout_tokens.issued_at', '<', 'excluded.issued_at'),
    )
    .execute();
}

/** When one of these was last signed out. */
export async function lastLogout(tx: Tx, keys: readonly string[]): Promise<number | undefined> {
  const rows = await tx
    .selectFrom('used_logout_tokens')
    .where('token_hash', 'in', [...keys])
    .select('issued_at')
    .execute();
  const times = rows.flatMap(({ issued_at: at }) => at ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** False when it was used before. */
export async function useLogoutToken(tx: Tx, tokenHash: string, expiresAt: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('used_logout_tokens')
    .values({ token_hash: tokenHash, expires_at: expiresAt, issued_at: null })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Deletes up to `limit` rows of each kind that ended before. */
export async function deleteEnded(tx: Tx, before: number, limit: number): Promise<number> {
  const sessions = await tx
    .deleteFrom('provider_sessions')
    .where('id', 'in', (eb) => eb.selectFrom('provider_sessions').where('expires_at', '<', before).limit(limit).select('id'))
    .executeTakeFirst();
  const tokens = await tx
    .deleteFrom('used_logout_tokens')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('used_logout_tokens').where('expires_at', '<', before).limit(limit).select('token_hash'),
    )
    .executeTakeFirst();
  return Number(sessions.numDeletedRows + tokens.numDeletedRows);
}
