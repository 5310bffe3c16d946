// /v3/OS-TWO-FACTOR/devices and /v3/users/{user_id}/OS-TWO-FACTOR/devices

import type { Query } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { single, wholeList } from '../../ground/resource/index.ts';
import type { DevicePair, Devices } from './devices.rules.ts';
import type { Factor } from './factor.rules.ts';
import { type Subject, withParsed } from './subject.ts';
import { USER_DOCUMENTATION } from './two-factor.documentation.ts';
import { DeviceList, DeviceReply, renderDevice } from './two-factor.schema.ts';

const tag = 'Remembered devices';

const REMEMBER_DOCUMENTATION = {
  query: {
    ...USER_DOCUMENTATION,
    device_id: 'The device that gets a new token. Without it, a new device is remembered.',
    device_token: 'Its current token. Required with device_id.',
  },
  headers: { 'User-Agent': 'Name of a new device in lists.' },
};
const CHECK_DOCUMENTATION = {
  query: { ...USER_DOCUMENTATION, device_id: 'The device.', device_token: 'Its current token.' },
  required: ['device_id', 'device_token'],
};

/** Undefined when neither is given. */
function pairOf(query: Query): DevicePair | undefined {
  const [deviceId, deviceToken] = [single(query, 'device_id'), single(query, 'device_token')];
  if (deviceId && deviceToken) return { deviceId, deviceToken };
  if (deviceId) return fail('request.bad_value', { field: 'device_token', why: 'it is required with device_id' });
  if (deviceToken) return fail('request.bad_value', { field: 'device_id', why: 'it is required with device_token' });
  return undefined;
}

export function mountDevices(
  app: IdentityApp,
  { devices, factor, subject }: { devices: Devices; factor: Factor; subject: Subject },
): void {
  const all = '/v3/OS-TWO-FACTOR/devices';
  const own = '/v3/users/:user_id/OS-TWO-FACTOR/devices';

  const target = ({ params }: { params: { user_id: string } }) => subject.target(params.user_id);

  app.post(
    all,
    {
      id: 'rememberDevice',
      summary: 'Remember a device',
      description:
        'A remembered device replaces the second factor. With its id and token it gets a new token. An old token that is used again counts as stolen: all devices of the user are forgotten.',
      tag,
      rule: 'remember_device',
      target: async ({ query }) => withParsed(pairOf(query), await subject.queryTarget(query)),
      documentation: REMEMBER_DOCUMENTATION,
      reply: { 200: DeviceReply },
    },
    async ({ caller, target: { user, read: pair }, headers, base, address, signal }) => {
      await factor.require(user.id);
      const { deviceId, deviceToken } = pair
        ? await devices.renew({ userId: caller.userId, requestId: caller.requestId, address, signal }, user.id, pair)
        : await devices.remember(await subject.toChange(caller, user), user.id, headers['user-agent'] ?? '');
      return {
        two_factor_auth: {
          device_id: deviceId,
          device_token: deviceToken,
          links: { self: `${base}/v3/users/${user.id}/OS-TWO-FACTOR/devices/${deviceId}` },
        },
      };
    },
  );

  app.head(
    all,
    {
      id: 'checkDevice',
      summary: 'Check a remembered device',
      tag,
      rule: 'check_for_device',
      target: async ({ query }) => {
        const pair =
          pairOf(query) ?? fail('request.bad_value', { field: 'device_id', why: 'device_id and device_token are required' });
        return withParsed(pair, await subject.queryTarget(query));
      },
      documentation: CHECK_DOCUMENTATION,
      reply: { 204: null },
    },
    async ({ caller, target: { user, read: pair }, address, signal }) => {
      await factor.require(user.id);
      const outcome = await devices.check({ userId: caller.userId, requestId: caller.requestId, address, signal }, user.id, pair);
      if (outcome === 'unknown') fail('device.not_found', { id: pair.deviceId });
      if (outcome === 'stolen') fail('device.stolen');
    },
  );

  app.delete(
    own,
    {
      id: 'deleteUserDevices',
      summary: 'Forget all devices of a user',
      tag,
      rule: 'forget_devices',
      target,
      reply: { 204: null },
    },
    async ({ caller, target: user }) => devices.forgetAll(await subject.toRemove(caller, user), user.id),
  );

  app.get(
    own,
    {
      id: 'listUserDevices',
      summary: 'List the remembered devices of a user',
      tag,
      rule: 'list_devices',
      target,
      reply: { 200: DeviceList },
    },
    async (call) => wholeList(call, 'devices', await devices.list(call.target.id), renderDevice),
  );

  app.delete(
    '/v3/users/:user_id/OS-TWO-FACTOR/devices/:device_id',
    { id: 'deleteUserDevice', summary: 'Forget one device', tag, rule: 'forget_device', target, reply: { 204: null } },
    async ({ caller, target: user, params }) => devices.forget(await subject.toRemove(caller, user), user.id, params.device_id),
  );
}
