// Endpoint groups on the wire.
import { t } from '../../../platform/http/index.ts';
import type { EndpointGroupRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const EndpointGroupFilters = t.object(
  {},
  { service_id: t.string(), region_id: t.nullable(t.string()), interface: t.string() },
  { description: 'What the endpoints of the group have in common.' },
);
const Description = t.nullable(t.string());

/** As in Keystone, there are no attributes beside these. */
const NewEndpointGroup = t.object({ name: Name, filters: EndpointGroupFilters }, { id: t.string(), description: Description });
export const CreateEndpointGroup = t.envelope('endpoint_group', NewEndpointGroup);
const EndpointGroupChanges = t.changes(
  t.object({}, { id: t.string(), name: Name, filters: EndpointGroupFilters, description: Description }),
);
export const UpdateEndpointGroup = t.envelope('endpoint_group', EndpointGroupChanges);
const EndpointGroup = t.object({
  id: t.string(),
  name: t.string(),
  description: t.nullable(t.string()),
  filters: EndpointGroupFilters,
  links: Links,
});
export const EndpointGroupEnvelope = t.envelope('endpoint_group', EndpointGroup);
export const EndpointGroupList = t.object({ links: ListLinks, endpoint_groups: t.array(EndpointGroup) });

const ProjectEndpointGroup = t.object({ endpoint_group_id: t.string(), project_id: t.string(), links: Links });
export const ProjectEndpointGroupEnvelope = t.envelope('project_endpoint_group', ProjectEndpointGroup);

const addressOf = (base: string, id: string): string => `${base}/v3/OS-EP-FILTER/endpoint_groups/${id}`;

export const renderEndpointGroup = (base: string, row: EndpointGroupRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  filters: parseJson(row.filters),
  links: { self: addressOf(base, row.id) },
});

export const renderProjectEndpointGroup = (base: string, groupId: string, projectId: string) => ({
  endpoint_group_id: groupId,
  project_id: projectId,
  links: { self: `${addressOf(base, groupId)}/projects/${projectId}` },
});

t.name({
  EndpointGroupFilters,
  NewEndpointGroup,
  CreateEndpointGroup,
  EndpointGroupChanges,
  UpdateEndpointGroup,
  EndpointGroup,
  EndpointGroupEnvelope,
  EndpointGroupList,
  ProjectEndpointGroup,
  ProjectEndpointGroupEnvelope,
});
