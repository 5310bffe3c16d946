// What happens to the rows of applications that registered themselves. Who may cause it is decided in applications/client-registration.
import type { Change } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { extraAttributes } from './attributes.ts';
import { deleteConsumer, endGrants, updateConsumer } from './consumers.store.ts';
import type { NewConsumer } from './create.rules.ts';
import { tagOfConsumer } from './deps.ts';
import { columnsOf } from './openid-fields.ts';
import type { RegistrationColumns } from './registration.ts';
import { comparable, takesAway } from './taken-away.ts';

function columnsFor(current: ConsumerRow, body: NewConsumer) {
  const registered = {
    client_type: body.client_type ?? 'confidential',
    grant_type: current.grant_type,
    redirect_uris: JSON.stringify(body.redirect_uris ?? []),
  };
  return { name: body.name, ...registered, ...columnsOf(extraAttributes(body), registered) };
}

/** Whether it says of itself what is stored. */
export const saysTheSame = (current: ConsumerRow, body: NewConsumer): boolean =>
  Object.entries(columnsFor(current, body)).every(([column, value]) => current[column as keyof ConsumerRow] === value);

/** What it says of itself now, instead of all that it said before. Codes, tokens and consents end as after a change by its managers. */
export async function rewriteRegistered(
  { tx, invalidate }: Change,
  current: ConsumerRow,
  body: NewConsumer,
  registration: Partial<RegistrationColumns>,
): Promise<ConsumerRow> {
  const values = { ...columnsFor(current, body), ...registration };
  await updateConsumer(tx, current.id, values);
  if (takesAway(comparable(current), comparable({ ...current, ...values }))) await endGrants(tx, current.id);
  invalidate(tagOfConsumer(current.id));
  return { ...current, ...values };
}

export async function noteRegistration(
  { tx, invalidate }: Pick<Change, 'tx' | 'invalidate'>,
  { id }: ConsumerRow,
  registration: Partial<RegistrationColumns>,
): Promise<void> {
  await updateConsumer(tx, id, registration);
  invalidate(tagOfConsumer(id));
}

/** With its codes, tokens and consents. `reason`: for the audit event. */
export async function removeRegistered(
  { tx, audit, invalidate }: Change,
  { id }: Pick<ConsumerRow, 'id'>,
  reason: 'by_itself' | 'not_used' | 'refused',
): Promise<void> {
  await deleteConsumer(tx, id);
  invalidate(tagOfConsumer(id));
  audit('consumer.deleted', { kind: 'consumer', id }, { reason });
}
