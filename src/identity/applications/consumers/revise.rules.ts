// Changing a consumer.
import { type Caller, permit } from '../../access/rules/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { type ConsumerChanges, checkConsumerBody, extraAttributes } from './attributes.ts';
import { AUTHENTICATION_FIELDS, checkAuthentication, checkProfile } from './authentication.ts';
import { refuseBuiltIn } from './built-in.ts';
import { endGrants, lockConsumer, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import {
  attributesOf,
  columnsOf,
  frontChannelUriOf,
  postLogoutUrisOf,
  setsFrontChannelUri,
  setsPostLogoutUris,
} from './openid-fields.ts';
import { checkFrontChannelUri, checkRedirectUriConflicts } from './redirect-uris.ts';
import { isStrangers } from './registration.ts';
import { checkSignInRequests } from './sign-in-requests.ts';
import { type Comparable, comparable, isSame, takesAway } from './taken-away.ts';

function revisedColumns(current: ConsumerRow, body: ConsumerChanges) {
  const registered = {
    client_type: body.client_type ?? current.client_type,
    grant_type: body.grant_type ?? current.grant_type,
    redirect_uris: body.redirect_uris ? JSON.stringify(body.redirect_uris) : current.redirect_uris,
  };
  return {
    name: body.name ?? current.name,
    description: body.description === undefined ? current.description : body.description,
    ...registered,
    scopes: body.scopes ? JSON.stringify(body.scopes) : current.scopes,
    ...columnsOf({ ...attributesOf(current), ...extraAttributes(body) }, registered),
  };
}

/** Whoever could send people to another address, ask for more, or get tokens without proving themselves, could get what nobody agreed to. */
const needsTrust = (before: Comparable, after: Comparable): boolean =>
  before.skipsConsent !== after.skipsConsent ||
  (after.skipsConsent &&
    !(
      before.clientType === after.clientType &&
      isSame(before.uris, after.uris) &&
      isSame(before.scopes, after.scopes) &&
      isSame(before.grantTypes, after.grantTypes)
    ));

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
    const changed: Readonly<Record<string, unknown>> = { ...extraAttributes(body), ...body };
    if (AUTHENTICATION_FIELDS.some((field) => changed[field] !== undefined)) checkAuthentication({ ...current, ...values });
    if (body.redirect_uris || setsFrontChannelUri(extraAttributes(body)))
      checkFrontChannelUri(JSON.parse(values.redirect_uris) as string[], frontChannelUriOf(parseJson(values.extra)));
    checkProfile({ ...current, ...values });
    checkSignInRequests({ ...current, ...values });
    const [before, after] = [comparable(current), comparable(values)];
    if (needsTrust(before, after)) permit(caller, 'trust_consumer');
    if (after.skipsConsent && isStrangers(current)) fail('consumer.not_kept', { id });
    await updateConsumer(tx, id, values);
    if (takesAway(before, after)) await endGrants(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
    return { ...current, ...values };
  });
}
