// Policies on the wire.
import { t } from '../../platform/http/index.ts';
import type { PolicyRow } from '../database.ts';
import { Links, ListLinks, parseJson } from '../resource/index.ts';

export const policyFields = ['blob', 'type'];
const Blob = t.string({ description: 'The policy, in a form that only its services know.' });
const Type = t.string({ maxLength: 255, description: 'A media type, such as application/json.' });

const NewPolicy = t.open({ blob: Blob, type: Type });
export const CreatePolicy = t.envelope('policy', NewPolicy);
const PolicyChanges = t.changes(t.open({}, { blob: Blob, type: Type }));
export const UpdatePolicy = t.envelope('policy', PolicyChanges);
const Policy = t.open({ id: t.string(), blob: t.string(), type: t.string(), links: Links });
export const PolicyEnvelope = t.envelope('policy', Policy);
export const PolicyList = t.object({ links: ListLinks, policies: t.array(Policy) });

export const renderPolicy = (base: string, row: PolicyRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  blob: row.blob,
  type: row.type,
  links: { self: `${base}/v3/policies/${row.id}` },
});

t.name({ NewPolicy, CreatePolicy, PolicyChanges, UpdatePolicy, Policy, PolicyEnvelope, PolicyList });
