// Wire format of base roles and their implications.
import { t } from '../../../platform/http/index.ts';
import type { RoleRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const optional = {
  domain_id: t.nullable(t.string({ minLength: 1, maxLength: 64 })),
  description: t.nullable(t.string()),
  options: t.object({}, { immutable: t.nullable(t.boolean()) }),
};

export const roleFields = ['name', 'domain_id', 'description', 'options'];

const NewRole = t.open({ name: Name }, optional);
export const CreateRole = t.envelope('role', NewRole);
const RoleChanges = t.changes(t.open({}, { name: Name, ...optional }));
export const UpdateRole = t.envelope('role', RoleChanges);

export const Role = t.open({
  id: t.string(),
  name: t.string(),
  domain_id: t.nullable(t.string()),
  description: t.nullable(t.string()),
  options: t.record(t.unknown()),
  links: Links,
});
export const RoleEnvelope = t.envelope('role', Role);
export const RoleList = t.object({ links: ListLinks, roles: t.array(Role) });

const RoleRef = t.object({ id: t.string(), name: t.string(), links: Links });
const Inference = t.object({ prior_role: RoleRef, implies: t.array(RoleRef) });
export const ImpliedRoles = t.object({ role_inference: Inference, links: Links });
export const ImpliedRole = t.object({ role_inference: t.object({ prior_role: RoleRef, implies: RoleRef }), links: Links });
export const RoleInferences = t.object({ role_inferences: t.array(Inference), links: Links });

export function renderRole(base: string, row: RoleRow) {
  return {
    ...parseJson(row.extra),
    id: row.id,
    name: row.name,
    domain_id: row.domain_id,
    description: row.description,
    options: parseJson(row.options),
    links: { self: `${base}/v3/roles/${row.id}` },
  };
}

export const renderRoleRef = (base: string, { id, name }: { id: string; name: string }) => ({
  id,
  name,
  links: { self: `${base}/v3/roles/${id}` },
});

t.name({
  NewRole,
  CreateRole,
  RoleChanges,
  UpdateRole,
  Role,
  RoleEnvelope,
  RoleList,
  RoleReference: RoleRef,
  RoleInference: Inference,
  ImpliedRoleList: ImpliedRoles,
  ImpliedRole,
  RoleInferenceList: RoleInferences,
});
