// Remembered devices in the database. Tokens are stored as hashes only.
import type { Database, DeviceRow, Reader, Tx } from '../../ground/database/index.ts';

export async function insertDevice(tx: Tx, row: DeviceRow): Promise<void> {
  await tx.insertInto('devices').values(row).execute();
}

export async function insertDeviceToken(tx: Tx, deviceId: string, hash: string): Promise<void> {
  await tx.insertInto('device_tokens').values({ token_hash: hash, device_id: deviceId, replaced_at: null }).execute();
}

/** Undefined when the token never belonged to that device of the user, or the device has expired. */
export function findDeviceToken(
  db: Reader,
  userId: string,
  deviceId: string,
  hash: string,
  since: number,
): Promise<{ replaced_at: number | null } | undefined> {
  return db
    .selectFrom('device_tokens')
    .innerJoin('devices', 'devices.id', 'device_tokens.device_id')
    .where('devices.user_id', '=', userId)
    .where('devices.id', '=', deviceId)
    .where('devices.created_at', '>=', since)
    .where('device_tokens.token_hash', '=', hash)
    .select('device_tokens.replaced_at')
    .executeTakeFirst();
}

/** Compare and set: of two requests with the same token, only one succeeds. */
export async function replaceDeviceToken(tx: Tx, hash: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('device_tokens')
    .set({ replaced_at: now })
    .where('token_hash', '=', hash)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function updateLastUsed(tx: Tx, deviceId: string, now: number): Promise<void> {
  await tx.updateTable('devices').set({ last_used_at: now }).where('id', '=', deviceId).execute();
}

/** Replaced tokens are stored to recognise theft; only the newest `keep` of them stay. */
export async function forgetOldTokens(tx: Tx, deviceId: string, keep: number): Promise<void> {
  await tx
    .deleteFrom('device_tokens')
    .where('device_id', '=', deviceId)
    .where('replaced_at', 'is not', null)
    .where('token_hash', 'not in', (eb) =>
      eb
        .selectFrom('device_tokens as kept')
        .where('kept.device_id', '=', deviceId)
        .where('kept.replaced_at', 'is not', null)
        .orderBy('kept.replaced_at', 'desc')
        .limit(keep)
        .select('kept.token_hash'),
    )
    .execute();
}

export async function deleteDevices(tx: Tx, userId: string): Promise<number> {
  const result = await tx.deleteFrom('devices').where('user_id', '=', userId).executeTakeFirst();
  return Number(result.numDeletedRows);
}

export async function deleteDevice(tx: Tx, userId: string, deviceId: string): Promise<boolean> {
  const result = await tx.deleteFrom('devices').where('user_id', '=', userId).where('id', '=', deviceId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export const listDevices = (db: Reader, userId: string, since: number): Promise<DeviceRow[]> =>
  db
    .selectFrom('devices')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute();

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepDevices(db: Database, before: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('devices')
        .where('id', 'in', (eb) => eb.selectFrom('devices').where('created_at', '<', before).select('id').limit(SWEEP_BATCH))
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}

export async function hasDevice(db: Reader, userId: string, deviceId: string): Promise<boolean> {
  return (
    (await db.selectFrom('devices').where('user_id', '=', userId).where('id', '=', deviceId).select('id').executeTakeFirst()) !==
    undefined
  );
}
