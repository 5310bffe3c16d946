// The logo of an application. Everybody who signs in to it sees the logo. A new logo has a new address: browsers may keep the old one for ever.
import { seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { StoredPicture } from '../../directory/pictures/index.ts';
import type { ApplicationLogoRow, ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { refuseBuiltIn } from './built-in.ts';
import { lockConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { deleteLogo, findLogo, findLogoOf, logoIdsOf, putLogo } from './logo.store.ts';
import { logoImageIn, logoPath } from './logo-image.ts';

export type Logo = Omit<ApplicationLogoRow, 'consumer_id'>;

export async function replaceLogo(
  { db, clock, change }: ConsumerDeps,
  caller: Caller,
  consumer: ConsumerRow,
  content: string,
): Promise<Logo> {
  const { id } = consumer;
  refuseBuiltIn(consumer);
  const image = logoImageIn(content);
  const row: ApplicationLogoRow = {
    consumer_id: id,
    id: newSecret(),
    media_type: image.mediaType,
    content: image.content.toString('base64'),
    created_at: seconds(clock),
  };
  await change(caller, async ({ tx, audit, invalidate }) => {
    if (!(await lockConsumer(db, tx, id))) fail('consumer.not_found', { id });
    await putLogo(tx, row);
    invalidate(tagOfConsumer(id));
    audit('consumer.logo_changed', { kind: 'consumer', id });
  });
  return row;
}

export async function removeLogo({ db, change }: ConsumerDeps, caller: Caller, consumer: ConsumerRow): Promise<void> {
  const { id } = consumer;
  refuseBuiltIn(consumer);
  await change(caller, async ({ tx, audit, invalidate }) => {
    if (!(await lockConsumer(db, tx, id))) fail('consumer.not_found', { id });
    if (!(await deleteLogo(tx, id))) fail('consumer.no_logo', { id });
    invalidate(tagOfConsumer(id));
    audit('consumer.logo_removed', { kind: 'consumer', id });
  });
}

export const readLogo = async ({ db }: ConsumerDeps, { id }: ConsumerRow): Promise<Logo> =>
  (await findLogoOf(db.read, id)) ?? fail('consumer.no_logo', { id });

/** By its own id, for everybody. */
export async function readLogoImage({ db }: ConsumerDeps, id: string): Promise<StoredPicture | undefined> {
  const row = await findLogo(db.read, id);
  return row && { mediaType: row.media_type, content: Buffer.from(row.content, 'base64') };
}

/** For the pages that name an application. */
export async function logoPathOf({ db }: ConsumerDeps, consumerId: string): Promise<string | undefined> {
  const id = (await logoIdsOf(db.read, [consumerId])).get(consumerId);
  return id === undefined ? undefined : logoPath(id);
}
