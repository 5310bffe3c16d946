// Registering a consumer.
import { seconds } from '../../../platform/clock.ts';
import type { Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type Caller, permit } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { checkConsumerBody, extraAttributes } from './attributes.ts';
import { checkAuthentication, checkProfile } from './authentication.ts';
import type { CreateConsumer } from './consumers.schema.ts';
import { insertConsumer } from './consumers.store.ts';
import type { ConsumerDeps } from './deps.ts';
import { columnsOf, frontChannelUriOf, postLogoutUrisOf, SKIP_CONSENT } from './openid-fields.ts';
import { checkFrontChannelUri, checkRedirectUriConflicts } from './redirect-uris.ts';
import { NOT_REGISTERED, type RegistrationColumns } from './registration.ts';
import { type ConsumerWithSecret, newSealedSecret, withSecret } from './secrets.rules.ts';
import { checkSignInRequests } from './sign-in-requests.ts';

const registeredWith = ({
  registered_by: by,
  registration_domain_id: domain,
  registration_token: token,
}: RegistrationColumns) => ({
  registered_by: by,
  ...(domain === null ? {} : { domain_id: domain }),
  ...(token === null ? {} : { token }),
});

export type NewConsumer = Static<typeof CreateConsumer>['consumer'];

/** The row of a consumer that is not stored yet. */
export function newConsumerRow(
  { clock, seal }: Pick<ConsumerDeps, 'clock' | 'seal'>,
  body: NewConsumer,
  id: string,
  registration: RegistrationColumns = NOT_REGISTERED,
): ConsumerRow {
  const registered = {
    client_type: body.client_type ?? 'confidential',
    grant_type: body.grant_type ?? 'authorization_code',
    redirect_uris: JSON.stringify(body.redirect_uris ?? []),
  };
  return {
    id,
    name: body.name,
    description: body.description ?? null,
    ...registered,
    scopes: JSON.stringify(body.scopes ?? []),
    ...columnsOf(extraAttributes(body), registered),
    access_epoch: 0,
    secret: newSealedSecret(seal, id),
    previous_secret: null,
    previous_secret_until: null,
    created_at: seconds(clock),
    ...registration,
  };
}

/** Inserts a consumer in an existing transaction. */
export async function insertNewConsumer(
  deps: Pick<ConsumerDeps, 'clock' | 'seal'>,
  { tx, audit }: Change,
  body: NewConsumer,
  id = newId(),
  registration: RegistrationColumns = NOT_REGISTERED,
): Promise<ConsumerRow> {
  const row = newConsumerRow(deps, body, id, registration);
  checkAuthentication(row);
  checkProfile(row);
  checkSignInRequests(row);
  await insertConsumer(tx, row);
  if (registration.registered_by === null) audit('consumer.created', { kind: 'consumer', id });
  else audit('consumer.registered_itself', { kind: 'consumer', id }, registeredWith(registration));
  return row;
}

export async function createConsumer(deps: ConsumerDeps, caller: Caller, body: NewConsumer): Promise<ConsumerWithSecret> {
  checkConsumerBody(body);
  if (extraAttributes(body)[SKIP_CONSENT] === true) permit(caller, 'trust_consumer');
  checkRedirectUriConflicts(body.redirect_uris ?? [], postLogoutUrisOf(extraAttributes(body)));
  checkFrontChannelUri(body.redirect_uris ?? [], frontChannelUriOf(extraAttributes(body)));
  const row = await deps.change(caller, async (transaction) => {
    const inserted = await insertNewConsumer(deps, transaction, body);
    await deps.management.onRegistered(transaction, caller, inserted.id);
    return inserted;
  });
  return withSecret(deps, row);
}
