// Mappings on the wire. The rules are checked by validateMapping, which names the place of a problem.
import { t } from '../../../platform/http/index.ts';
import type { MappingRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';

export const mappingRules = t.array(t.unknown({ description: 'A rule of the mapping language: `local` and `remote`.' }), {
  maxItems: 1000,
});
export const mappingVersion = { schema_version: t.string({ description: '1.0 (the default), 2.0 or 3.0.' }) };

export const NewMapping = t.object({ rules: mappingRules }, { ...mappingVersion, id: t.string() });
export const CreateMapping = t.envelope('mapping', NewMapping);
const MappingChanges = t.object({ rules: mappingRules }, { ...mappingVersion, id: t.string() });
export const UpdateMapping = t.envelope('mapping', MappingChanges);
const Mapping = t.object({ id: t.string(), rules: t.array(t.unknown()), schema_version: t.string(), links: Links });
export const MappingEnvelope = t.envelope('mapping', Mapping);
export const MappingList = t.object({ links: ListLinks, mappings: t.array(Mapping) });

export const renderMapping = (base: string, row: MappingRow) => ({
  id: row.id,
  rules: JSON.parse(row.rules) as unknown[],
  schema_version: row.schema_version,
  links: { self: `${base}/v3/OS-FEDERATION/mappings/${encodeURIComponent(row.id)}` },
});

t.name({ NewMapping, CreateMapping, MappingChanges, UpdateMapping, Mapping, MappingEnvelope, MappingList });
