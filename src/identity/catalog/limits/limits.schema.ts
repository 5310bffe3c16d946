// Limits and registered limits on the wire.
import { t } from '../../../platform/http/index.ts';
import type { RegisteredLimitRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { LimitWithResource } from './limits.store.ts';

const MOST = 1000;
const Id = t.string({ minLength: 1, maxLength: 64, pattern: '^[a-zA-Z0-9-]+$' });
const RegionId = t.string({ maxLength: 255 });
const ResourceName = t.string({ minLength: 1, maxLength: 255 });
const Amount = t.integer({ minimum: -1, maximum: 0x7fffffff, description: '-1 stands for no limit.' });
const Description = t.nullable(t.string());

const NewRegisteredLimit = t.object(
  { service_id: Id, resource_name: ResourceName, default_limit: Amount },
  { region_id: t.nullable(RegionId), description: Description },
);
export const CreateRegisteredLimits = t.envelope(
  'registered_limits',
  t.array(NewRegisteredLimit, { minItems: 1, maxItems: MOST }),
);
const RegisteredLimitChanges = t.object(
  {},
  {
    service_id: Id,
    region_id: t.nullable(RegionId),
    resource_name: ResourceName,
    default_limit: Amount,
    description: Description,
  },
);
export const UpdateRegisteredLimit = t.envelope('registered_limit', RegisteredLimitChanges);
const RegisteredLimit = t.object({
  id: t.string(),
  service_id: t.string(),
  region_id: t.nullable(t.string()),
  resource_name: t.string(),
  default_limit: t.integer(),
  description: t.nullable(t.string()),
  links: Links,
});
export const RegisteredLimitEnvelope = t.envelope('registered_limit', RegisteredLimit);
export const CreatedRegisteredLimits = t.object({ registered_limits: t.array(RegisteredLimit) });
export const RegisteredLimitList = t.object({ links: ListLinks, registered_limits: t.array(RegisteredLimit) });

const NewLimit = t.object(
  { service_id: Id, resource_name: ResourceName, resource_limit: Amount },
  {
    project_id: t.string({ ...Id, description: 'Either this or domain_id.' }),
    domain_id: Id,
    region_id: RegionId,
    description: Description,
  },
);
export const CreateLimits = t.envelope('limits', t.array(NewLimit, { minItems: 1, maxItems: MOST }));
const LimitChanges = t.object({}, { resource_limit: Amount, description: Description });
export const UpdateLimit = t.envelope('limit', LimitChanges);
const Limit = t.object({
  id: t.string(),
  project_id: t.nullable(t.string()),
  domain_id: t.nullable(t.string()),
  service_id: t.string(),
  region_id: t.nullable(t.string()),
  resource_name: t.string(),
  resource_limit: t.integer(),
  description: t.nullable(t.string()),
  links: Links,
});
export const LimitEnvelope = t.envelope('limit', Limit);
export const CreatedLimits = t.object({ limits: t.array(Limit) });
export const LimitList = t.object({ links: ListLinks, limits: t.array(Limit) });

const LimitModel = t.object({ name: t.string(), description: t.string() });
export const LimitModelEnvelope = t.envelope('model', LimitModel);

export const renderRegisteredLimit = (base: string, row: RegisteredLimitRow) => ({
  id: row.id,
  service_id: row.service_id,
  region_id: row.region_id,
  resource_name: row.resource_name,
  default_limit: row.default_limit,
  description: row.description,
  links: { self: `${base}/v3/registered_limits/${row.id}` },
});

export const renderLimit = (base: string, limit: LimitWithResource) => ({
  id: limit.id,
  project_id: limit.project_id,
  domain_id: limit.domain_id,
  service_id: limit.service_id,
  region_id: limit.region_id,
  resource_name: limit.resource_name,
  resource_limit: limit.resource_limit,
  description: limit.description,
  links: { self: `${base}/v3/limits/${limit.id}` },
});

t.name({
  NewRegisteredLimit,
  CreateRegisteredLimits,
  RegisteredLimitChanges,
  UpdateRegisteredLimit,
  RegisteredLimit,
  RegisteredLimitEnvelope,
  CreatedRegisteredLimits,
  RegisteredLimitList,
  NewLimit,
  CreateLimits,
  LimitChanges,
  UpdateLimit,
  Limit,
  LimitEnvelope,
  CreatedLimits,
  LimitList,
  LimitModel,
  LimitModelEnvelope,
});
