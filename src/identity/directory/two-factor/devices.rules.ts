// Remembered devices: users are not asked for a code there again. Each has an id and a token that changes with every renewal. A token
// that was already replaced must be a stolen copy, so its use removes all devices of the user.

import { createHash } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { DeviceRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { DomainSettingsOf } from '../domain-settings/index.ts';
import type { Guesser } from '../passwords/index.ts';
import {
  deleteDevice,
  deleteDevices,
  findDeviceToken,
  forgetOldTokens,
  hasDevice,
  insertDevice,
  insertDeviceToken,
  listDevices,
  replaceDeviceToken,
  sweepDevices,
  updateLastUsed,
} from './devices.store.ts';

/** Replaced tokens stored for each device, to recognise theft. */
const KEPT_TOKENS = 50;
const MAX_USER_AGENT = 255;
const DAY = 86_400;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

export interface DevicePair {
  readonly deviceId: string;
  readonly deviceToken: string;
}

export type DeviceCheck = 'good' | 'unknown' | 'stolen';

export interface DeviceDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly notify: Notify;
  readonly gate: Gate;
  readonly domainSettings: Pick<DomainSettingsOf, 'ofUser'>;
}

export function createDevices({ db, clock, change, notify, gate, config, domainSettings }: DeviceDeps) {
  const daysAgo = (days: number): number => seconds(clock) - days * DAY;
  /** Devices of this person that were remembered before this time have expired. */
  const oldestOf = async (userId: string, reader: Reader): Promise<number> =>
    daysAgo((await domainSettings.ofUser(userId, reader)).two_factor.deviceDays);
  const guess = (by: Guesser, userId: string, work: () => Promise<DeviceCheck>): Promise<DeviceCheck> =>
    gate.guess(by, `devices of ${userId}`, work, (found) => found === 'good');

  async function onTheft(transaction: Change, userId: string, deviceId: string): Promise<void> {
    const devices = await deleteDevices(transaction.tx, userId);
    transaction.audit('device.stolen', { kind: 'user', id: userId }, { device_id: deviceId, devices });
    await notify(transaction, 'device.stolen', userId);
  }

  /** A replaced token removes every device, in the same transaction. */
  async function checkToken(transaction: Change, userId: string, { deviceId, deviceToken }: DevicePair): Promise<DeviceCheck> {
    const { tx } = transaction;
    const found = await findDeviceToken(tx, userId, deviceId, hashOf(deviceToken), await oldestOf(userId, tx));
    if (!found) return 'unknown';
    if (found.replaced_at === null) return 'good';
    await onTheft(transaction, userId, deviceId);
    return 'stolen';
  }

  async function check(by: Guesser, userId: string, pair: DevicePair): Promise<DeviceCheck> {
    return guess(by, userId, () =>
      change(by, async (transaction) => {
        const outcome = await checkToken(transaction, userId, pair);
        if (outcome === 'good') await updateLastUsed(transaction.tx, pair.deviceId, seconds(clock));
        transaction.audit(`device.check_${outcome}`, { kind: 'user', id: userId }, { device_id: pair.deviceId });
        return outcome;
      }),
    );
  }

  async function renew(by: Guesser, userId: string, pair: DevicePair): Promise<DevicePair> {
    const token = newSecret();
    const replace = async (transaction: Change): Promise<DeviceCheck> => {
      const { tx, audit } = transaction;
      const found = await checkToken(transaction, userId, pair);
      audit(`device.renewal_${found}`, { kind: 'user', id: userId }, { device_id: pair.deviceId });
      if (found !== 'good') return found;
      await testPoint('device-renewal.in-transaction');
      if (!(await replaceDeviceToken(tx, hashOf(pair.deviceToken), seconds(clock)))) {
        // Two requests used the same token and the other was first, so this one is the copy.
        await onTheft(transaction, userId, pair.deviceId);
        return 'stolen';
      }
      await insertDeviceToken(tx, pair.deviceId, hashOf(token));
      await updateLastUsed(tx, pair.deviceId, seconds(clock));
      await forgetOldTokens(tx, pair.deviceId, KEPT_TOKENS);
      return 'good';
    };
    const outcome = await guess(by, userId, () => change(by, replace));
    if (outcome === 'unknown') fail('device.not_found', { id: pair.deviceId });
    if (outcome === 'stolen') fail('device.stolen');
    return { deviceId: pair.deviceId, deviceToken: token };
  }

  async function remember(actor: Actor, userId: string, userAgent: string): Promise<DevicePair> {
    const pair = { deviceId: newId(), deviceToken: newSecret() };
    const now = seconds(clock);
    await change(actor, async ({ tx, audit }) => {
      const agent = userAgent.slice(0, MAX_USER_AGENT);
      await failOnBrokenReference(
        () => fail('user.not_found', { id: userId }),
        () => insertDevice(tx, { id: pair.deviceId, user_id: userId, user_agent: agent, created_at: now, last_used_at: now }),
      );
      await insertDeviceToken(tx, pair.deviceId, hashOf(pair.deviceToken));
      audit('device.remembered', { kind: 'user', id: userId }, { device_id: pair.deviceId });
    });
    return pair;
  }

  return {
    check,
    remember,
    renew,
    list: async (userId: string): Promise<DeviceRow[]> => listDevices(db.read, userId, await oldestOf(userId, db.read)),
    has: (userId: string, deviceId: string): Promise<boolean> => hasDevice(db.read, userId, deviceId),
    /** Whether the token is valid. Writes nothing and counts no guess. */
    async isRemembered(userId: string, { deviceId, deviceToken }: DevicePair): Promise<boolean> {
      const oldest = await oldestOf(userId, db.read);
      return (await findDeviceToken(db.read, userId, deviceId, hashOf(deviceToken), oldest))?.replaced_at === null;
    },
    /** No domain remembers them for longer. */
    sweep: (): Promise<number> => sweepDevices(db, daysAgo(config.deviceDays)),
    async forgetAll(actor: Actor, userId: string): Promise<void> {
      await change(actor, async ({ tx, audit }) => {
        audit('device.all_forgotten', { kind: 'user', id: userId }, { devices: await deleteDevices(tx, userId) });
      });
    },
    async forget(actor: Actor, userId: string, deviceId: string): Promise<void> {
      await change(actor, async ({ tx, audit }) => {
        if (!(await deleteDevice(tx, userId, deviceId))) fail('device.not_found', { id: deviceId });
        audit('device.forgotten', { kind: 'user', id: userId }, { device_id: deviceId });
      });
    },
    /** When access of a user is revoked, in the same transaction. */
    forgetInTransaction: async ({ tx }: Change, userId: string): Promise<void> => void (await deleteDevices(tx, userId)),
  };
}

export type Devices = ReturnType<typeof createDevices>;
