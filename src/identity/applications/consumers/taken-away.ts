// What a change of a consumer takes away from it, and from what it already has.
import { lockRow } from '../../../platform/database/index.ts';
import type { ConsumerRow, Database, Tx } from '../../ground/database/index.ts';
import { authenticationStamp } from './authentication.ts';
import { grantsOf } from './grants.ts';
import { attributesOf, OPENID_SCOPES, openidFieldsOf, SKIP_CONSENT } from './openid-fields.ts';
import { isStricter, profileOf } from './security-profiles.ts';

type ComparedRow = Pick<
  ConsumerRow,
  'redirect_uris' | 'client_type' | 'grant_type' | 'extra' | 'skips_consent' | 'skips_consent_for'
>;

/** The attributes of a consumer that are compared. */
export const comparable = (row: ComparedRow) => {
  const { allowed_scopes: scopes, [SKIP_CONSENT]: skipsConsent } = openidFieldsOf(attributesOf(row));
  return {
    uris: JSON.parse(row.redirect_uris) as string[],
    scopes: new Set((scopes as string[] | undefined) ?? OPENID_SCOPES),
    clientType: row.client_type,
    grantTypes: grantsOf(row),
    skipsConsent: skipsConsent === true,
    profile: profileOf(openidFieldsOf(attributesOf(row))),
  };
};
export type Comparable = ReturnType<typeof comparable>;

export const isSame = (one: Iterable<string>, other: Iterable<string>): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/** What of a change takes something away that codes, tokens and consents still have: they end. */
const TAKES_AWAY: readonly ((before: Comparable, after: Comparable) => boolean)[] = [
  // Those that were issued for the old addresses may be in the wrong hands.
  (before, after) => !isSame(before.uris, after.uris),
  (before, after) => !before.scopes.isSubsetOf(after.scopes),
  (before, after) => !before.grantTypes.isSubsetOf(after.grantTypes),
  // People who were not asked have not agreed.
  (before, after) => before.skipsConsent && !after.skipsConsent,
  // What was got in a weaker way would go on.
  (before, after) => isStricter(before.profile, after.profile),
];

export const takesAway = (before: Comparable, after: Comparable): boolean => TAKES_AWAY.some((isTaken) => isTaken(before, after));

/** Whether it is gone, or its access ended since it was read. It stays as it is until the transaction ends. */
export async function hasLostSince({ dialect }: Pick<Database, 'dialect'>, tx: Tx, read: ConsumerRow): Promise<boolean> {
  const now = await lockRow({ dialect }, tx, 'consumers', read.id, 'share');
  if (now === undefined || now.access_epoch !== read.access_epoch) return true;
  // It has proved itself by a key that is not registered any more.
  if (authenticationStamp(now) !== authenticationStamp(read)) return true;
  // A replica of a version before 070-access-epoch ends it without a sign.
  return takesAway(comparable(read), comparable(now));
}
