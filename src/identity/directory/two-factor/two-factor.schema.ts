// Wire format of the second factor.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { DeviceRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

/** The body may be empty: then only a new key is created. */
export const EnableTwoFactor = t.open(
  {},
  {
    two_factor_auth: t.nullable(
      t.open(
        {},
        {
          security_question: t.nullable(t.string({ minLength: 1, maxLength: 255 })),
          security_answer: t.nullable(t.string({ minLength: 1, maxLength: 1024 })),
        },
      ),
    ),
  },
);

export const EnabledReply = t.envelope(
  'two_factor_auth',
  t.object(
    { two_factor_key: t.string(), uri: t.string(), user_id: t.string(), security_question: t.string(), links: Links },
    { security_answer: t.string() },
  ),
);

export const StateReply = t.envelope(
  'two_factor_auth',
  t.object({ enabled: t.boolean(), recovery_codes_left: t.integer(), user_id: t.string(), links: Links }),
);

export const DataReply = t.envelope(
  'two_factor_auth',
  t.object({ security_question: t.string(), user_id: t.string(), links: Links }),
);

export const RecoveryReply = t.envelope(
  'two_factor_auth',
  t.object({ recovery_codes: t.array(t.string()), user_id: t.string(), links: Links }),
);

export const DeviceReply = t.envelope(
  'two_factor_auth',
  t.object({ device_id: t.string(), device_token: t.string(), links: Links }),
);

const Device = t.object({
  id: t.string(),
  user_agent: t.string(),
  created_at: t.string(),
  last_used_at: t.string(),
  links: Links,
});
export const DeviceList = t.object({ links: ListLinks, devices: t.array(Device) });

export const renderDevice = (base: string, row: DeviceRow) => ({
  id: row.id,
  user_agent: row.user_agent,
  created_at: isoTime(row.created_at * 1000),
  last_used_at: isoTime(row.last_used_at * 1000),
  links: { self: `${base}/v3/users/${row.user_id}/OS-TWO-FACTOR/devices/${row.id}` },
});

t.name({
  EnableTwoFactor,
  TwoFactorEnabled: EnabledReply,
  TwoFactorState: StateReply,
  TwoFactorData: DataReply,
  RecoveryCodes: RecoveryReply,
  RememberedDevice: DeviceReply,
  Device,
  DeviceList,
});
