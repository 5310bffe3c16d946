// Changing a consumer.
import { type Caller, permit } from '../../access/rules/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { type ConsumerChanges, checkConsumerBody, extraAttributes } from './attributes.ts';
import { refuseBuiltIn } from './built-in.ts';
import { endGrants, lockConsumer, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { grantsOf } from './grants.ts';
import {
  attributesOf,
  columnsOf,
  OPENID_SCOPES,
  openidFieldsOf,
  postLogoutUrisOf,
  SKIP_CONSENT,
  setsPostLogoutUris,
} from './openid-fields.ts';
import { checkRedirectUriConflicts } from './redirect-uris.ts';

const revisedColumns = (current: ConsumerRow, body: ConsumerChanges) => ({
  name: body.name ?? current.name,
  description: body.description === undefined ? current.description : body.description,
  client_type: body.client_type ?? current.client_type,
  grant_type: body.grant_type ?? current.grant_type,
  redirect_uris: body.redirect_uris ? JSON.stringify(body.redirect_uris) : current.redirect_uris,
  scopes: body.scopes ? JSON.stringify(body.scopes) : current.scopes,
  ...columnsOf({ ...attributesOf(current), ...extraAttributes(body) }),
});

/** The attributes of a consumer that are compared. */
const comparable = (row: Pick<ConsumerRow, 'redirect_uris' | 'client_type' | 'grant_type' | 'extra' | 'skips_consent'>) => {
  const { allowed_scopes: scopes, [SKIP_CONSENT]: skipsConsent } = openidFieldsOf(attributesOf(row));
  return {
    uris: JSON.parse(row.redirect_uris) as string[],
    scopes: new Set((scopes as string[] | undefined) ?? OPENID_SCOPES),
    grantTypes: grantsOf(row),
    skipsConsent: skipsConsent === true,
  };
};
type Comparable = ReturnType<typeof comparable>;

const isSame = (one: Iterable<string>, other: Iterable<string>): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/** What of a change takes something away that codes, tokens and consents still have: they end. */
const TAKES_AWAY: readonly ((before: Comparable, after: Comparable) => boolean)[] = [
  // Those that were issued for the old addresses may be in the wrong hands.
  (before, after) => !isSame(before.uris, after.uris),
  (before, after) => !before.scopes.isSubsetOf(after.scopes),
  (before, after) => !before.grantTypes.isSubsetOf(after.grantTypes),
  // People who were not asked have not agreed.
  (before, after) => before.skipsConsent && !after.skipsConsent,
];

/** Whoever could send people to another address, or ask for more, could get what nobody agreed to. */
const needsTrust = (before: Comparable, after: Comparable): boolean =>
  before.skipsConsent !== after.skipsConsent ||
  (after.skipsConsent && !(isSame(before.uris, after.uris) && isSame(before.scopes, after.scopes)));

export async function reviseConsumer(
  { db, change }: ConsumerDeps,
  caller: Caller,
  consumer: ConsumerRow,
  body: ConsumerChanges,
): Promise<ConsumerRow> {
  const { id } = consumer;
  refuseBuiltIn(consumer);
  if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'consumer' });
  if (body.secret !== undefined) fail('request.bad_value', { field: 'secret', why: 'it cannot be changed with PATCH' });
  checkConsumerBody(body);
  return change(caller, async ({ tx, audit, invalidate }) => {
    const current = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
    const values = revisedColumns(current, body);
    // Only when the URIs change: old rows that fail the check can still be renamed.
    if (body.redirect_uris || setsPostLogoutUris(extraAttributes(body)))
      checkRedirectUriConflicts(JSON.parse(values.redirect_uris) as string[], postLogoutUrisOf(parseJson(values.extra)));
    const [before, after] = [comparable(current), comparable(values)];
    if (needsTrust(before, after)) permit(caller, 'trust_consumer');
    await updateConsumer(tx, id, values);
    if (TAKES_AWAY.some((takesAway) => takesAway(before, after))) await endGrants(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
    return { ...current, ...values };
  });
}
