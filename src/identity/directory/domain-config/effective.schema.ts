// The settings that are in force in a domain, on the wire.
import { t } from '../../../platform/http/index.ts';

const DomainSetting = t.object({
  key: t.string({ description: 'Group and option, as in `passwords.min_length`.' }),
  group: t.string(),
  value: t.nullable(t.string({ description: 'Secrets are masked. Null: not set.' })),
  source: t.oneOf('domain_file', 'environment', 'file', 'directory', 'domain', 'service', 'default'),
  fixed: t.nullable(t.string({ description: 'Why nobody can change it here. Null: it can be changed.' })),
  may_change: t.boolean({ description: 'Whether the caller may.' }),
  unit: t.string(),
  about: t.string(),
  default: t.nullable(t.string({ description: 'What is in force when the domain does not have its own.' })),
  input: t.object(
    { type: t.oneOf('text', 'list', 'address', 'pattern', 'secret', 'flag', 'number', 'choice') },
    { min: t.integer(), max: t.integer(), choices: t.array(t.string()) },
  ),
});
export const DomainSettingList = t.object({ settings: t.array(DomainSetting) });

const DomainSettingChanges = t.record(t.nullable(t.string({ maxLength: 65_536 })), {
  description: 'Values by key, as they would be in the file of the domain. Null: the domain has none of its own.',
});
export const DomainSettingChangesEnvelope = t.envelope('settings', DomainSettingChanges);

t.name({ DomainSetting, DomainSettingList, DomainSettingChanges, DomainSettingChangesEnvelope });
