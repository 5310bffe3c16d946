// Endpoint groups, and the endpoints of projects, in the database.
import type { EndpointGroupRow, EndpointRow, Reader, Tx } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';

/** What a project can have: an endpoint, or a group of them. */
export type ProjectPart = { readonly endpointId: string } | { readonly groupId: string };

export async function hasPart(db: Reader, projectId: string, part: ProjectPart): Promise<boolean> {
  return (await projectIdsWith(db, part, projectId)).length > 0;
}

export async function insertPart(tx: Tx, projectId: string, part: ProjectPart): Promise<void> {
  if ('groupId' in part)
    await tx.insertInto('project_endpoint_groups').values({ endpoint_group_id: part.groupId, project_id: projectId }).execute();
  else await tx.insertInto('project_endpoints').values({ endpoint_id: part.endpointId, project_id: projectId }).execute();
}

/** Whether it was there. */
export async function deletePart(tx: Tx, projectId: string, part: ProjectPart): Promise<boolean> {
  const rows =
    'groupId' in part
      ? tx.deleteFrom('project_endpoint_groups').where('endpoint_group_id', '=', part.groupId)
      : tx.deleteFrom('project_endpoints').where('endpoint_id', '=', part.endpointId);
  const { numDeletedRows } = await rows.where('project_id', '=', projectId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** `only`: this project, if it is one of them. */
export async function projectIdsWith(db: Reader, part: ProjectPart, only?: string): Promise<string[]> {
  let endpoints = db.selectFrom('project_endpoints').select('project_id').orderBy('project_id');
  let groups = db.selectFrom('project_endpoint_groups').select('project_id').orderBy('project_id');
  if (only !== undefined) {
    endpoints = endpoints.where('project_id', '=', only);
    groups = groups.where('project_id', '=', only);
  }
  const rows =
    'groupId' in part
      ? await groups.where('endpoint_group_id', '=', part.groupId).execute()
      : await endpoints.where('endpoint_id', '=', part.endpointId).execute();
  return rows.map(({ project_id }) => project_id);
}

export const groupsOfProject = (db: Reader, projectId: string): Promise<EndpointGroupRow[]> =>
  db
    .selectFrom('project_endpoint_groups as given')
    .innerJoin('endpoint_groups', 'endpoint_groups.id', 'given.endpoint_group_id')
    .where('given.project_id', '=', projectId)
    .orderBy('endpoint_groups.id')
    .selectAll('endpoint_groups')
    .execute();

const allEndpoints = (db: Reader): Promise<EndpointRow[]> => db.selectFrom('endpoints').orderBy('id').selectAll().execute();

const isIn = (group: EndpointGroupRow, endpoint: EndpointRow): boolean =>
  Object.entries(parseJson<Partial<EndpointRow>>(group.filters)).every(
    ([name, value]) => endpoint[name as keyof EndpointRow] === value,
  );

export const endpointsInGroup = async (db: Reader, group: EndpointGroupRow): Promise<EndpointRow[]> =>
  (await allEndpoints(db)).filter((endpoint) => isIn(group, endpoint));

/** Its own, and those of its groups; also those that are disabled. */
export async function endpointsOfProject(db: Reader, projectId: string): Promise<EndpointRow[]> {
  const [own, groups] = await Promise.all([
    db
      .selectFrom('project_endpoints as given')
      .innerJoin('endpoints', 'endpoints.id', 'given.endpoint_id')
      .where('given.project_id', '=', projectId)
      .orderBy('endpoints.id')
      .selectAll('endpoints')
      .execute(),
    groupsOfProject(db, projectId),
  ]);
  if (groups.length === 0) return own;
  const ids = new Set(own.map(({ id }) => id));
  return (await allEndpoints(db)).filter((endpoint) => ids.has(endpoint.id) || groups.some((group) => isIn(group, endpoint)));
}

/** The endpoints that the catalog of a project is limited to; undefined when it is not limited. */
export async function projectEndpointIds(db: Reader, projectId: string): Promise<ReadonlySet<string> | undefined> {
  const endpoints = await endpointsOfProject(db, projectId);
  return endpoints.length === 0 ? undefined : new Set(endpoints.map(({ id }) => id));
}
