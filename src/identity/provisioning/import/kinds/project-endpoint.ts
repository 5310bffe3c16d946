// Which endpoints, and groups of them, a project has.
import { t } from '../../../../platform/http/index.ts';
import { givePart } from '../../../catalog/endpoint-filter/index.ts';
import { makeEach, recordKind } from '../kind.ts';
import { key } from './fields.ts';

/** Either an endpoint or a group. */
const schema = t.object({ key, project: key }, { endpoint: key, endpoint_group: key });

export const projectEndpoint = recordKind({
  schema,
  words: ({ project, endpoint, endpoint_group: group }) =>
    `the project ${project} has ${endpoint === undefined ? `the endpoint group ${group}` : `the endpoint ${endpoint}`}`,
  needs: ({ project, endpoint, endpoint_group: group }) => [
    { kind: 'project', key: project },
    endpoint === undefined ? { kind: 'endpoint_group', key: group ?? '' } : { kind: 'endpoint', key: endpoint },
  ],
  make: (place, records) =>
    makeEach(records, async ({ project, endpoint, endpoint_group: group }) => {
      const projectId = place.idOfNeeded('project', project);
      const part =
        endpoint === undefined
          ? { groupId: place.idOfNeeded('endpoint_group', group ?? '') }
          : { endpointId: place.idOfNeeded('endpoint', endpoint) };
      await givePart(place.change, projectId, part);
      return projectId;
    }),
  update: async (_, here) => here,
});
