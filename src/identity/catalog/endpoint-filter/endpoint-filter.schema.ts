// A group of endpoints that a project was given, on the wire.
import { t } from '../../../platform/http/index.ts';
import { Links } from '../../ground/resource/index.ts';

const ProjectEndpointGroup = t.object({ endpoint_group_id: t.string(), project_id: t.string(), links: Links });
export const ProjectEndpointGroupEnvelope = t.envelope('project_endpoint_group', ProjectEndpointGroup);

export const renderProjectEndpointGroup = (base: string, groupId: string, projectId: string) => ({
  endpoint_group_id: groupId,
  project_id: projectId,
  links: { self: `${base}/v3/OS-EP-FILTER/endpoint_groups/${groupId}/projects/${projectId}` },
});

t.name({ ProjectEndpointGroup, ProjectEndpointGroupEnvelope });
