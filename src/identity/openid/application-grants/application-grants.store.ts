// Who has records of an application, in the database.
import type { PageRequest } from '../../../platform/database/index.ts';
import type { Reader } from '../../ground/database/index.ts';

const MODELS = ['Consent', 'Grant', 'AccessToken', 'ApiToken', 'RefreshToken'] as const;

export interface GrantHolder {
  readonly userId: string;
  readonly consents: number;
  readonly accessTokens: number;
  readonly refreshTokens: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** One row for each user, by user id; one more than the limit. With `userId` at most that one. */
export async function readGrantHolders(
  db: Reader,
  consumerId: string,
  { limit, marker, now, userId }: PageRequest & { readonly now: number; readonly userId?: string },
): Promise<GrantHolder[]> {
  const rows = await db
    .selectFrom('openid_records')
    .where('consumer_id', '=', consumerId)
    .where('user_id', 'is not', null)
    .where('model', 'in', [...MODELS])
    .where('consumed_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .$if(marker !== undefined, (query) => query.where('user_id', '>', marker!))
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .groupBy('user_id')
    .orderBy('user_id')
    .limit(limit + 1)
    .select((eb) => {
      const count = (...models: readonly (typeof MODELS)[number][]) =>
        eb.fn.sum<number | string>(eb.case().when('model', 'in', models).then(1).else(0).end());
      return [
        'user_id',
        count('Consent').as('consents'),
        count('AccessToken', 'ApiToken').as('access_tokens'),
        count('RefreshToken').as('refresh_tokens'),
        eb.fn.min('created_at').as('first_at'),
        eb.fn.max('created_at').as('last_at'),
      ];
    })
    .execute();
  return rows.map((row) => ({
    userId: row.user_id!,
    consents: Number(row.consents),
    accessTokens: Number(row.access_tokens),
    refreshTokens: Number(row.refresh_tokens),
    firstAt: Number(row.first_at),
    lastAt: Number(row.last_at),
  }));
}
