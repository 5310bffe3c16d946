// The settings of the service on the wire.
import { t } from '../../../platform/http/index.ts';

const Setting = t.object({
  key: t.string(),
  value: t.nullable(t.string({ description: 'Secrets are masked. Null: not set.' })),
  source: t.oneOf('environment', 'file', 'service', 'default'),
  unit: t.string(),
  about: t.string(),
  group: t.nullable(
    t.string({ description: 'Null: it belongs to the machine, and is set in the environment or the file only.' }),
  ),
  default: t.nullable(t.string({ description: 'What is in force when it is not set.' })),
  input: t.object(
    { type: t.oneOf('text', 'list', 'address', 'pattern', 'secret', 'flag', 'number', 'choice') },
    { min: t.integer(), max: t.integer(), choices: t.array(t.string()) },
  ),
});
export const SettingList = t.object({ settings: t.array(Setting) });

const SettingChanges = t.record(t.nullable(t.string({ maxLength: 10_000 })), {
  description: 'Values by key, as they would be in the file of settings. Null goes back to the default.',
});
export const SettingChangesEnvelope = t.envelope('settings', SettingChanges);

t.name({ Setting, SettingList, SettingChanges, SettingChangesEnvelope });
